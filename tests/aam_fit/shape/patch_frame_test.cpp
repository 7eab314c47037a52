// Patches around landmarks: where their samples lie, and how they follow the shape.
#include <triptych/aam_fit/reference_frame.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::aam_fit {
namespace {

Shape scattered(int count) {
  const auto xs = test::random_values<double>(count, -0.5, 0.5, 7);
  const auto ys = test::random_values<double>(count, -0.6, 0.6, 8);
  Shape shape;
  for (std::size_t i = 0; i < xs.size(); ++i) shape.push_back({xs[i], ys[i]});
  return shape;
}

Point place_of(const WarpPixel& pixel, const Shape& shape) {
  const double a = double{pixel.a}, b = double{pixel.b};
  const Point p = shape[pixel.corners[0]], q = shape[pixel.corners[1]], r = shape[pixel.corners[2]];
  return {a * p.x + b * q.x + (1 - a - b) * r.x, a * p.y + b * q.y + (1 - a - b) * r.y};
}

// The samples of each landmark's patch: the first corner is the landmark.
std::map<int, std::vector<WarpPixel>> patches_of(const ReferenceFrame& frame) {
  std::map<int, std::vector<WarpPixel>> patches;
  for (const WarpPixel& pixel : frame.pixels) patches[pixel.corners[0]].push_back(pixel);
  return patches;
}

// Weights are floats of about 1: a sample may be off by some of their roundings times the shape's extent.
constexpr double rounding = 8 * 6e-8;

TEST(PatchFrame, SamplesLieOnASquareGridAroundEachLandmark) {
  for (const int side : {1, 3, 4}) {
    const Shape shape = scattered(11);
    const ReferenceFrame frame = make_patch_frame(shape, {.samples = side, .size = 0.2});
    EXPECT_EQ(frame.size(), 11 * side * side);
    const double step = 0.2 * face_size(shape) / side;
    EXPECT_NEAR(frame.scale, 1 / step, 1e-9);
    for (const auto& [landmark, samples] : patches_of(frame)) {
      ASSERT_EQ(samples.size(), static_cast<std::size_t>(side * side));
      for (int k = 0; k < side * side; ++k) {
        const Point centre = shape[static_cast<std::size_t>(landmark)];
        const Point p = place_of(samples[static_cast<std::size_t>(k)], shape);
        const int column = k % side, row = k / side;
        EXPECT_NEAR(p.x, centre.x + (column - (side - 1) / 2.0) * step, rounding) << landmark << " " << k;
        EXPECT_NEAR(p.y, centre.y + (row - (side - 1) / 2.0) * step, rounding) << landmark << " " << k;
      }
    }
  }
}

// A shape that is turned, scaled and moved takes the patches with it.
TEST(PatchFrame, PatchesTurnAndScaleWithTheShape) {
  const Shape shape = scattered(9);
  const ReferenceFrame frame = make_patch_frame(shape, {});
  const auto changed = [](Point p) { return Point{1.2 * p.x - 0.7 * p.y + 3, 0.7 * p.x + 1.2 * p.y - 2}; };
  Shape other = shape;
  for (Point& p : other) p = changed(p);
  for (const WarpPixel& pixel : frame.pixels) {
    const Point p = place_of(pixel, other), expected = changed(place_of(pixel, shape));
    EXPECT_NEAR(p.x, expected.x, 10 * rounding);
    EXPECT_NEAR(p.y, expected.y, 10 * rounding);
  }
}

// The middle of a patch is its landmark, wherever the others are.
TEST(PatchFrame, APatchMovesWithItsLandmark) {
  const Shape shape = scattered(9);
  const ReferenceFrame frame = make_patch_frame(shape, {.samples = 3, .size = 0.1});
  Shape moved = shape;
  moved[4].x += 0.25;
  moved[4].y -= 0.125;
  for (const auto& [landmark, samples] : patches_of(frame)) {
    const Point p = place_of(samples[4], moved);
    EXPECT_NEAR(p.x, moved[static_cast<std::size_t>(landmark)].x, rounding);
    EXPECT_NEAR(p.y, moved[static_cast<std::size_t>(landmark)].y, rounding);
  }
}

TEST(PatchFrame, PatchesDoNotTouchInTheRaster) {
  const ReferenceFrame frame = make_patch_frame(scattered(10), {.samples = 4});
  EXPECT_TRUE(std::is_sorted(frame.raster_indices.begin(), frame.raster_indices.end()));
  std::map<int, int> owners;
  for (std::int64_t i = 0; i < frame.size(); ++i)
    owners[frame.raster_indices[i]] = frame.pixels[i].corners[0];
  for (const auto& [place, owner] : owners) {
    EXPECT_LT(place, frame.width * frame.height);
    for (const int next : {place + 1, place + frame.width}) {
      const bool wraps = next == place + 1 && next % frame.width == 0;
      if (!wraps && owners.contains(next)) {
        EXPECT_EQ(owners[next], owner);
      }
    }
  }
}

TEST(PatchFrame, RefusesWhatHasNoPatches) {
  const Shape shape = scattered(5);
  EXPECT_ERROR(make_patch_frame(shape, {.samples = 0}), InvalidArgument, "not 0");
  EXPECT_ERROR(make_patch_frame(shape, {.samples = 65}), InvalidArgument, "not 65");
  EXPECT_ERROR(make_patch_frame(shape, {.size = 0}), InvalidArgument, "0 face sizes");
  EXPECT_ERROR(make_patch_frame(shape, {.size = 1.5}), InvalidArgument, "1.5");
  EXPECT_ERROR(make_patch_frame(shape, {.size = std::nan("")}), InvalidArgument, "nan");
  EXPECT_ERROR(make_patch_frame(Shape{}, {}), InvalidArgument, "points");
  EXPECT_ERROR(make_patch_frame(Shape{{0, 0}, {1, 0}}, {}), InvalidArgument, "three landmarks");
  EXPECT_ERROR(make_patch_frame(Shape{{0, 0}, {1, 1}, {3, 3}}, {}), InvalidArgument, "line");
  Shape far = shape;
  far[2].x = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(make_patch_frame(far, {}), InvalidArgument, "finite");
  EXPECT_ERROR(make_patch_frame(scattered(2000), {.samples = 64}), InvalidArgument, "too many");
}

}  // namespace
}  // namespace triptych::aam_fit
