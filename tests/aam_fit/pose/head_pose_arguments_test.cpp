// Bad arguments of head poses: each is refused by name.
#include <triptych/aam_fit/head_pose.hpp>
#include <triptych/core/philox.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/refusals.hpp"

namespace triptych::aam_fit {
namespace {

using test::expect_refusals;
using test::Refusal;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
const PinholeCamera camera{500, 160, 120};

Shape face() {
  HeadPose pose;
  pose.camera_from_head = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  pose.z_m = 0.5;
  Shape shape;
  for (const Point3& p : mean_face_68()) shape.push_back(project(pose, camera, p));
  return shape;
}
Shape with(std::size_t i, Point p) {
  Shape shape = face();
  shape[i] = p;
  return shape;
}

TEST(HeadPoseArguments, OfEstimates) {
  Shape line(68), point(68, {50, 50}), tiny(68), flat(68);
  for (std::size_t i = 0; i < 68; ++i) {
    line[i] = {static_cast<double>(i), 2.0 * static_cast<double>(i)};
    flat[i] = {static_cast<double>(i), 7};
    tiny[i] = {50 + face()[i].x * 1e-4, 50 + face()[i].y * 1e-4};
  }
  const auto landmarks = [](const Shape& shape) { return [=] { estimate_head_pose(shape, camera); }; };
  const auto seen_by = [](const PinholeCamera& c) { return [=] { estimate_head_pose(face(), c); }; };
  const auto length = [](double deviation) {
    return [=] { estimate_head_pose(face(), camera, {.length_deviation = deviation}); };
  };
  const auto weights = [](const std::vector<double>& w) {
    return [=] { estimate_head_pose(face(), camera, {.weights = w}); };
  };
  const auto reference = [](const std::vector<Point3>& r) {
    return [=] { estimate_head_pose(face(), r, camera); };
  };
  std::vector<Point3> plane(68), undefined(mean_face_68().begin(), mean_face_68().end()), same(68);
  for (std::size_t i = 0; i < 68; ++i) plane[i] = {mean_face_68()[i].x, mean_face_68()[i].y, 0.01};
  undefined[3].z = nan;
  std::vector<double> few(68, 0.0), negative(68, 1.0), infinite(68, 1.0);
  few[0] = few[20] = few[30] = 1;
  negative[5] = -1;
  infinite[5] = inf;
  const Refusal refusals[] = {
      {"no landmarks", landmarks({}), "landmarks"},
      {"58 landmarks", landmarks(Shape(58)), "not 58"},
      {"a landmark of NaN", landmarks(with(40, {nan, 1})), "number 40"},
      {"a landmark at infinity", landmarks(with(0, {1, -inf})), "number 0"},
      {"a landmark far away", landmarks(with(67, {1e300, 1})), "number 67"},
      {"landmarks on a line", landmarks(line), "line"},
      {"landmarks on a level line", landmarks(flat), "landmarks"},
      {"landmarks in one place", landmarks(point), "landmarks"},
      {"landmarks of less than a pixel", landmarks(tiny), "pixel"},
      {"no focal length", seen_by({0, 0, 0}), "focal_px"},
      {"a negative focal length", seen_by({-500, 0, 0}), "focal_px"},
      {"a focal length of NaN", seen_by({nan, 0, 0}), "focal_px"},
      {"an endless focal length", seen_by({inf, 0, 0}), "focal_px"},
      {"a centre of NaN", seen_by({500, nan, 0}), "centre"},
      {"a centre at infinity", seen_by({500, 0, inf}), "centre"},
      {"a negative length_deviation", length(-0.1), "length_deviation"},
      {"a length_deviation of NaN", length(nan), "length_deviation"},
      {"a length_deviation above 1", length(1.5), "length_deviation"},
      {"67 weights", weights(std::vector<double>(67, 1.0)), "weights"},
      {"three weights", weights(few), "4"},
      {"a negative weight", weights(negative), "weights"},
      {"an infinite weight", weights(infinite), "weights"},
      {"a reference of 67", reference(std::vector<Point3>(67)), "reference"},
      {"a reference in a plane", reference(plane), "plane"},
      {"a reference in one place", reference(same), "plane"},
      {"a reference of NaN", reference(undefined), "point 3"},
  };
  expect_refusals(refusals);
}

TEST(HeadPoseArguments, OfCamerasPointsAndSmoothing) {
  HeadPose pose;
  pose.camera_from_head = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  pose.z_m = 0.5;
  const auto smoother = [](const OneEuroOptions& direction, const OneEuroOptions& rotation,
                           const OneEuroOptions& distance = {}) {
    return [=] { PoseSmoother({direction, distance, rotation}); };
  };
  const auto smooth = [=](auto change, double seconds) {
    return [=] {
      PoseSmoother one;
      one.smooth(pose, 0);
      HeadPose next = pose;
      change(next);
      one.smooth(next, seconds);
    };
  };
  const auto nothing = [](HeadPose&) {};
  const Refusal refusals[] = {
      {"camera_of: no width", [] { camera_of(0, 10); }, "width"},
      {"camera_of: a negative height", [] { camera_of(10, -1); }, "height"},
      {"camera_of: a huge width", [] { camera_of(std::int64_t{1} << 40, 10); }, "width"},
      {"camera_of: a focal length below 0", [] { camera_of(10, 10, -1); }, "focal_px"},
      {"camera_of: a focal length of NaN", [] { camera_of(10, 10, nan); }, "focal_px"},
      {"project: a point behind the camera",
       [=] {
         project(pose, camera, {0, 0, -1});
       },
       "front"},
      {"project: a point of NaN",
       [=] {
         project(pose, camera, {0, 0, nan});
       },
       "front"},
      {"deviation: of parameter 6", [=] { (void)pose.deviation(6); }, "6"},
      {"deviation: of parameter -1", [=] { (void)pose.deviation(-1); }, "-1"},
      {"PoseSmoother: a cut-off of 0", smoother({0, 0, 1}, {}), "min_cutoff_hz"},
      {"PoseSmoother: a cut-off of NaN", smoother({}, {nan, 0, 1}), "min_cutoff_hz"},
      {"PoseSmoother: a negative beta", smoother({}, {}, {1, -1, 1}), "beta"},
      {"PoseSmoother: an infinite beta", smoother({}, {1, inf, 1}), "beta"},
      {"smooth: no time", smooth(nothing, 0), "seconds"},
      {"smooth: a time of NaN", smooth(nothing, nan), "seconds"},
      {"smooth: a position of NaN", smooth([](HeadPose& p) { p.y_m = nan; }, 1), "position"},
      {"smooth: a position at infinity", smooth([](HeadPose& p) { p.z_m = inf; }, 1), "position"},
      {"smooth: a head behind the camera", smooth([](HeadPose& p) { p.z_m = -1; }, 1), "position"},
      {"smooth: a quaternion of NaN", smooth([](HeadPose& p) { p.quaternion[2] = nan; }, 1), "quaternion"},
      {"smooth: no rotation", smooth([](HeadPose& p) { p.quaternion = {}; }, 1), "quaternion"},
  };
  expect_refusals(refusals);
}

// Whatever 68 points are taken for a face: a finite pose in front of the camera, or a refusal.
TEST(HeadPoseArguments, AnyPointsHaveAFinitePoseOrNone) {
  PhiloxStream random(3, 0);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random.next_uniform());
  };
  int accepted = 0;
  for (int k = 0; k < 3000; ++k) {
    const double spread = std::pow(10, uniform(-2, 6)), away = std::pow(10, uniform(-2, 6));
    const double x = uniform(-away, away), y = uniform(-away, away);
    Shape shape = face();
    for (Point& p : shape) {
      const Point from = k % 3 == 0 ? p : Point{uniform(-1, 1), uniform(-1, k % 3 == 1 ? 1 : -0.999)};
      p = {std::clamp(x + spread * from.x, -1e6, 1e6), std::clamp(y + spread * from.y, -1e6, 1e6)};
    }
    const PinholeCamera any{std::pow(10, uniform(0, 6)), uniform(-away, away), uniform(-away, away)};
    std::optional<HeadPose> pose;
    try {
      pose = estimate_head_pose(shape, any);
    } catch (const InvalidArgument&) {
      continue;
    }
    ++accepted;
    for (const double value : pose->covariance) ASSERT_TRUE(std::isfinite(value)) << k;
    for (const double value : pose->camera_from_head) ASSERT_TRUE(std::abs(value) < 1 + 1e-9) << k;
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(std::isfinite(pose->deviation(i))) << k;
    ASSERT_TRUE(std::isfinite(pose->x_m + pose->y_m + pose->z_m + pose->error_px)) << k;
    for (std::size_t i = 17; i < 68; ++i) {
      const Point3 p = mean_face_68()[i];
      ASSERT_NO_THROW(project(*pose, any, {p.x, p.y * pose->length_factor, p.z})) << k;
    }
  }
  EXPECT_GT(accepted, 1500);
}

}  // namespace
}  // namespace triptych::aam_fit
