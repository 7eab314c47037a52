#include <algorithm>

#include "charts.hpp"
#include "text.hpp"

namespace triptych::report {

std::vector<Chart> make_charts(const Results& results, const std::vector<Grid>& grids) {
  std::vector<Chart> charts;
  for (const auto& make : {sum_chart, share_chart, multiply_chart, cpu_chart, skin_chart, capsule_time_chart,
                           capsule_speed_up_chart, aam_frames_chart, aam_growth_chart, aam_speed_up_chart}) {
    if (std::optional<Chart> chart = make(results, grids)) charts.push_back(*std::move(chart));
  }
  return charts;
}

void Range::add(double value) {
  low = empty() ? value : std::min(low, value);
  high = std::max(high, value);
}

std::string short_label(const std::string& text) {
  constexpr std::size_t longest = 24;
  std::string clean = printable(text);
  if (text_width(clean, 1) <= text_width(std::string(longest, 'x'), 1)) return clean;
  std::string cut = clean.substr(0, longest - 3);
  while (!cut.empty() && (cut.back() & 0xc0) == 0x80) cut.pop_back();  // back to where a character starts
  if (!cut.empty() && (cut.back() & 0x80) != 0) cut.pop_back();
  return cut + "...";
}

std::string machine(const Results& results, const char* key, const std::string& otherwise) {
  std::string name = hardware_name(fact(results, key));
  constexpr std::size_t longest = 48;
  return name.empty() || name.size() > longest ? otherwise : name;
}

std::string quick_note(const Results& results) {
  return fact(results, "mode") == "quick" ? "; a quick run" : "";
}

std::string mode_words(const std::string& mode) {
  if (mode == "rotating") return "rotating inputs, read from memory";
  if (mode == "resident") return "resident input, may sit in the cache";
  return mode;
}

}  // namespace triptych::report
