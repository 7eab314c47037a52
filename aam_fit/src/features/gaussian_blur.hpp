// A Gaussian on a plane of floats, in place, with its scratch kept from call to call.
#pragma once

#include <triptych/core/image_view.hpp>

#include <cstdint>
#include <vector>

namespace triptych::aam_fit {

// Rows of a plane that are worth handing to a thread.
inline constexpr std::int64_t rows_per_chunk = 16;

struct BlurScratch {
  std::vector<float> weights, rows;
  // Of each chunk of rows.
  std::vector<float> padded;       // a row with its border
  std::vector<const float*> taps;  // on either side of the centre
};

// Taps reach three widths to each side; the border repeats. sigma_px 0: nothing. A pixel's sum has a fixed
// order.
void gaussian_blur(ImageView<float> plane, float sigma_px, BlurScratch& scratch, int threads);

}  // namespace triptych::aam_fit
