// Features and crops against their definitions, pixel by pixel in double.
#include <triptych/aam_fit/prepare.hpp>
#include <triptych/core/image.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "testing/aam_scene.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::aam_fit {
namespace {

using Values = std::vector<double>;

struct Size {
  int width, height;
};

double at(const Values& image, Size s, int x, int y) {
  return image[static_cast<std::size_t>(std::int64_t{std::clamp(y, 0, s.height - 1)} * s.width +
                                        std::clamp(x, 0, s.width - 1))];
}

// The Gaussian as one sum over the plane, cut off at three widths.
Values blurred(const Values& in, Size s, double sigma) {
  if (sigma == 0) return in;
  const int r = static_cast<int>(std::ceil(3 * sigma));
  Values out(in.size());
  for (int y = 0; y < s.height; ++y)
    for (int x = 0; x < s.width; ++x) {
      double sum = 0, weights = 0;
      for (int j = -r; j <= r; ++j)
        for (int i = -r; i <= r; ++i) {
          const double w = std::exp(-0.5 * (i * i + j * j) / (sigma * sigma));
          weights += w;
          sum += w * at(in, s, x + i, y + j);
        }
      out[static_cast<std::size_t>(std::int64_t{y} * s.width + x)] = sum / weights;
    }
  return out;
}

std::vector<Values> expected_features(const Values& grey, Size s, const Features& f) {
  const Values smooth = blurred(grey, s, double{f.smooth_px});
  if (f.kind == FeatureKind::grey) return {smooth};
  Values gx(grey.size()), gy(grey.size()), size(grey.size());
  double mean = 0;
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const int x = static_cast<int>(i) % s.width, y = static_cast<int>(i) / s.width;
    gx[i] = 0.5 * (at(smooth, s, x + 1, y) - at(smooth, s, x - 1, y));
    gy[i] = 0.5 * (at(smooth, s, x, y + 1) - at(smooth, s, x, y - 1));
    size[i] = std::hypot(gx[i], gy[i]);
    mean += size[i] / static_cast<double>(grey.size());
  }
  const Values around = f.local_px > 0 ? blurred(size, s, double{f.local_px}) : Values(grey.size(), mean);
  std::vector<Values> planes(static_cast<std::size_t>(channels(f)), Values(grey.size()));
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const double n = size[i] / (size[i] + around[i] + 0.5), angle = std::atan2(gy[i], gx[i]);
    if (f.kind == FeatureKind::orientation) {
      for (std::size_t k = 0; k < planes.size(); ++k)
        planes[k][i] = std::max(0.0, n * std::cos(angle - 2 * M_PI * static_cast<double>(k) / f.bins));
      continue;
    }
    planes[0][i] = n * std::cos(angle);
    planes[1][i] = n * std::sin(angle);
    if (f.kind == FeatureKind::double_angle) {
      planes[2][i] = n * std::cos(2 * angle);
      planes[3][i] = n * std::sin(2 * angle);
    }
  }
  for (Values& plane : planes) plane = blurred(plane, s, double{f.pool_px});
  return planes;
}

class FeaturesTest : public testing::TestWithParam<Features> {};

