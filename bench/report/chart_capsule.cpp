#include "capsule.hpp"
#include "charts.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

// value gives what to draw of a place on a curve, or nothing.
template <class Value>
std::optional<Panel> make_panel(const CapsuleGrowth& growth, const char* what, const char* fixed,
                                const char* y_title, std::string (*write)(double), const Value& value) {
  Panel panel;
  Range x;
  Range y;
  for (std::size_t i = 0; i < growth.curves.size(); ++i) {
    const CapsuleCurve& curve = growth.curves[i];
    Line line;
    line.label = short_label(curve.series);
    line.style = series_style(curve.series, i);
    for (const CapsuleCurve::At& at : curve.at) {
      const std::optional<double> v = value(curve, at);
      if (!v) continue;
      line.points.push_back({at.size, *v});
      x.add(at.size);
      y.add(*v);
    }
    if (line.points.size() > 1) panel.lines.push_back(std::move(line));
  }
  if (panel.lines.empty()) return std::nullopt;
  panel.title =
      std::to_string(growth.fixed) + " " + fixed + ", " + std::to_string(growth.capsules) + " capsules";
  panel.x = log_axis(what, x.low, x.high, plain_tick);
  panel.y = log_axis(y_title, y.low, y.high, write);
  return panel;
}

template <class Value>
std::optional<Chart> make_chart(const Results& results, const char* file, const char* caption,
                                const char* title, const char* subtitle, const char* y_title,
                                std::string (*write)(double), const Value& value) {
  Chart chart;
  chart.file = file;
  chart.caption = caption;
  if (auto panel = make_panel(capsules_by_points(results), "points", "samples", y_title, write, value))
    chart.figure.panels.push_back(*std::move(panel));
  if (auto panel = make_panel(capsules_by_samples(results), "samples", "points",
                              chart.figure.panels.empty() ? y_title : "", write, value))
    chart.figure.panels.push_back(*std::move(panel));
  if (chart.figure.panels.empty()) return std::nullopt;
  const std::string gpu = machine(results, "gpu", "");
  chart.figure.title = std::string(title) + " on " +
                       (gpu.empty() ? machine(results, "cpu", "the CPU") : gpu + " and its host");
  chart.figure.subtitle = subtitle + quick_note(results);
  return chart;
}

}  // namespace

std::optional<Chart> capsule_time_chart(const Results& results, const std::vector<Grid>&) {
  return make_chart(
      results, "capsule_time.svg", "time of the likelihood against points and against samples, every form",
      "The paper's figure 5", "Median time for all samples, lower is better", "time of the likelihood",
      time_tick, [](const CapsuleCurve&, const CapsuleCurve::At& at) { return std::optional(at.us); });
}

std::optional<Chart> capsule_speed_up_chart(const Results& results, const std::vector<Grid>&) {
  return make_chart(
      results, "capsule_speed_up.svg",
      "speed-up of the likelihood over the paper's sequential loop, every form", "The paper's figure 6",
      "Time of listing 1.2 on one core over that of the form, higher is better", "speed-up over the listing",
      plain_tick, [](const CapsuleCurve& curve, const CapsuleCurve::At& at) {
        return curve.series == capsule_baseline ? std::nullopt : at.speed_up;
      });
}

}  // namespace triptych::report
