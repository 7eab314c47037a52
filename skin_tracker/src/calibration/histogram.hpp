// The share of skin in each cell of a colour grid, from pixel counts.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>

#include <vector>

namespace triptych::skin_tracker {

struct CellCount {
  double other = 0, skin = 0;  // pixels
};

// For (2^bits)^3 cells, red major, then green, then blue. The prior of a cell is the share of the cell of
// twice the side that contains it, with the weight of one pixel; an empty cell has the share of the larger
// cell. Colours in an octant of the cube without any pixel have share 0.
HistogramRatio shares_of(int bits, std::vector<CellCount> cells);

}  // namespace triptych::skin_tracker
