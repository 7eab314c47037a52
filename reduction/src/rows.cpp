#include <triptych/core/error.hpp>
#include <triptych/reduction/rows.hpp>

#include <array>
#include <charconv>
#include <string_view>

#include "row_plan.hpp"
#include "rows_check.hpp"

namespace triptych::reduction {

namespace {

constexpr std::array<std::string_view, 5> fields = {"lanes=", " block=", " rows=", " shares=", " cluster="};

// Removes `field` and a number without sign or leading zeros from the front of text; -1 when they are
// missing.
int take_number(std::string_view& text, std::string_view field) {
  if (text.substr(0, field.size()) != field) return -1;
  text.remove_prefix(field.size());
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0) return -1;
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (text.front() == '-' || (text.front() == '0' && digits > 1)) return -1;
  text.remove_prefix(digits);
  return value;
}

}  // namespace

int threads_per_row(const RowPlan& plan) {
  check_plan(0, plan);
  return plan.block == 0 ? plan.lanes : plan.block * plan.shares;
}

std::string to_string(const RowPlan& plan) {
  const std::array<int, 5> values = {plan.lanes, plan.block, plan.rows, plan.shares, plan.cluster ? 1 : 0};
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) text += std::string(fields[i]) + std::to_string(values[i]);
  return text;
}

RowPlan parse_row_plan(const std::string& text) {
  std::string_view rest = text;
  std::array<int, 5> values{};
  bool good = true;
  for (std::size_t i = 0; i < fields.size() && good; ++i) {
    values[i] = take_number(rest, fields[i]);
    good = values[i] >= 0;
  }
  const RowPlan plan{values[0], values[1], values[2], values[3], values[4] == 1};
  if (!good || !rest.empty() || values[0] < 1 || values[2] < 1 || values[3] < 1 || values[4] > 1) {
    throw InvalidArgument("'" + text.substr(0, 80) + "' is not a row plan; an example is '" +
                          to_string(RowPlan{}) + "'");
  }
  return plan;
}

void check_row_sums(std::int64_t rows, std::int64_t result_size) {
  require(result_size == rows, "the sums of ", rows, " rows do not fit a result of ", result_size,
          " elements");
}

void check_multiply(std::int64_t rows, std::int64_t cols, std::int64_t x_size, std::int64_t y_size) {
  require(x_size == cols, "a matrix of ", cols, " columns cannot be multiplied by a vector of ", x_size,
          " elements");
  require(y_size == rows, "the product with a matrix of ", rows, " rows does not fit a result of ", y_size,
          " elements");
}

}  // namespace triptych::reduction
