#include <algorithm>
#include <map>

#include "aam.hpp"
#include "charts.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

constexpr std::array<std::int64_t, 5> figure_sizes = {4096, 8192, 16384, 32768, 65536};
const Style paper_cpu_style{"#8c8c8c", 2, "6 4"};
const Style paper_gpu_style{"#000000", 2, "2 4"};

std::string where(const Results& results) {
  const std::string gpu = machine(results, "gpu", "");
  return " on " + (gpu.empty() ? machine(results, "cpu", "the CPU") : gpu + " and its host");
}

std::string percent_tick(double share) { return plain_tick(share * 100) + " %"; }

// The times of a form for several frames at one size: frames and us, ascending.
using Frames = std::map<std::int64_t, double>;

// The frames of a mode: 100 of "frames_100"; 1 when the mode has no number.
std::int64_t frames_of(const Name& name) {
  constexpr std::string_view start = "frames_";
  return name.mode.starts_with(start) ? parse_count(std::string_view(name.mode).substr(start.size())) : 1;
}

std::map<std::string, std::map<std::int64_t, Frames>> frames_by_form(const Results& results,
                                                                     std::int64_t modes) {
  std::map<std::string, std::map<std::int64_t, Frames>> forms;
  for (const Entry& entry : results.entries) {
    const Name& name = entry.name;
    if (name.kind == Kind::aam && name.size.rows == 1 && name.modes == modes && frames_of(name) > 0)
      forms[aam_form(name)][name.size.cols][frames_of(name)] = entry.time_us;
  }
  return forms;
}

// One form, a line for each of the five sizes; nothing where fewer than two numbers of frames were timed.
std::optional<Panel> frames_panel(const std::string& form, const std::map<std::int64_t, Frames>& by_size,
                                  bool first, Range& y) {
  Panel panel;
  panel.title = form;
  Range x;
  for (std::size_t i = 0; i < figure_sizes.size(); ++i) {
    const auto at = by_size.find(figure_sizes[i]);
    if (at == by_size.end() || at->second.size() < 2) continue;
    Line line{std::to_string(at->first) + " pixels", ordered_style(i, figure_sizes.size()), {}};
    for (const auto& [frames, us] : at->second) {
      line.points.push_back({static_cast<double>(frames), us});
      x.add(line.points.back().x);
      y.add(us);
    }
    panel.lines.push_back(std::move(line));
  }
  if (panel.lines.empty()) return std::nullopt;
  panel.x = log_axis("frames", x.low, x.high, plain_tick);
  panel.y.title = first ? "time" : "";
  return panel;
}

// value: what to draw of a place on a curve, or nothing. paper: the two lines of the paper.
template <class Value>
std::optional<Chart> size_chart(const Results& results, Chart chart, const std::string& y_title,
                                std::string (*write)(double), std::vector<Line> paper, const Value& value) {
  const AamGrowth growth = aam_by_pixels(results);
  Panel panel;
  Range x;
  Range y;
  for (std::size_t i = 0; i < growth.curves.size(); ++i) {
    const AamCurve& curve = growth.curves[i];
    Line line{short_label(curve.form), series_style(curve.form, i), {}};
    line.style.width = curve.form.starts_with("gpu_one_pass") ? 3 : line.style.width;
    for (const AamCurve::At& at : curve.at) {
      if (const std::optional<double> v = value(curve, at)) line.points.push_back({at.pixels, *v});
    }
    if (line.points.size() > 1) panel.lines.push_back(std::move(line));
  }
  if (panel.lines.empty()) return std::nullopt;
  std::move(paper.begin(), paper.end(), std::back_inserter(panel.lines));
  for (const Line& line : panel.lines) {
    for (const Point& point : line.points) {
      x.add(point.x);
      y.add(point.y);
    }
  }
  panel.x = log_axis("pixels of the texture", x.low, x.high, plain_tick);
  panel.y = log_axis(y_title, y.low, y.high, write);
  chart.figure.title += where(results);
  chart.figure.subtitle += "; " + std::to_string(growth.modes) + " modes" + quick_note(results);
  chart.figure.panels.push_back(std::move(panel));
  return chart;
}

template <class Value>
Line paper_line(const char* label, const Style& style, const Value& value) {
  Line line{label, style, {}};
  for (const PaperFit& fit : paper_fits())
    line.points.push_back({static_cast<double>(fit.pixels), value(fit)});
  return line;
}

}  // namespace

std::optional<Chart> aam_frames_chart(const Results& results, const std::vector<Grid>&) {
  const std::int64_t modes = aam_by_pixels(results).modes;
  Chart chart;
  chart.file = "aam_frames.svg";
  chart.caption = "the paper's figure 6: time against frames at five sizes";
  Range y;
  const auto forms = frames_by_form(results, modes);
  for (const char* form : {"cpu_literal", "gpu_literal", "gpu_one_pass"}) {
    const auto found = forms.find(form);
    if (found == forms.end()) continue;
    if (auto panel = frames_panel(form, found->second, chart.figure.panels.empty(), y))
      chart.figure.panels.push_back(*std::move(panel));
  }
  if (chart.figure.panels.empty()) return std::nullopt;
  for (Panel& panel : chart.figure.panels)
    panel.y = log_axis(std::string(panel.y.title), y.low, y.high, time_tick);
  chart.figure.title = "The paper's figure 6" + where(results);
  chart.figure.subtitle = "Time of the given number of frames, ten iterations each, lower is better; " +
                          std::to_string(modes) + " modes" + quick_note(results);
  return chart;
}

std::optional<Chart> aam_growth_chart(const Results& results, const std::vector<Grid>&) {
  const PaperFit& first = paper_fits().front();
  Chart chart;
  chart.file = "aam_growth.svg";
  chart.caption = "the paper's figure 7: growth of the time with the size, the paper's own beside ours";
  chart.figure.title = "The paper's figure 7";
  chart.figure.subtitle = "Time of a frame over that at 4096 pixels, lower is better";
  return size_chart(results, std::move(chart), "time over that at 4096 pixels", percent_tick,
                    {paper_line("the paper's CPU", paper_cpu_style,
                                [&](const PaperFit& fit) { return fit.cpu_ms / first.cpu_ms; }),
                     paper_line("the paper's GPU", paper_gpu_style,
                                [&](const PaperFit& fit) { return fit.gpu_ms / first.gpu_ms; })},
                    [&](const AamCurve& curve, const AamCurve::At& at) -> std::optional<double> {
                      const AamCurve::At& least = curve.at.front();
                      if (least.pixels != static_cast<double>(first.pixels)) return std::nullopt;
                      return at.us / least.us;
                    });
}

std::optional<Chart> aam_speed_up_chart(const Results& results, const std::vector<Grid>&) {
  Chart chart;
  chart.file = "aam_speed_up.svg";
  chart.caption = "the paper's figure 8: speed-up over the sequential form, the paper's own beside ours";
  chart.figure.title = "The paper's figure 8";
  chart.figure.subtitle =
      "Time of the sequential literal form on one core over that of the form, higher is better";
  return size_chart(results, std::move(chart), "speed-up over cpu_literal", plain_tick,
                    {paper_line("the paper: GPU over CPU", paper_gpu_style,
                                [](const PaperFit& fit) { return fit.cpu_ms / fit.gpu_ms; })},
                    [](const AamCurve& curve, const AamCurve::At& at) {
                      return curve.form == aam_baseline ? std::nullopt : at.speed_up;
                    });
}

}  // namespace triptych::report
