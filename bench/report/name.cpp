#include "name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "text.hpp"

namespace triptych::report {

namespace {

constexpr std::array<std::string_view, 9> groups = {"sum",    "min", "max",     "argmin", "argmax",
                                                    "minmax", "dot", "moments", "sum_cpu"};
constexpr std::array<std::string_view, 4> types = {"float", "double", "int32", "int64"};
constexpr std::array<std::string_view, 3> modes = {"rotating", "resident", "memory"};
constexpr std::array<std::string_view, 25> series = {"automatic",
                                                     "global_atomic",
                                                     "shared_atomic",
                                                     "tree_interleaved",
                                                     "tree_sequential",
                                                     "grid_stride_shared",
                                                     "grid_stride_shared_x2",
                                                     "grid_stride_register",
                                                     "grid_stride_atomic",
                                                     "warp_shuffle",
                                                     "single_pass",
                                                     "cluster",
                                                     "cub_block",
                                                     "cub_device",
                                                     "thrust",
                                                     "sequential",
                                                     "compensated",
                                                     "pairwise",
                                                     "simd",
                                                     "threads",
                                                     "thrust_omp",
                                                     "plan",
                                                     "tuned",
                                                     "peer_cub",
                                                     "peer_thrust"};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find('/');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Google Benchmark appends how it measured: "/manual_time", "/iterations:8", "/threads:2".
bool is_appended(std::string_view part) {
  if (part == "manual_time" || part == "real_time" || part == "process_time") return true;
  constexpr std::array<std::string_view, 5> settings = {
      "iterations:", "repeats:", "min_time:", "min_warmup_time:", "threads:"};
  return std::any_of(settings.begin(), settings.end(), [&](auto start) { return part.starts_with(start); });
}

// A positive decimal number that is the whole text; 0 otherwise.
std::int64_t parse_count(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0 ? count : 0;
}

bool parse_size(std::string_view text, bool matrix, Size& size) {
  if (!matrix) {
    size.cols = parse_count(text);
    return size.cols > 0;
  }
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return false;
  size = {parse_count(text.substr(0, cross)), parse_count(text.substr(cross + 1))};
  return size.rows > 0 && size.cols > 0;
}

}  // namespace

Name parse_name(std::string_view text) {
  std::vector<std::string_view> parts = split(text);
  while (parts.size() > 1 && is_appended(parts.back())) {
    text.remove_suffix(parts.back().size() + 1);
    parts.pop_back();
  }
  Name name;
  name.text = text;
  name.group = parts[0];
  if (std::any_of(parts.begin(), parts.end(), [](auto part) { return part.empty(); })) return name;
  if (name.group == "limit" && parts.size() == 3) {
    name.kind = Kind::limit;
    name.type = parts[1];
    name.series = parts[2];
    return name;
  }
  const bool matrix = name.group == "multiply";
  const bool known = matrix || rank(groups, name.group) < groups.size();
  if (!known || parts.size() != 5 || !parse_size(parts[4], matrix, name.size)) return name;
  name.kind = matrix ? Kind::matrix : Kind::array;
  name.type = parts[1];
  name.series = parts[2];
  name.mode = parts[3];
  return name;
}

std::span<const std::string_view> array_groups() { return groups; }
std::span<const std::string_view> known_types() { return types; }
std::span<const std::string_view> known_modes() { return modes; }
std::span<const std::string_view> known_series() { return series; }

std::size_t rank(std::span<const std::string_view> known, std::string_view name) {
  return static_cast<std::size_t>(std::find(known.begin(), known.end(), name) - known.begin());
}

std::string to_string(const Size& size) {
  return (size.rows > 0 ? size_text(size.rows) + " x " : std::string()) + size_text(size.cols);
}

}  // namespace triptych::report
