// The kernels of the features against sums in double, on every path, for rows of any width.
#include <triptych/core/simd/dispatch.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "features/feature_kernels.hpp"
#include "features/features_math.hpp"

namespace triptych::aam_fit {
namespace {

constexpr double eps = std::numeric_limits<float>::epsilon();
constexpr std::int64_t widths[] = {1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 67, 100};
constexpr float guard = -77.0f;

std::vector<float> values(std::int64_t count, int seed) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back(128.0f + 120.0f * std::sin(static_cast<float>(i * i % 101) + static_cast<float>(seed)));
  return all;
}

TEST(FeatureKernels, BlendIsTheWeightedSum) {
  constexpr std::int64_t radius = 6;
  const std::vector<float> weights = {0.3f, 0.2f, 0.08f, 0.04f, 0.02f, 0.007f, 0.003f};
  for (const CpuPath path : simd::available_paths())
    for (const std::int64_t width : widths) {
      const std::vector<float> in = values(width + 2 * radius, 1);
      const float* centre = in.data() + radius;
      const float *before[radius + 1] = {}, *after[radius + 1] = {};
      for (std::int64_t k = 1; k <= radius; ++k) before[k] = centre - k, after[k] = centre + k;
      std::vector<float> out(static_cast<std::size_t>(width) + 1, guard);
      feature_kernels(path).blend(centre, before, after, weights.data(), radius, out.data(), width);
      for (std::int64_t x = 0; x < width; ++x) {
        double sum = double{weights[0]} * double{centre[x]};
        for (std::int64_t k = 1; k <= radius; ++k)
          sum += double{weights[static_cast<std::size_t>(k)]} * (double{before[k][x]} + double{after[k][x]});
        // Three roundings for each pair of taps, of terms that add up to 255 at most.
        EXPECT_NEAR(double{out[static_cast<std::size_t>(x)]}, sum, 3 * (radius + 1) * eps * 255)
            << to_string(path) << ", " << width << ", " << x;
      }
      EXPECT_EQ(out.back(), guard);
    }
}

// A row with its neighbours, and the expected values of each pixel.
struct Rows {
  explicit Rows(std::int64_t width)
      : above(values(width, 2)), row(values(width, 3)), below(values(width, 4)), local(values(width, 5)) {}

  FeatureRows view() const {
    return {above.data(), row.data(), below.data(), static_cast<std::int64_t>(row.size())};
  }
  float across(std::size_t x) const {
    return half_difference(row[x > 0 ? x - 1 : x], row[x + 1 < row.size() ? x + 1 : x]);
  }
  float down(std::size_t x) const { return half_difference(above[x], below[x]); }

  std::vector<float> above, row, below, local;
};

TEST(FeatureKernels, SizesAreThoseOfEachPixel) {
  for (const CpuPath path : simd::available_paths())
    for (const std::int64_t width : widths) {
      const Rows rows(width);
      std::vector<float> out(static_cast<std::size_t>(width) + 1, guard);
      feature_kernels(path).sizes(rows.view(), out.data());
      for (std::size_t x = 0; x < rows.row.size(); ++x)
        EXPECT_NEAR(double{out[x]}, double{gradient_size(rows.across(x), rows.down(x))}, 4 * eps * 255)
            << to_string(path) << ", " << width << ", " << x;
      EXPECT_EQ(out.back(), guard);
    }
}

TEST(FeatureKernels, ChannelsAreThoseOfEachPixel) {
  for (const CpuPath path : simd::available_paths())
    for (const std::int64_t width : widths)
      for (const int channels : {2, 4}) {
        const Rows rows(width);
        const auto size = static_cast<std::size_t>(width);
        std::vector<std::vector<float>> out(4, std::vector<float>(size + 1, guard));
        float* to[] = {out[0].data(), out[1].data(), out[2].data(), out[3].data()};
        feature_kernels(path).channels(rows.view(), rows.local.data(), channels, to);
        const FeatureKind kind = channels == 4 ? FeatureKind::double_angle : FeatureKind::gradient;
        for (std::size_t x = 0; x < size; ++x)
          gradient_features(kind, 0, {}, rows.across(x), rows.down(x), rows.local[x], [&](int c, float v) {
            // Values up to 1, of no more than 16 roundings.
            EXPECT_NEAR(double{out[static_cast<std::size_t>(c)][x]}, double{v}, 16 * eps)
                << to_string(path) << ", " << width << ", " << x;
          });
        for (int c = 0; c < 4; ++c) {
          EXPECT_EQ(out[static_cast<std::size_t>(c)].back(), guard);
          EXPECT_EQ(out[static_cast<std::size_t>(c)].front() == guard, c >= channels);
        }
      }
}

}  // namespace
}  // namespace triptych::aam_fit
