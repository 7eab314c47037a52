#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cstdint>

#include "features/features_math.hpp"
#include "features/gaussian_blur.hpp"

namespace triptych::aam_fit {

namespace {

// Taps along the row, into `out`. Between the borders the loop over x is innermost, so that it vectorises.
void blur_row(const float* in, float* out, std::int64_t width, const float* weights, std::int64_t radius) {
  for (std::int64_t x = 0; x < width; ++x) out[x] = weights[0] * in[x];
  for (std::int64_t k = 1; k <= radius; ++k) {
    const float w = weights[k];
    const std::int64_t inner = std::max(k, width - k), edge = std::min(k, width);
    for (std::int64_t x = 0; x < edge; ++x) out[x] += w * (in[0] + in[std::min(x + k, width - 1)]);
    for (std::int64_t x = k; x < width - k; ++x) out[x] += w * (in[x - k] + in[x + k]);
    for (std::int64_t x = inner; x < width; ++x) out[x] += w * (in[x - k] + in[width - 1]);
  }
}

}  // namespace

void gaussian_blur(ImageView<float> plane, float sigma_px, BlurScratch& scratch, int threads) {
  const std::int64_t width = plane.width(), height = plane.height();
  const std::int64_t radius = gaussian_radius(sigma_px);
  if (radius == 0 || plane.empty()) return;
  scratch.weights.resize(static_cast<std::size_t>(radius + 1));
  scratch.rows.resize(static_cast<std::size_t>(width * height));
  gaussian_weights(sigma_px, scratch.weights.data());
  const float* weights = scratch.weights.data();
  float* rows = scratch.rows.data();
  parallel_chunks(height, rows_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (std::int64_t y = begin; y < end; ++y)
      blur_row(plane.row(y).data(), rows + y * width, width, weights, radius);
  });
  parallel_chunks(height, rows_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (std::int64_t y = begin; y < end; ++y) {
      float* out = plane.row(y).data();
      const float* centre = rows + y * width;
      for (std::int64_t x = 0; x < width; ++x) out[x] = weights[0] * centre[x];
      for (std::int64_t k = 1; k <= radius; ++k) {
        const float w = weights[k];
        const float* above = rows + std::max<std::int64_t>(y - k, 0) * width;
        const float* below = rows + std::min(y + k, height - 1) * width;
        for (std::int64_t x = 0; x < width; ++x) out[x] += w * (above[x] + below[x]);
      }
    }
  });
}

}  // namespace triptych::aam_fit
