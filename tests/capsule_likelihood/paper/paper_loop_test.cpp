// evaluate_paper_loop_cpu: against distances known by hand, and against evaluate_cpu.
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/paper_loop.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "testing/capsule_scene.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

float distance(const std::vector<Vec3>& points, const std::vector<Capsule>& body, float max_distance,
               const Vec3& camera = {}) {
  float sum = -1;
  evaluate_paper_loop_cpu(points, {body.data(), 1, static_cast<std::int64_t>(body.size())}, camera,
                          max_distance, std::span(&sum, 1));
  return sum;
}

// All numbers here are exact in floats.
TEST(PaperLoop, FindsDistancesThatAreKnown) {
  const std::vector<Vec3> point{{0, 0, 3}};
  const Capsule ball{{0, 0, 3.5f}, 0.25f, {0, 0, 3.5f}};
  const Capsule across{{-2, 0, 4}, 0.5f, {2, 0, 4}};  // hit 2 m from its end a: beyond the paper's limit of 1
  const Capsule along{{0, 0, 4}, 0.5f, {0, 0, 6}};    // no cylinder to hit: its near end counts
  const Capsule aside{{5, 0, 4}, 0.5f, {5, 1, 4}};
  const Capsule around{{0, 0, 0}, 2, {0, 0, 0}};  // the camera is inside: its exit counts
  EXPECT_EQ(distance(point, {ball}, 1), 0.25f);
  EXPECT_EQ(distance(point, {across}, 1), 0.5f);
  EXPECT_EQ(distance(point, {along}, 1), 0.5f);
  EXPECT_EQ(distance(point, {aside}, 1), 1.0f);
  EXPECT_EQ(distance(point, {around}, 2), 1.0f);
  EXPECT_EQ(distance(point, {across}, 0.125f), 0.125f);         // truncated
  EXPECT_EQ(distance(point, {aside, across, ball}, 1), 0.25f);  // the least of all
  EXPECT_EQ(distance({{0, 0, 3}, {0, 0, 6}}, {ball}, 2), 2.25f);
  EXPECT_EQ(distance({{0, 0, 2}}, {ball}, 1, {0, 0, -1}), 1.0f);  // 4.25 from there, against 3: truncated
  EXPECT_EQ(distance({{0, 0, 2}}, {ball}, 2, {0, 0, -1}), 1.25f);
  EXPECT_EQ(distance({}, {ball}, 1), 0.0f);
  EXPECT_EQ(distance(point, {}, 1), 1.0f);
}

TEST(PaperLoop, AgreesWithTheLikelihoodToItsPrecision) {
  const test::CapsuleScene scene = test::make_capsule_scene(3, 20, 4000, 17);
  SensorModel m;
  m.loss = Loss::absolute;
  m.tau_m = 0.2f;
  std::vector<double> exact(3);
  evaluate_cpu(Rays(scene.points, {}, m), scene.view(), exact);
  std::vector<float> distances_of_loop(3);
  evaluate_paper_loop_cpu(scene.points, scene.view(), {}, m.tau_m, distances_of_loop);
  for (std::size_t j = 0; j < 3; ++j) {
    const double distances = -exact[j] * double{m.sigma_m};
    EXPECT_NEAR(double{distances_of_loop[j]}, distances, 1e-3 * distances);
  }
  EXPECT_ERROR(
      evaluate_paper_loop_cpu(scene.points, scene.view(), {}, m.tau_m, std::span(distances_of_loop).first(2)),
      InvalidArgument, "3 bodies but 2 results");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
