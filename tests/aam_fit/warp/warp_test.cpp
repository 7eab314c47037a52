// The warp's sampling against bilinear interpolation in double, at borders and beyond them.
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"
#include "warp/warp.hpp"
#include "warp/warp_math.hpp"

namespace triptych::aam_fit {
namespace {

// A picture of w x h floats in 0..255, rows pitch apart.
struct Picture {
  int w, h, pitch;
  std::vector<float> values;
  Picture(int width, int height, int row_pitch, std::uint64_t seed) : w(width), h(height), pitch(row_pitch) {
    values = test::random_values<float>(static_cast<std::int64_t>(pitch) * h, 0, 255, seed);
  }
  // By the formula: the image is extended by its border, and interpolated between the four nearest centres.
  double at(double x, double y) const {
    const auto pixel = [&](double i, double j) {
      const int column = std::clamp(static_cast<int>(i), 0, w - 1),
                row = std::clamp(static_cast<int>(j), 0, h - 1);
      return static_cast<double>(values[static_cast<std::size_t>(row) * static_cast<std::size_t>(pitch) +
                                        static_cast<std::size_t>(column)]);
    };
    x = std::clamp(x, -1e6, 1e6);
    y = std::clamp(y, -1e6, 1e6);
    const double i = std::floor(x), j = std::floor(y), u = x - i, v = y - j;
    return (1 - v) * ((1 - u) * pixel(i, j) + u * pixel(i + 1, j)) +
           v * ((1 - u) * pixel(i, j + 1) + u * pixel(i + 1, j + 1));
  }
};

TEST(Warp, SamplesLikeTheFormula) {
  for (const auto [w, h, pitch] : {std::array{1, 1, 1}, std::array{1, 9, 3}, std::array{17, 1, 17},
                                   std::array{31, 33, 40}, std::array{2, 2, 2}}) {
    const Picture picture(w, h, pitch, 7);
    constexpr int count = 2000;
    const auto xs = test::random_values<float>(count, -2.5f, static_cast<float>(w) + 1.5f, 11);
    const auto ys = test::random_values<float>(count, -2.5f, static_cast<float>(h) + 1.5f, 12);
    for (std::size_t k = 0; k < count; ++k) {
      const float x = xs[k], y = ys[k];
      const Sampled got = sample(picture.values.data(), w, h, pitch, x, y);
      // Three interpolations of values up to 255, each of which rounds three times: 9 * 255 * 2^-24.
      EXPECT_NEAR(got.value, picture.at(x, y), 1.4e-4) << x << ' ' << y << " of " << w << " x " << h;
      EXPECT_EQ(got.outside,
                x < 0 || y < 0 || x > static_cast<float>(w - 1) || y > static_cast<float>(h - 1));
    }
  }
}

TEST(Warp, TheBorderIsInsideAndWhatIsNoPlaceIsOutside) {
  const Picture picture(5, 4, 5, 3);
  const float* p = picture.values.data();
  EXPECT_FALSE(sample(p, 5, 4, 5, 0, 0).outside);
  EXPECT_FALSE(sample(p, 5, 4, 5, 4, 3).outside);
  EXPECT_EQ(sample(p, 5, 4, 5, 4, 3).value, p[19]);
  EXPECT_TRUE(sample(p, 5, 4, 5, std::nextafter(4.0f, 5.0f), 3).outside);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(sample(p, 5, 4, 5, nan, nan).outside);
  EXPECT_EQ(sample(p, 5, 4, 5, nan, nan).value, p[0]);
  EXPECT_TRUE(sample(p, 5, 4, 5, infinity, -infinity).outside);
  EXPECT_EQ(sample(p, 5, 4, 5, infinity, -infinity).value, p[4]);
  EXPECT_EQ(sample(p, 5, 4, 5, 1e30f, 1e30f).value, p[19]);
}

TEST(Warp, CountsPixelsOutsideOnceForAllChannels) {
  Planes planes(3, 3, 2);
  for (std::size_t i = 0; i < planes.values.size(); ++i) planes.values[i] = static_cast<float>(i);
  ReferenceFrame frame;
  frame.pixels = std::vector<WarpPixel>{{{0, 1, 2}, 0, 1, 0}, {{0, 1, 2}, 0, 0, 1}, {{0, 1, 2}, 0, 0, 0}};
  const std::vector<float> shape{1, 1, 5, 2, 0.5f, 1.5f};
  std::vector<float> texture(6);
  EXPECT_EQ(warp_cpu(planes.view(), frame, shape, texture), 1);
  EXPECT_EQ(texture, (std::vector<float>{4, 8, 5, 13, 17, 14}));
  texture.pop_back();
  EXPECT_ERROR(warp_cpu(planes.view(), frame, shape, texture), InvalidArgument, "3 pixels and 2 channels");
}

}  // namespace
}  // namespace triptych::aam_fit
