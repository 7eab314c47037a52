#include <cmath>

#include "charts.hpp"
#include "skin.hpp"

namespace triptych::report {

namespace {

constexpr const char* paper_colour = "#c3c9d0";

const char* colour_of(RunsOn where) {
  return where == RunsOn::gpu ? "#0072b2" : where == RunsOn::cpu ? "#d55e00" : "#009e73";
}

const char* words_of(RunsOn where) {
  return where == RunsOn::gpu ? "here, GPU" : where == RunsOn::cpu ? "here, CPU" : "here, both";
}

Bar make_bar(double us, const char* colour) { return {us, colour, time_tick(us)}; }

// From a power of ten that leaves even the shortest bar some length.
Axis time_axis(const Range& times) {
  const double low = std::pow(10.0, std::floor(std::log10(times.low / 2)));
  Axis axis = log_axis("total time of a frame, logarithmic", low, times.high, time_tick);
  axis.low = low;
  return axis;
}

}  // namespace

std::optional<Chart> skin_chart(const Results& results, const std::vector<Grid>&) {
  BarGroup theirs{"the paper's versions", {}};
  BarGroup ours{"ours", {}};
  BarPanel panel;
  Range times;
  bool with_gpu = false;
  const auto add_key = [&](const std::string& label, const char* colour) {
    for (const ColourKey& key : panel.keys) {
      if (key.label == label) return;
    }
    panel.keys.push_back({label, colour});
  };
  for (const SkinRow& row : skin_rows(SkinEntries(results))) {
    if (!row.total_us) continue;
    const RunsOn where = row.variant.runs_on;
    const std::optional<PaperTimes>& paper = row.variant.paper;
    BarRow bars{row_label(row.variant), {}};
    if (paper) bars.bars.push_back(make_bar(paper->total_ms() * 1e3, paper_colour));
    bars.bars.push_back(make_bar(*row.total_us, colour_of(where)));
    add_key(words_of(where), colour_of(where));
    for (const Bar& bar : bars.bars) times.add(bar.value);
    with_gpu |= where != RunsOn::cpu;
    (paper ? theirs : ours).rows.push_back(std::move(bars));
  }
  if (times.empty()) return std::nullopt;
  if (!theirs.rows.empty()) add_key("the paper's own: GT 630M, i5-2450M, 2013", paper_colour);
  const std::optional<double> copy_us = find_limits(results).copy_us;
  if (with_gpu && copy_us) {
    panel.rules.push_back({*copy_us, "the pure copy to the GPU, " + time_tick(*copy_us)});
    times.add(*copy_us);
  }
  panel.x = time_axis(times);
  for (BarGroup* group : {&theirs, &ours}) {
    if (!group->rows.empty()) panel.groups.push_back(std::move(*group));
  }
  Chart chart;
  chart.file = "skin_table.svg";
  chart.caption = "total time of a frame by every version, with the paper's own times";
  chart.figure = {
      "The paper's Table 1 on " + (with_gpu ? machine(results, "gpu", "the GPU") + " and its host"
                                            : machine(results, "cpu", "the CPU")),
      "From a frame in host memory to the sums or the head, median, lower is better" + quick_note(results),
      {},
      std::move(panel)};
  return chart;
}

}  // namespace triptych::report
