#include <algorithm>

#include "figure.hpp"
#include "labels.hpp"

namespace triptych::report {

namespace {

constexpr double top_margin = 66;  // title and subtitle
constexpr double bottom_margin = 54;
constexpr double left_margin = 74;
constexpr double right_margin = 14;
constexpr double swatch = 20;        // the length of the line before a label
constexpr double leader_width = 26;  // from the plot to the column of labels

class PanelDrawing {
 public:
  PanelDrawing(Svg& svg, const Panel& panel, const Box& frame) : svg_(svg), panel_(panel), frame_(frame) {
    constexpr std::size_t max_dots = 12;  // more would hide the lines
    dots_ = std::all_of(panel.lines.begin(), panel.lines.end(),
                        [](const Line& line) { return line.points.size() <= max_dots; });
  }

  void draw() {
    svg_.text({frame_.left, frame_.top - 10}, panel_.title, {13, ink, "start", true});
    if (panel_.floor) draw_floor();
    draw_axes();
    for (const Rule& rule : panel_.rules) {
      const double y = y_of(rule.at);
      svg_.line({frame_.left, y}, {frame_.right(), y}, {rule_colour, 1.6, "1 3"});
    }
    // Wide lines last: they matter most.
    std::vector<const Line*> order;
    for (const Line& line : panel_.lines) order.push_back(&line);
    std::stable_sort(order.begin(), order.end(),
                     [](const Line* a, const Line* b) { return a->style.width < b->style.width; });
    for (const Line* line : order) draw_line(*line);
    if (panel_.floor) draw_floor_label();
    draw_labels();
  }

 private:
  double x_of(double value) const { return frame_.left + panel_.x.position(value) * frame_.width; }
  double y_of(double value) const {
    return frame_.bottom() - std::clamp(panel_.y.position(value), 0.0, 1.0) * frame_.height;
  }
  std::vector<Point> in_px(const std::vector<Point>& points) const {
    std::vector<Point> result;
    result.reserve(points.size());
    for (const Point& point : points) result.push_back({x_of(point.x), y_of(point.y)});
    return result;
  }

  void draw_floor() {
    std::vector<Point> outline = in_px(panel_.floor->points);
    outline.insert(outline.begin(), {frame_.left, outline.front().y});
    outline.push_back({frame_.right(), outline.back().y});
    outline.push_back({frame_.right(), frame_.bottom()});
    outline.push_back({frame_.left, frame_.bottom()});
    svg_.area(outline, "#d5d9de");
  }

  void draw_floor_label() {
    svg_.text({frame_.right() - 10, frame_.bottom() - 12}, panel_.floor->label, {12, ink, "end"});
  }

  void draw_axes() {
    const Font font{12, soft_ink, "middle"};
    for (const Tick& tick : panel_.x.ticks) {
      const double x = x_of(tick.at);
      svg_.line({x, frame_.top}, {x, frame_.bottom()}, {grid_colour, 1});
      if (tick.power_of_2 >= 0) {
        svg_.power({x, frame_.bottom() + 19}, 2, tick.power_of_2, font);
      } else {
        svg_.text({x, frame_.bottom() + 19}, tick.text, font);
      }
    }
    for (const Tick& tick : panel_.y.ticks) {
      const double y = y_of(tick.at);
      svg_.line({frame_.left, y}, {frame_.right(), y}, {grid_colour, 1});
      svg_.text({frame_.left - 8, y + 4}, tick.text, {12, soft_ink, "end"});
    }
    svg_.line({frame_.left, frame_.bottom()}, {frame_.right(), frame_.bottom()}, {soft_ink, 1});
    svg_.text({frame_.left + frame_.width / 2, frame_.bottom() + 42}, panel_.x.title, {13, ink, "middle"});
    if (!panel_.y.title.empty()) {
      svg_.text({frame_.left - 56, frame_.top + frame_.height / 2}, panel_.y.title,
                {13, ink, "middle", false, true});
    }
  }

