// A figure: panels side by side, each with axes, lines, their names, and the limits of the machine behind
// them; or bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axis.hpp"
#include "style.hpp"
#include "svg.hpp"

namespace triptych::report {

struct Line {
  std::string label;  // "" for none
  Style style;
  std::vector<Point> points;  // in the units of the axes, ascending in x; never empty
};

// A straight line across the panel, horizontal where there are lines, and named as they are.
struct Rule {
  double at = 0;
  std::string label;
};

// Grey, from the curve down to the axis: what no program can reach.
struct Floor {
  std::vector<Point> points;
  std::string label;
};

struct Panel {
  std::string title;  // "" for none
  Axis x;
  Axis y;
  std::vector<Line> lines;
  std::vector<Rule> rules;
  std::optional<Floor> floor;
};

struct Bar {
  double value = 1;
  std::string colour;
  std::string text;  // beside its end
};

// Bars one below the other that share a name.
struct BarRow {
  std::string label;
  std::vector<Bar> bars;
};

struct BarGroup {
  std::string title;
  std::vector<BarRow> rows;
};

struct ColourKey {
  std::string label;
  std::string colour;
};

// Bars from the left edge, in groups from the top; rules are upright.
struct BarPanel {
  Axis x;
  std::vector<ColourKey> keys;
  std::vector<BarGroup> groups;
  std::vector<Rule> rules;
};

struct Figure {
  std::string title;
  std::string subtitle;
  std::vector<Panel> panels;
  std::optional<BarPanel> bars = {};  // instead of the panels
};

// The SVG file.
std::string draw(const Figure& figure);

// Parts of draw(): the page with its two lines of text; the file of a figure of bars.
Svg begin_figure(const Figure& figure, double width, double height);
std::string draw_bars(const Figure& figure);

}  // namespace triptych::report
