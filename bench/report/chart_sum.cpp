#include <algorithm>
#include <cmath>

#include "charts.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

constexpr double bytes_per_float = 4;

// The floor: the larger of the launch and the time to read the input, for inputs that are not in the cache.
std::optional<Floor> make_floor(const Limits& limits, const Axis& sizes) {
  if (!limits.launch_us && !limits.read_gpu) return std::nullopt;
  constexpr int steps = 200;
  Floor floor;
  for (int i = 0; i <= steps; ++i) {
    const double n = sizes.low * std::pow(sizes.high / sizes.low, i / static_cast<double>(steps));
    const double read_us = limits.read_gpu ? n * bytes_per_float / *limits.read_gpu / 1e3 : 0;
    floor.points.push_back({n, std::max(limits.launch_us.value_or(0), read_us)});
  }
  floor.label = "physical floor: ";
  if (limits.launch_us) floor.label += "launch " + three_digits(*limits.launch_us) + " \xc2\xb5s";
  if (limits.launch_us && limits.read_gpu) floor.label += ", ";
  if (limits.read_gpu) floor.label += "read " + rate_text(*limits.read_gpu);
  return floor;
}

// A line for a series; value gives what to draw of an entry, or nothing.
template <class Value>
Line make_line(const Grid& grid, const std::string& series, const Value& value, Range& x, Range& y) {
  Line line;
  for (const Size& size : grid.sizes) {
    const Entry* entry = grid.at(size, series);
    const std::optional<double> v = entry ? value(*entry) : std::nullopt;
    if (!v) continue;
    line.points.push_back({static_cast<double>(size.cols), *v});
    x.add(line.points.back().x);
    y.add(*v);
  }
  return line;
}

}  // namespace

std::optional<Chart> sum_chart(const Results& results, const std::vector<Grid>& grids) {
  const Grid* grid = find_grid(grids, "sum", "float", "rotating");
  if (!grid) grid = find_grid(grids, "sum", "float", "resident");
  if (!grid) return std::nullopt;
  Panel panel;
  Range x;
  Range y;
  for (std::size_t i = 0; i < grid->series.size(); ++i) {
    const std::string& series = grid->series[i];
    Line line = make_line(
        *grid, series, [](const Entry& e) { return std::optional(e.time_us); }, x, y);
    line.label = short_label(series);
    line.style = series_style(series, i);
    panel.lines.push_back(std::move(line));
  }
  const Limits limits = find_limits(results);
  panel.x = size_axis("elements", x.low, x.high, 12);
  panel.floor = make_floor(limits, panel.x);
  if (panel.floor) y.add(panel.floor->points.front().y);
  panel.y = log_axis("time of one sum", y.low, y.high, time_tick);
  // The floor is named inside its area, which needs some height.
  if (panel.floor) panel.y.low = std::min(panel.y.low, panel.floor->points.front().y / 2);
  Chart chart;
  chart.file = "sum_float.svg";
  chart.caption = "time of a float sum against its size, every strategy, " + mode_words(grid->mode);
  chart.figure = {
      "Sum of floats on " + machine(results, "gpu", "the GPU"),
      "Median time against size, lower is better; " + mode_words(grid->mode) + quick_note(results),
      {std::move(panel)}};
  return chart;
}

std::optional<Chart> share_chart(const Results& results, const std::vector<Grid>& grids) {
  const Limits limits = find_limits(results);
  std::vector<Panel> panels;
  Range x;
  Range y;
  for (const char* mode : {"rotating", "resident"}) {
    const Grid* grid = find_grid(grids, "sum", "float", mode);
    Panel panel;
    panel.title = mode_words(mode);
    for (const char* series : {"peer_cub", "automatic"}) {
      if (!grid || !grid->has(series)) continue;
      Line line = make_line(
          *grid, series, [&](const Entry& e) { return share_of(e, limits.read_gpu); }, x, y);
      line.label = series;
      line.style = series_style(series, 0);
      if (!line.points.empty()) panel.lines.push_back(std::move(line));
    }
    if (!panel.lines.empty()) panels.push_back(std::move(panel));
  }
  if (panels.empty()) return std::nullopt;
  for (Panel& panel : panels) {
    panel.x = size_axis("elements", x.low, x.high, panels.size() > 1 ? 7 : 12);
    panel.y = share_axis(&panel == &panels.front() ? "share of the read bandwidth" : "", y.high);
    if (y.high > 1.02) panel.rules.push_back({1, "limit of memory"});
  }
  std::string subtitle = "Bytes read per second over the read bandwidth measured in the same run";
  if (limits.read_gpu) subtitle += " (" + rate_text(*limits.read_gpu) + ")";
  if (panels.size() == 1) {
    subtitle += "; " + panels.front().title;
    panels.front().title.clear();
  }
  Chart chart;
  chart.file = "sum_float_share.svg";
  chart.caption = "share of the GPU's read bandwidth that a float sum reaches, against its size";
  chart.figure = {"Sum of floats on " + machine(results, "gpu", "the GPU") + ": share of the read bandwidth",
                  subtitle + quick_note(results), std::move(panels)};
  return chart;
}

}  // namespace triptych::report