  void draw_line(const Line& line) {
    const std::vector<Point> points = in_px(line.points);
    if (points.size() > 1) svg_.path(points, {line.style.colour, line.style.width, line.style.dash});
    if (!dots_ && points.size() > 1) return;
    for (const Point& point : points) svg_.dot(point, line.style.width / 2 + 2, line.style.colour);
  }

  void draw_labels() {
    std::vector<LabelWish> wishes;
    std::vector<Style> styles;
    std::vector<std::vector<Point>> drawn;
    double last_x = frame_.left;
    for (const Line& line : panel_.lines) {
      drawn.push_back(in_px(line.points));
      last_x = std::max(last_x, drawn.back().back().x);
    }
    // With one size the ends are in the middle of the panel, and the labels go beside them.
    const bool ends_at_edge = last_x > frame_.left + 0.75 * frame_.width;
    const double right_end = ends_at_edge ? last_x - 1 : frame_.right();
    for (std::size_t i = 0; i < panel_.lines.size(); ++i) {
      if (panel_.lines[i].label.empty()) continue;
      wishes.push_back({panel_.lines[i].label, drawn[i].back(), drawn[i].back().x > right_end});
      styles.push_back(panel_.lines[i].style);
    }
    for (const Rule& rule : panel_.rules) {
      wishes.push_back({rule.label, {frame_.right(), y_of(rule.at)}, true});
      styles.push_back({rule_colour, 1.6, "1 3"});
      drawn.push_back({{frame_.left, y_of(rule.at)}, {frame_.right(), y_of(rule.at)}});
    }
    const double column = frame_.right() + leader_width;
    const std::vector<LabelPlace> places = place_labels(wishes, drawn, frame_, column + swatch);
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      const Point at = places[i].at;
      const Style& style = styles[i];
      if (places[i].in_column) {
        svg_.path({wishes[i].end, {frame_.right() + 4, wishes[i].end.y}, {column - 4, at.y}},
                  {style.colour, 0.8, "", 0.55});
        svg_.line({column - 4, at.y}, {column + swatch - 5, at.y}, {style.colour, style.width, style.dash});
      }
      svg_.text({at.x, at.y + 4}, wishes[i].text,
                {label_px, ink, "start", style.width > 3.5, false, !places[i].in_column});
    }
  }

  Svg& svg_;
  const Panel& panel_;
  Box frame_;
  bool dots_;
};

double column_width(const Panel& panel) {
  double width = 0;
  for (const Line& line : panel.lines) width = std::max(width, text_width(line.label, label_px));
  for (const Rule& rule : panel.rules) width = std::max(width, text_width(rule.label, label_px));
  return width > 0 ? leader_width + swatch + width : 0;
}

}  // namespace

Svg begin_figure(const Figure& figure, double width, double height) {
  Svg svg(width, height, figure.title + ". " + figure.subtitle);
  svg.text({20, 32}, figure.title, {18, ink, "start", true});
  svg.text({20, 52}, figure.subtitle, {13, soft_ink});
  return svg;
}

std::string draw(const Figure& figure) {
  if (figure.bars) return draw_bars(figure);
  const bool single = figure.panels.size() < 2;
  const double width = single ? 960 : 1120;
  std::size_t max_lines = 0;
  for (const Panel& panel : figure.panels) max_lines = std::max(max_lines, panel.lines.size());
  const double top = top_margin + (single ? 0 : 24);
  const double usual = !single ? 460 : max_lines > 8 ? 620 : 520;
  const double height =
      std::max(usual, top + bottom_margin + label_height * static_cast<double>(max_lines + 2));
  double frames = width - right_margin;  // what is left for the plots themselves
  for (const Panel& panel : figure.panels) frames -= left_margin + column_width(panel);
  Svg svg = begin_figure(figure, width, height);
  double left = 0;
  for (const Panel& panel : figure.panels) {
    const Box frame{left + left_margin, top,
                    std::max(120.0, frames / static_cast<double>(figure.panels.size())),
                    height - top - bottom_margin};
    PanelDrawing(svg, panel, frame).draw();
    left = frame.right() + column_width(panel);
  }
  return svg.finish();
}

}  // namespace triptych::report
