#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cstdint>

#include "features/feature_kernels.hpp"
#include "features/features_math.hpp"
#include "features/gaussian_blur.hpp"

namespace triptych::aam_fit {

void gaussian_blur(ImageView<float> plane, float sigma_px, BlurScratch& scratch, int threads) {
  const std::int64_t width = plane.width(), height = plane.height();
  const std::int64_t radius = gaussian_radius(sigma_px);
  if (radius == 0 || plane.empty()) return;
  scratch.weights.resize(static_cast<std::size_t>(radius + 1));
  scratch.rows.resize(static_cast<std::size_t>(width * height));
  gaussian_weights(sigma_px, scratch.weights.data());
  const float* weights = scratch.weights.data();
  float* rows = scratch.rows.data();
  const FeatureKernels& kernels = feature_kernels();
  const auto taps = static_cast<std::size_t>(radius + 1);
  const std::int64_t chunks = (height + rows_per_chunk - 1) / rows_per_chunk, padded = width + 2 * radius;
  scratch.taps.resize(static_cast<std::size_t>(chunks) * 2 * taps);
  scratch.padded.resize(static_cast<std::size_t>(chunks * padded));
  // Along each row, its border repeated.
  parallel_chunks(height, rows_per_chunk, threads,
                  [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
                    float* line = scratch.padded.data() + chunk * padded;
                    const float** before = scratch.taps.data() + static_cast<std::size_t>(chunk) * 2 * taps;
                    const float** after = before + taps;
                    for (std::int64_t k = 1; k <= radius; ++k) {
                      before[k] = line + radius - k;
                      after[k] = line + radius + k;
                    }
                    for (std::int64_t y = begin; y < end; ++y) {
                      const float* in = plane.row(y).data();
                      std::fill_n(line, radius, in[0]);
                      std::copy_n(in, width, line + radius);
                      std::fill_n(line + radius + width, radius, in[width - 1]);
                      kernels.blend(line + radius, before, after, weights, radius, rows + y * width, width);
                    }
                  });
  // Down the columns.
  parallel_chunks(
      height, rows_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
        const float** before = scratch.taps.data() + static_cast<std::size_t>(chunk) * 2 * taps;
        const float** after = before + taps;
        for (std::int64_t y = begin; y < end; ++y) {
          for (std::int64_t k = 1; k <= radius; ++k) {
            before[k] = rows + std::max<std::int64_t>(y - k, 0) * width;
            after[k] = rows + std::min(y + k, height - 1) * width;
          }
          kernels.blend(rows + y * width, before, after, weights, radius, plane.row(y).data(), width);
        }
      });
}

}  // namespace triptych::aam_fit
