// The names of strategies and of levels of determinism, and row plans as text: what is accepted comes back.
#include <triptych/reduction/rows.hpp>
#include <triptych/reduction/strategy.hpp>

#include <cstdlib>

#include "fuzz/fuzz.hpp"

namespace {

template <class Parse>
void comes_back(std::string_view text, const Parse& parse) {
  triptych::fuzz::only_errors([&] {
    using triptych::reduction::to_string;
    if (to_string(parse(text)) != text) std::abort();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  using namespace triptych::reduction;
  const std::string_view text = fuzz::text_of(data, size);
  comes_back(text, parse_strategy);
  comes_back(text, parse_cpu_strategy);
  comes_back(text, parse_determinism);
  comes_back(text, [](std::string_view plan) { return parse_row_plan(std::string(plan)); });
  fuzz::only_errors([&] {
    const RowPlan plan = parse_row_plan(std::string(text));
    fuzz::only_errors([&] { threads_per_row(plan); });
    for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{7}, INT64_MAX}) {
      fuzz::only_errors([&] { row_workspace_bytes(rows, plan); });
    }
  });
  return 0;
}
