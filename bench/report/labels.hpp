// Where the names of the lines go, so that none overlaps another: beside the end of the line where there is
// room, else in a column right of the plot, joined to the end by a thin line.
#pragma once

#include <string>
#include <vector>

#include "svg.hpp"

namespace triptych::report {

struct LabelWish {
  std::string text;
  Point end;         // of the line, within the frame
  bool last = true;  // the line runs to the right edge: the label belongs into the column
};

struct LabelPlace {
  Point at;  // left end of the text, half its height up
  bool in_column = true;
};

constexpr double label_px = 12;
constexpr double label_height = 14.5;

// lines: already drawn in the frame. The result has the order of the wishes.
std::vector<LabelPlace> place_labels(const std::vector<LabelWish>& wishes,
                                     const std::vector<std::vector<Point>>& lines, const Box& frame,
                                     double column_x);

// Moves ascending positions as little as need be so that neighbours are gap apart and all lie in low..high
// (the gap shrinks where they do not fit).
std::vector<double> spread_out(const std::vector<double>& wanted, double gap, double low, double high);

}  // namespace triptych::report
