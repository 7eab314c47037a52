// Starts far outside of a frame, and of absurd size: refused, or of bounded cost.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/prepare.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "aam_fit/tiny_model.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::tiny_model;

Face face_in(const Image<Grey8>& frame, const Model& model, const Box& box) {
  return {frame.view(), place_in_box(model.mean, box)};
}

TEST(StartLimits, AStartManyTimesAsLargeAsTheFrameIsRefused) {
  const Model model = tiny_model();
  Fitter fitter(model, {}, Device::cpu(1));
  const Image<Grey8> frame(640, 480);
  EXPECT_NO_THROW(fitter.step(face_in(frame, model, {-1000, -1000, 4000, 4000})));
  EXPECT_ERROR(fitter.step(face_in(frame, model, {-1e5, -1e5, 2e5, 2e5})), InvalidArgument, "start");
  EXPECT_ERROR(fitter.step(face_in(frame, model, {-1e6, -1e6, 2e6, 2e6})), InvalidArgument, "start");
  EXPECT_ERROR(fitter.step(face_in(frame, model, {1e9, 1e9, 100, 100})), InvalidArgument, "start");
  EXPECT_ERROR(fitter.step(face_in(frame, model, {0, 0, 1e-12, 1e-12})), InvalidArgument, "start");
}

// Landmark 3 has no pixel: the texture does not say that it is gone.
TEST(StartLimits, AFitWhoseLandmarkIsGoneIsLost) {
  Model model = tiny_model();
  model.points = 4;
  model.mean.push_back({0, 0});
  model.appearance = {};
  model.levels.resize(1);
  Level& level = model.levels[0];
  level.points = 4;
  level.s0 = std::vector<float>{-4, -4, 4, -4, 0, 4, 0, 0};
  level.Qs = std::vector<float>{0, 0, 0, 0, 0, 0, 3e38f, 3e38f};
  level.Ks = std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0};
  level.texture_determines_c = false;
  level.Qg = std::vector<float>(12);
  level.R = std::vector<float>(60);
  level.Ps = std::vector<float>(8, 0.1f);
  Image<Grey8> frame(60, 60);
  for (std::size_t i = 0; i < frame.pixels.size(); ++i)
    frame.pixels[i] = {static_cast<std::uint8_t>(i * i % 251)};
  Shape start = place_in_box(model.mean, {20, 20, 16, 16});
  start[1].x += 3;
  for (std::size_t i = 0; i < 12; ++i) {  // whatever the mean texture is, some of these resemble it
    std::vector<float> g0(12, -1.0f);
    g0[i] = 11;
    level.g0 = g0;
    for (const Algorithm algorithm : {Algorithm::regression, Algorithm::project_out}) {
      Fitter fitter(model, {.algorithm = algorithm}, Device::cpu(1));
      const Fit fit = fitter.step({frame.view(), start});
      for (const Point p : fit.landmarks) EXPECT_LT(std::hypot(p.x, p.y), 1e8);
    }
  }
}

TEST(StartLimits, ACropManyTimesAsLargeAsTheFrameIsRefused) {
  Planes planes;
  const Image<Grey8> frame(64, 48);
  EXPECT_NO_THROW(prepare_cpu(frame.view(), {16, 16, 64, -500, -500}, {}, planes, 1));
  EXPECT_ERROR(prepare_cpu(frame.view(), {16, 16, 1e5, 0, 0}, {}, planes, 1), InvalidArgument, "100000");
  EXPECT_ERROR(prepare_cpu(frame.view(), {16, 16, 1e300, 0, 0}, {}, planes, 1), InvalidArgument, "1e+300");
  EXPECT_ERROR(prepare_cpu(frame.view(), {16, 16, 1e-300, 0, 0}, {}, planes, 1), InvalidArgument, "1e-300");
  EXPECT_ERROR(prepare_cpu(frame.view(), {1 << 14, 1 << 14, 0.001, 0, 0}, {}, planes, 1), InvalidArgument,
               "16384 x 16384");
}

TEST(StartLimits, ACropOfAShapeThatIsNotFiniteIsRefused) {
  Level level = test::tiny_level();
  const Shape start{{0, 0}, {8, 0}, {4, 8}};
  EXPECT_ERROR(crop_for(level, start, std::numeric_limits<double>::quiet_NaN()), InvalidArgument, "margin");
  level.s0 = std::vector<float>{-1e30f, -1e30f, 1e30f, -1e30f, 0, 1e30f};
  EXPECT_ERROR(crop_for(level, start), InvalidArgument, "pixels");
  level.s0 = std::vector<float>{std::numeric_limits<float>::infinity(), 0, 0, 1, 1, 1};
  EXPECT_ERROR(crop_for(level, start), InvalidArgument, "finite");
  level.s0 = std::vector<float>{1, 2};
  EXPECT_ERROR(crop_for(level, start), InvalidArgument, "s0");
}

}  // namespace
}  // namespace triptych::aam_fit
