// The room behind the synthetic face: a box in perspective with a window, a shelf of books, a plant, planks
// and a rug. No colour in it is like skin: blue is never far below red.
#pragma once

#include <triptych/core/pixel.hpp>

#include <cstdint>
#include <vector>

namespace triptych::skin_tracker::synthetic {

// width x height pixels, row by row.
std::vector<Rgb8> paint_room(int width, int height, std::uint64_t seed, int threads);

}  // namespace triptych::skin_tracker::synthetic
