// From pixels counted in the cells of a colour grid to the share of skin in each.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>

#include <vector>

namespace triptych::skin_tracker {

struct CellCount {
  double other = 0, skin = 0;  // pixels
};

// Of (2^bits)^3 cells, red major, then green, then blue. Each cell's share is drawn towards that of the eight
// times larger cell around it as by one more pixel; an empty cell has the share of the larger one. Colours in
// an eighth of the cube without any pixel are no skin.
HistogramRatio shares_of(int bits, std::vector<CellCount> cells);

}  // namespace triptych::skin_tracker
