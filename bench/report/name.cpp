#include <algorithm>
#include <array>
#include <vector>

#include "name.hpp"
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

constexpr std::string_view threads_setting = "threads:";

// Google Benchmark appends how it measured: "/manual_time", "/iterations:8", "/threads:2".
bool is_appended(std::string_view part) {
  if (part == "manual_time" || part == "real_time" || part == "process_time") return true;
  constexpr std::array<std::string_view, 5> settings = {
      "iterations:", "repeats:", "min_time:", "min_warmup_time:", threads_setting};
  return std::any_of(settings.begin(), settings.end(), [&](auto start) { return part.starts_with(start); });
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

// What stands after the mode of a skin name: nothing, a size or a number of threads.
bool parse_skin_end(const std::vector<std::string_view>& parts, Name& name) {
  if (parts.size() == 4) return true;
  if (parts.size() != 5) return false;
  if (parts[4].starts_with(threads_setting)) {
    name.threads = parse_count(parts[4].substr(threads_setting.size()));
    return name.threads > 0;
  }
  Size width_first;
  if (!parse_size(parts[4], true, width_first)) return false;
  name.size = {width_first.cols, width_first.rows};
  return true;
}

// <rows>x<count>x<columns>: samples, capsules and points, or faces, modes and pixels.
bool parse_triple(std::string_view text, Size& size, std::int64_t& count) {
  const std::size_t first = text.find('x');
  const std::size_t last = text.rfind('x');
  if (first == std::string_view::npos || first == last) return false;
  size = {parse_count(text.substr(0, first)), parse_count(text.substr(last + 1))};
  count = parse_count(text.substr(first + 1, last - first - 1));
  return size.rows > 0 && count > 0 && size.cols > 0;
}

}  // namespace

Name parse_name(std::string_view text) {
  std::vector<std::string_view> parts = split(text);
  const bool skin = parts[0] == "skin";
  // There the threads tell one peer from another.
  const auto belongs = [&](std::string_view part) { return skin && part.starts_with(threads_setting); };
  while (parts.size() > 1 && is_appended(parts.back()) && !belongs(parts.back())) {
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
  if (skin) {
    if (!parse_skin_end(parts, name)) return name;
    name.kind = Kind::skin;
  } else if (name.group == "capsule" || name.group == "aam") {
    const bool capsule = name.group == "capsule";
    Size size;
    std::int64_t count = 0;
    if (parts.size() != 5 || !parse_triple(parts[4], size, count)) return name;
    name.size = size;
    (capsule ? name.capsules : name.modes) = count;
    name.kind = capsule ? Kind::capsule : Kind::aam;
  } else {
    const bool known = matrix || rank(groups, name.group) < groups.size();
    if (!known || parts.size() != 5 || !parse_size(parts[4], matrix, name.size)) return name;
    name.kind = matrix ? Kind::matrix : Kind::array;
  }
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
