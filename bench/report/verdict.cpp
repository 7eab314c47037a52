#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aam.hpp"
#include "capsule.hpp"
#include "skin.hpp"
#include "text.hpp"
#include "verdict.hpp"

namespace triptych::report {

namespace {

constexpr std::int64_t smallest_counted = std::int64_t{1} << 14;  // below, the launch is what is measured
constexpr std::int64_t largest_counted = std::int64_t{1} << 22;   // above, the memory is
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr Size share_size = {0, std::int64_t{1} << 28};

bool overlap(const Entry& a, const Entry& b) {
  const double low = std::max(a.low_us.value_or(a.time_us), b.low_us.value_or(b.time_us));
  const double high = std::min(a.high_us.value_or(a.time_us), b.high_us.value_or(b.time_us));
  return low <= high;
}

std::string subject(const Grid& grid) {
  return "- " + escape_markdown(grid.group) + " of " + escape_markdown(grid.type) + ", " +
         escape_markdown(grid.mode) + ": ";
}

std::string comparison_line(const Grid& grid, const std::string& ours, const std::string& other,
                            std::int64_t from, std::int64_t to, const std::string& range) {
  const std::vector<Comparison> all = compare(grid, ours, other);
  const std::optional<Comparison> least = worst(all);
  if (!least) return "";
  std::string line = subject(grid) + ours;
  if (const std::optional<Summary> summary = summarise(all, from, to)) {
    const int count = summary->faster + summary->same + summary->slower;
    line += " is **" + times_text(summary->geometric_mean) + "** as fast as " + other +
            " (geometric mean of " + std::to_string(count) + (count == 1 ? " size" : " sizes") + range +
            ": faster at " + std::to_string(summary->faster) + ", same at " + std::to_string(summary->same) +
            ", slower at " + std::to_string(summary->slower) + "); its worst is ";
  } else {
    line += " against " + other + ": its worst is ";
  }
  return line + times_text(least->speed_up) + " at " + to_string(least->size) + " (" + word(least->outcome) +
         ").\n";
}

std::string share_line(const Grid& grid, const std::string& ours, const Size& size,
                       std::optional<double> share, const std::string& limit) {
  if (!share) return "";
  return subject(grid) + ours + " " + share_words(*share, limit) + " at " + to_string(size) + ".\n";
}

// At the largest size that was measured.
std::string cpu_line(const Grid& grid, const std::string& ours, std::optional<double> limit,
                     const std::string& words) {
  for (auto size = grid.sizes.rbegin(); size != grid.sizes.rend(); ++size) {
    if (const Entry* entry = grid.at(*size, ours)) {
      return share_line(grid, ours, *size, share_of(*entry, limit), words);
    }
  }
  return "";
}

std::string grid_lines(const Grid& grid, const Limits& limits) {
  if (grid.kind == Kind::matrix) {
    return comparison_line(grid, "plan", "peer_cublas", 0, largest, "") +
           comparison_line(grid, "tuned", "peer_cublas", 0, largest, "");
  }
  if (grid.group == "sum_cpu") {
    return cpu_line(grid, "simd", limits.read_cpu_1, "what one core can read") +
           cpu_line(grid, "threads", limits.read_cpu_all, "what all cores can read");
  }
  std::string lines =
      comparison_line(grid, "automatic", "peer_cub", smallest_counted, largest_counted, ", 2^14 to 2^22");
  if (const Entry* entry = grid.group == "sum" ? grid.at(share_size, "automatic") : nullptr) {
    lines +=
        share_line(grid, "automatic", share_size, share_of(*entry, limits.read_gpu), "what the GPU can read");
  }
  return lines;
}

}  // namespace

Comparison compare(const Entry& ours, const Entry& other) {
  const double speed_up = other.time_us / ours.time_us;
  const Outcome clear = speed_up > 1 ? Outcome::faster : Outcome::slower;
  return {ours.name.size, speed_up, overlap(ours, other) ? Outcome::same : clear};
}

std::vector<Comparison> compare(const Grid& grid, const std::string& ours, const std::string& other) {
  std::vector<Comparison> comparisons;
  for (const Size& size : grid.sizes) {
    const Entry* a = grid.at(size, ours);
    const Entry* b = grid.at(size, other);
    if (a && b) comparisons.push_back(compare(*a, *b));
  }
  return comparisons;
}

std::optional<Summary> summarise(const std::vector<Comparison>& comparisons, std::int64_t from,
                                 std::int64_t to) {
  Summary summary;
  double sum_of_logs = 0;
  for (const Comparison& one : comparisons) {
    if (one.size.cols < from || one.size.cols > to) continue;
    sum_of_logs += std::log(one.speed_up);
    summary.faster += one.outcome == Outcome::faster;
    summary.same += one.outcome == Outcome::same;
    summary.slower += one.outcome == Outcome::slower;
  }
  const int count = summary.faster + summary.same + summary.slower;
  if (count == 0) return std::nullopt;
  summary.geometric_mean = std::exp(sum_of_logs / count);
  return summary;
}

std::optional<Comparison> worst(const std::vector<Comparison>& comparisons) {
  const auto least = std::min_element(comparisons.begin(), comparisons.end(),
                                      [](const auto& a, const auto& b) { return a.speed_up < b.speed_up; });
  if (least == comparisons.end()) return std::nullopt;
  return *least;
}

std::string times_text(double speed_up) { return three_digits(speed_up) + "x"; }

const char* word(Outcome outcome) {
  constexpr std::array<const char*, 3> words = {"faster", "same: the spreads overlap", "slower"};
  return words[static_cast<std::size_t>(outcome)];
}

std::string share_words(double share, const std::string& limit) {
  return "reaches **" + fixed(share * 100, 0) + " %** of " + limit;
}

std::string verdict(const Results& results, const std::vector<Grid>& grids) {
  const Limits limits = find_limits(results);
  std::string lines;
  for (const Grid& grid : grids) lines += grid_lines(grid, limits);
  lines += skin_verdict(results, limits);
  lines += capsule_verdict(results);
  lines += aam_verdict(results);
  return lines.empty() ? lines : lines + "\n";
}

}  // namespace triptych::report
