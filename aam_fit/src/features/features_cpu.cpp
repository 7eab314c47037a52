// Features of a grey image on the CPU.
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cstdint>

#include "features/feature_kernels.hpp"
#include "features/features_cpu.hpp"
#include "features/features_math.hpp"

namespace triptych::aam_fit {

namespace {

// body(y, rows) for every row.
template <class Body>
void each_row(const float* grey, std::int64_t width, std::int64_t height, int threads, Body body) {
  parallel_chunks(height, rows_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (std::int64_t y = begin; y < end; ++y)
      body(y, FeatureRows{grey + std::max<std::int64_t>(y - 1, 0) * width, grey + y * width,
                          grey + std::min(y + 1, height - 1) * width, width});
  });
}

// The channels of FeatureKind::orientation in one row of the planes.
void put_orientations(const FeatureRows& rows, int bins, const BinDirections& directions,
                      const float* local_mean, float* out, std::int64_t plane) {
  for (std::int64_t x = 0; x < rows.width; ++x)
    gradient_features(FeatureKind::orientation, bins, directions,
                      half_difference(rows.row[std::max<std::int64_t>(x - 1, 0)],
                                      rows.row[std::min(x + 1, rows.width - 1)]),
                      half_difference(rows.above[x], rows.below[x]), local_mean[x],
                      [&](int channel, float v) { out[channel * plane + x] = v; });
}

// The mean over the whole image, row after row, in double.
float mean_of(const std::vector<float>& values, std::int64_t width) {
  double sum = 0;
  for (auto row = values.begin(); row != values.end(); row += width) {
    double part = 0;
    for (auto v = row; v != row + width; ++v) part += double{*v};
    sum += part;
  }
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

}  // namespace

void features_cpu(ImageView<const float> grey, const Features& features, Planes& planes,
                  FeatureScratch& scratch, int threads) {
  check_features(features);
  const std::int64_t width = grey.width(), height = grey.height();
  require(planes.width == width && planes.height == height && planes.channels == channels(features) &&
              planes.values.size() ==
                  static_cast<std::size_t>(width * height) * static_cast<std::size_t>(planes.channels),
          "planes of ", planes.width, " x ", planes.height, " x ", planes.channels,
          " cannot take features of ", width, " x ", height, " x ", channels(features));
  if (grey.empty()) return;
  const auto size = static_cast<std::size_t>(width * height);
  scratch.grey.resize(size);
  for (std::int64_t y = 0; y < height; ++y)
    std::copy_n(grey.row(y).data(), width, scratch.grey.data() + y * width);
  gaussian_blur({scratch.grey.data(), width, height}, features.smooth_px, scratch.blur, threads);
  if (features.kind == FeatureKind::grey) {
    std::copy(scratch.grey.begin(), scratch.grey.end(), planes.values.begin());
    return;
  }

  scratch.local_mean.resize(size);
  float* local_mean = scratch.local_mean.data();
  const FeatureKernels& kernels = feature_kernels();
  each_row(scratch.grey.data(), width, height, threads,
           [&](std::int64_t y, const FeatureRows& rows) { kernels.sizes(rows, local_mean + y * width); });
  if (features.local_px > 0)
    gaussian_blur({local_mean, width, height}, features.local_px, scratch.blur, threads);
  else
    std::fill(scratch.local_mean.begin(), scratch.local_mean.end(), mean_of(scratch.local_mean, width));

  const BinDirections directions = bin_directions(features.bins);
  float* out = planes.values.data();
  const auto plane = static_cast<std::int64_t>(size);
  each_row(scratch.grey.data(), width, height, threads, [&](std::int64_t y, const FeatureRows& rows) {
    const std::int64_t at = y * width;
    if (features.kind == FeatureKind::orientation) {
      put_orientations(rows, features.bins, directions, local_mean + at, out + at, plane);
      return;
    }
    float* to[4] = {};
    for (int c = 0; c < planes.channels; ++c) to[c] = out + c * plane + at;
    kernels.channels(rows, local_mean + at, planes.channels, to);
  });
  for (int c = 0; c < planes.channels; ++c)
    gaussian_blur(planes.plane(c), features.pool_px, scratch.blur, threads);
}

void features_cpu(ImageView<const float> grey, const Features& features, Planes& planes, int threads) {
  FeatureScratch scratch;
  features_cpu(grey, features, planes, scratch, threads);
}

}  // namespace triptych::aam_fit
