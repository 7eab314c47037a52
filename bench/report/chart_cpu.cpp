#include "charts.hpp"
#include "text.hpp"

namespace triptych::report {

std::optional<Chart> cpu_chart(const Results& results, const std::vector<Grid>& grids) {
  const Grid* grid = nullptr;  // floats where measured, else the first type that was
  for (const Grid& one : grids) {
    if (one.group == "sum_cpu" && !grid) grid = &one;
  }
  if (!grid) return std::nullopt;
  Panel panel;
  Range x;
  Range y;
  for (std::size_t i = 0; i < grid->series.size(); ++i) {
    Line line{short_label(grid->series[i]), series_style(grid->series[i], i), {}};
    for (const Size& size : grid->sizes) {
      const Entry* entry = grid->at(size, grid->series[i]);
      const std::optional<double> rate = entry ? gigabytes_per_s(*entry) : std::nullopt;
      if (!rate) continue;
      line.points.push_back({static_cast<double>(size.cols), *rate});
      x.add(line.points.back().x);
      y.add(*rate);
    }
    if (!line.points.empty()) panel.lines.push_back(std::move(line));
  }
  if (panel.lines.empty()) return std::nullopt;
  const Limits limits = find_limits(results);
  const auto add_rule = [&](std::optional<double> rate, const std::string& words) {
    if (!rate) return;
    panel.rules.push_back({*rate, words + ", " + rate_text(*rate)});
    y.add(*rate);
  };
  add_rule(limits.read_cpu_1, "limit, one core");
  add_rule(limits.read_cpu_all, "limit, all cores");
  panel.x = size_axis("elements", x.low, x.high, 12);
  panel.y = log_axis("GB/s", y.low, y.high, plain_tick);
  Chart chart;
  chart.file = "sum_cpu.svg";
  chart.caption =
      "bandwidth of a " + printable(grid->type) + " sum on the CPU against its size, every strategy";
  chart.figure = {"Sum of " + (grid->type == "float" ? "floats" : short_label(grid->type) + " values") +
                      " on " + machine(results, "cpu", "the CPU"),
                  "Bytes read per second against size, higher is better; small inputs sit in the caches" +
                      quick_note(results),
                  {std::move(panel)}};
  return chart;
}

}  // namespace triptych::report
