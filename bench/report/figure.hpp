// A figure: panels side by side, each with axes, lines, their names, and the limits of the machine behind
// them.
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

// A horizontal line across the panel, named as the lines are.
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

struct Figure {
  std::string title;
  std::string subtitle;
  std::vector<Panel> panels;
};

// The SVG file.
std::string draw(const Figure& figure);

}  // namespace triptych::report
