#include <algorithm>

#include "figure.hpp"

namespace triptych::report {

namespace {

constexpr double page_width = 960;
constexpr double top_margin = 94;   // title, subtitle, keys
constexpr double rule_margin = 20;  // names of the rules
constexpr double bottom_margin = 58;
constexpr double side_margin = 20;
constexpr double group_height = 30;  // of a group's title
constexpr double row_gap = 7;
constexpr double bar_height = 10;
constexpr double bar_pitch = 11.5;
constexpr double text_px = 10.5;
constexpr double label_px = 12;
constexpr double title_px = 13;

double height_of(const BarRow& row) {
  return bar_pitch * std::max(1.4, static_cast<double>(row.bars.size())) + row_gap;
}

double top_of(const BarPanel& panel) { return top_margin + (panel.rules.empty() ? 0 : rule_margin); }

double height_of(const BarPanel& panel) {
  double height = row_gap;
  for (const BarGroup& group : panel.groups) {
    height += group_height;
    for (const BarRow& row : group.rows) height += height_of(row);
  }
  return height;
}

class BarDrawing {
 public:
  BarDrawing(Svg& svg, const BarPanel& panel) : svg_(svg), panel_(panel) {
    double labels = 0;
    double texts = 0;
    for (const BarGroup& group : panel.groups) {
      labels = std::max(labels, text_width(group.title, title_px));
      for (const BarRow& row : group.rows) {
        labels = std::max(labels, text_width(row.label, label_px));
        for (const Bar& bar : row.bars) texts = std::max(texts, text_width(bar.text, text_px));
      }
    }
    const double left = side_margin + labels + 10;
    frame_ = {left, top_of(panel), page_width - side_margin - texts - left, height_of(panel)};
  }

  void draw() {
    draw_keys();
    draw_axis();
    for (const Rule& rule : panel_.rules) draw_rule(rule);
    double top = frame_.top + row_gap / 2;
    for (const BarGroup& group : panel_.groups) {
      svg_.text({side_margin, top + group_height - 10}, group.title, {title_px, ink, "start", true});
      top += group_height;
      for (const BarRow& row : group.rows) {
        draw_row(row, top);
        top += height_of(row);
      }
    }
    svg_.line({frame_.left, frame_.top}, {frame_.left, frame_.bottom()}, {soft_ink, 1});
  }

 private:
  double x_of(double value) const {
    return frame_.left + std::clamp(panel_.x.position(value), 0.0, 1.0) * frame_.width;
  }

  void draw_keys() {
    double left = side_margin;
    for (const ColourKey& key : panel_.keys) {
      svg_.rectangle({left, 69, 12, bar_height}, key.colour, {"none", 0});
      svg_.text({left + 18, 78}, key.label, {label_px, ink});
      left += 18 + text_width(key.label, label_px) + 16;
    }
  }

  void draw_axis() {
    for (const Tick& tick : panel_.x.ticks) {
      const double x = x_of(tick.at);
      svg_.line({x, frame_.top}, {x, frame_.bottom()}, {grid_colour, 1});
      svg_.text({x, frame_.bottom() + 19}, tick.text, {12, soft_ink, "middle"});
    }
    svg_.text({frame_.left + frame_.width / 2, frame_.bottom() + 42}, panel_.x.title, {13, ink, "middle"});
  }

  void draw_rule(const Rule& rule) {
    const double x = x_of(rule.at);
    const double half = text_width(rule.label, label_px) / 2;
    const double middle = std::clamp(x, side_margin + half, page_width - side_margin - half);
    svg_.line({x, frame_.top - 6}, {x, frame_.bottom()}, {rule_colour, 1.6, "1 3"});
    svg_.text({middle, frame_.top - 11}, rule.label, {label_px, soft_ink, "middle"});
  }

  void draw_row(const BarRow& row, double top) {
    const double inner = height_of(row) - row_gap;
    svg_.text({frame_.left - 8, top + inner / 2 + 4}, row.label, {label_px, ink, "end"});
    double y = top + (inner - bar_pitch * static_cast<double>(row.bars.size())) / 2;
    for (const Bar& bar : row.bars) {
      const double end = x_of(bar.value);
      svg_.rectangle({frame_.left, y, end - frame_.left, bar_height}, bar.colour, {"none", 0});
      svg_.text({end + 5, y + bar_height - 1.5}, bar.text, {text_px, ink, "start", false, false, true});
      y += bar_pitch;
    }
  }

  Svg& svg_;
  const BarPanel& panel_;
  Box frame_;
};

}  // namespace

std::string draw_bars(const Figure& figure) {
  Svg svg = begin_figure(figure, page_width, top_of(*figure.bars) + height_of(*figure.bars) + bottom_margin);
  BarDrawing(svg, *figure.bars).draw();
  return svg.finish();
}

}  // namespace triptych::report
