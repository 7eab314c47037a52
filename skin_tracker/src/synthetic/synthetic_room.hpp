// The background of the synthetic scene: a room in perspective with a window, a bookshelf, a plant, a wooden
// floor and a rug. None of its colours is similar to skin: blue is never far below red.
#pragma once

#include <triptych/core/pixel.hpp>

#include <cstdint>
#include <vector>

namespace triptych::skin_tracker::synthetic {

// width x height pixels, row by row.
std::vector<Rgb8> paint_room(int width, int height, std::uint64_t seed, int threads);

}  // namespace triptych::skin_tracker::synthetic