TEST_P(FeaturesTest, AreThoseOfTheFormula) {
  for (const Size s : {Size{37, 29}, Size{5, 40}, Size{2, 2}, Size{1, 1}}) {
    const auto values = test::random_values<float>(s.width * s.height, 0, 255, 7);
    const Values grey(values.begin(), values.end());
    Planes planes(s.width, s.height, channels(GetParam()));
    features_cpu({values.data(), s.width, s.height}, GetParam(), planes, 2);
    const std::vector<Values> expected = expected_features(grey, s, GetParam());
    // Sums of positive weights that add up to 1: a few dozen roundings of values up to 255 in the grey image,
    // which gradients of 0.5 and more divide; 2e-7 * 50 * 255 / 0.5 at worst, seen once in the grey alone.
    const double bound = GetParam().kind == FeatureKind::grey ? 255 * 2e-6 : 2e-4;
    for (int c = 0; c < planes.channels; ++c)
      for (std::size_t i = 0; i < grey.size(); ++i)
        ASSERT_NEAR(double{planes.values[static_cast<std::size_t>(c) * grey.size() + i]},
                    expected[static_cast<std::size_t>(c)][i], bound)
            << s.width << " x " << s.height << ", channel " << c << ", pixel " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, FeaturesTest,
    testing::Values(Features{}, Features{.smooth_px = 1.3f}, Features{.kind = FeatureKind::gradient},
                    Features{.kind = FeatureKind::gradient, .smooth_px = 0.7f, .local_px = 4, .pool_px = 1},
                    Features{.kind = FeatureKind::double_angle, .local_px = 2, .pool_px = 2},
                    Features{.kind = FeatureKind::orientation, .smooth_px = 0.5f, .bins = 6}));

TEST(Features, AreTheSameForAnyNumberOfThreads) {
  const auto values = test::random_values<float>(64 * 70, 0, 255, 3);
  const Features f{.kind = FeatureKind::double_angle, .smooth_px = 1, .local_px = 3, .pool_px = 1};
  Planes one(64, 70, 4), four(64, 70, 4);
  features_cpu({values.data(), 64, 70}, f, one, 1);
  features_cpu({values.data(), 64, 70}, f, four, 4);
  EXPECT_EQ(one.values, four.values);
}

TEST(Features, RefuseWhatDoesNotFit) {
  Planes planes(4, 4, 1);
  const std::vector<float> values(16);
  const ImageView<const float> grey(values.data(), 4, 4);
  EXPECT_ERROR(features_cpu(grey, {.kind = FeatureKind::gradient}, planes, 1), InvalidArgument, "4 x 4 x 2");
  EXPECT_ERROR(features_cpu(grey, {.smooth_px = -1}, planes, 1), InvalidArgument, "-1");
  EXPECT_ERROR(features_cpu(grey, {.smooth_px = std::nanf("")}, planes, 1), InvalidArgument,
               "between 0 and 100");
  EXPECT_ERROR(features_cpu(grey, {.bins = 99}, planes, 1), InvalidArgument, "99");
  EXPECT_ERROR(parse_feature_kind("edges"), InvalidArgument, "double_angle");
  for (const auto kind :
       {FeatureKind::grey, FeatureKind::gradient, FeatureKind::double_angle, FeatureKind::orientation})
    EXPECT_EQ(parse_feature_kind(to_string(kind)), kind);
}

Image<Grey8> random_image(int width, int height) {
  Image<Grey8> image(width, height);
  const auto values = test::random_values<std::uint8_t>(std::int64_t{width} * height, 0, 255, 5);
  std::transform(values.begin(), values.end(), image.pixels.begin(), [](std::uint8_t v) { return Grey8{v}; });
  return image;
}

// The mean of the frame, its border repeated, under the pixel's box, by adding up the overlaps of all pixels.
double box_mean(const Image<Grey8>& frame, const Crop& crop, int x, int y) {
  const double half = 0.5 * std::max(1.0, crop.step);
  const auto overlap = [&](double centre, int i) {
    return std::max(0.0, std::min(centre + half, i + 0.5) - std::max(centre - half, i - 0.5)) / (2 * half);
  };
  const Point c = to_frame(crop, {double(x), double(y)});
  double sum = 0;
  for (int j = static_cast<int>(std::floor(c.y - half)) - 1; j <= static_cast<int>(std::ceil(c.y + half)) + 1;
       ++j)
    for (int i = static_cast<int>(std::floor(c.x - half)) - 1;
         i <= static_cast<int>(std::ceil(c.x + half)) + 1; ++i) {
      const auto u = std::clamp<std::int64_t>(i, 0, frame.width - 1);
      const auto v = std::clamp<std::int64_t>(j, 0, frame.height - 1);
      sum += overlap(c.x, i) * overlap(c.y, j) * frame.view().at(u, v).v;
    }
  return sum;
}

TEST(Prepare, AveragesTheFrameUnderEachPixel) {
  const Image<Grey8> frame = random_image(61, 47);
  for (const Crop& crop :
       {Crop{20, 18, 1, 3, 5}, Crop{16, 22, 2.3, -4.2, 1.7}, Crop{30, 12, 0.4, 40.3, 30.1},
        Crop{10, 10, 7.77, -30, -20}, Crop{8, 8, 1, -100, 200}, Crop{2, 2, 1.5, 59.9, 46}}) {
    Planes planes;
    prepare_cpu(frame.view(), crop, {}, planes, 2);
    ASSERT_EQ(planes.width, crop.width);
    ASSERT_EQ(planes.height, crop.height);
    ASSERT_EQ(planes.channels, 1);
    for (int y = 0; y < crop.height; ++y)
      for (int x = 0; x < crop.width; ++x)
        // Two sums of up to 9 weighted values up to 255 in float, weights rounded once.
        ASSERT_NEAR(double{planes.values[static_cast<std::size_t>(std::int64_t{y} * crop.width + x)]},
                    box_mean(frame, crop, x, y), 255 * 20 * 6e-8)
            << crop.step << ": " << x << ", " << y;
  }
}

TEST(Prepare, GivesTheFeaturesOfTheCrop) {
  const Image<Grey8> frame = random_image(50, 50);
  const Crop crop{24, 20, 1.5, 2, 3};
  const Features f{.kind = FeatureKind::gradient, .smooth_px = 1, .local_px = 3};
  Planes grey, planes, expected(24, 20, 2);
  prepare_cpu(frame.view(), crop, {}, grey, 1);
  prepare_cpu(frame.view(), crop, f, planes, 3);
  features_cpu({grey.values.data(), 24, 20}, f, expected, 1);
  EXPECT_EQ(planes.values, expected.values);
}

TEST(Prepare, CropsSoThatTheFaceHasTheLevelsSize) {
  const auto scene = test::make_aam_scene({.pixels = 2500, .modes = 2});
  const Level& level = scene.level;
  Shape mean;
  for (int i = 0; i < level.points; ++i)
    mean.push_back({double{level.s0[2 * i]}, double{level.s0[2 * i + 1]}});
  const Similarity pose{1.1, 0.4, 300, 200};
  const Shape start = posed(pose, mean);
  const Crop crop = crop_for(level, start, 0.5);
  EXPECT_EQ(crop.width % 2, 0);
  EXPECT_NEAR(crop.width, 2 * level.face_size_px, 3);
  Shape inside;
  for (const Point p : start) inside.push_back(to_crop(crop, p));
  const Similarity there = align(mean, inside);
  EXPECT_NEAR(std::hypot(1 + there.sx, there.sy), 1, 1e-12);
  const Box box = bounds(inside);
  EXPECT_NEAR(box.x + box.width / 2, (crop.width - 1) / 2.0, 1e-9);
  EXPECT_NEAR(box.y + box.height / 2, (crop.height - 1) / 2.0, 1e-9);
  const Point back = to_frame(crop, inside[3]);
  EXPECT_NEAR(back.x, start[3].x, 1e-9);
  EXPECT_NEAR(back.y, start[3].y, 1e-9);
  // Another start: the same size.
  const Crop other = crop_for(level, posed(Similarity{-0.5, 0, 10, 10}, mean), 0.5);
  EXPECT_EQ(other.width, crop.width);
  EXPECT_EQ(other.height, crop.height);
  EXPECT_NEAR(other.step, 0.5, 1e-12);
}

TEST(Prepare, RefusesWhatHasNoCrop) {
  const auto scene = test::make_aam_scene({.pixels = 100, .modes = 1});
  Planes planes;
  const Image<Grey8> frame = random_image(20, 20);
  EXPECT_ERROR(prepare_cpu({}, {4, 4, 1, 0, 0}, {}, planes, 1), InvalidArgument, "empty frame");
  EXPECT_ERROR(prepare_cpu(frame.view(), {0, 4, 1, 0, 0}, {}, planes, 1), InvalidArgument, "0 x 4");
  EXPECT_ERROR(prepare_cpu(frame.view(), {4, 4, 0, 0, 0}, {}, planes, 1), InvalidArgument, "too far");
  EXPECT_ERROR(prepare_cpu(frame.view(), {4, 4, 1, NAN, 0}, {}, planes, 1), InvalidArgument, "too far");
  EXPECT_ERROR(crop_for(scene.level, Shape(68, {3, 4}), 0.5), InvalidArgument, "point");
  EXPECT_ERROR(crop_for(scene.level, Shape(67, {3, 4}), 0.5), InvalidArgument, "67");
}

}  // namespace
}  // namespace triptych::aam_fit
