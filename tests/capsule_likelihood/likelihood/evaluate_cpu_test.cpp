// evaluate_cpu: against the formula in long double, and its forms against each other bit for bit.
#include <triptych/capsule_likelihood/likelihood.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "capsule_likelihood/rays/ray_oracle.hpp"
#include "likelihood/evaluate_paths.hpp"
#include "testing/capsule_scene.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::CapsuleScene;
using test::LongVec;
using test::make_capsule_scene;

std::vector<double> evaluate(const Rays& rays, MatrixView<const Capsule> bodies,
                             Method method = Method::culled, int threads = 2) {
  std::vector<double> result(static_cast<std::size_t>(bodies.rows()), 12345.0);
  evaluate_cpu(rays, bodies, result, {method}, threads);
  return result;
}

SensorModel sensor_of(Loss loss, Surface surface, CameraInside inside = CameraInside::exit_surface) {
  SensorModel m;
  m.loss = loss;
  m.surface = surface;
  m.inside = inside;
  m.tau_m = 0.2f;
  return m;
}

std::vector<SensorModel> all_sensors() {
  std::vector<SensorModel> sensors;
  for (const Loss loss : {Loss::squared, Loss::absolute})
    for (const Surface surface : {Surface::closest, Surface::first})
      for (const CameraInside inside : {CameraInside::exit_surface, CameraInside::ignore})
        sensors.push_back(sensor_of(loss, surface, inside));
  return sensors;
}

// Point by point, so that one wrong ray cannot hide in a sum.
TEST(EvaluateCpu, FollowsTheFormulaForEveryPoint) {
  const CapsuleScene scene = make_capsule_scene(1, 12, 600, 5);
  const Vec3 camera{0.02f, -0.05f, 0.1f};
  int hits = 0, compared = 0;
  const auto body = scene.view().row(0);
  for (const Vec3& point : scene.points) {
    const LongVec p = test::to_long(point), c = test::to_long(camera), v = p - c;
    const long double distance = test::length(v);
    long double nearest = 1e30L, closest = 1e30L, margin = 1e30L;
    for (const Capsule& capsule : body) {
      const test::OracleHit hit = test::intersect_by_bisection(c, v, capsule);
      margin = std::min(margin, hit.margin);
      if (!hit.hit) continue;
      nearest = std::min(nearest, hit.t * distance);
      closest = std::min(closest, std::fabs(hit.t * distance - distance));
    }
    if (margin < 1e-4L)
      continue;  // farther from every tangent, an error of 16 u T = 4e-6 m of the position
                 // becomes at most 1e-4 m along the ray: sqrt(2 r / margin) of it
    ++compared;
    hits += nearest < 1e29L;
    for (const SensorModel& wanted : all_sensors()) {
      SensorModel m = wanted;
      m.camera = camera;
      const long double difference = m.surface == Surface::first ? std::fabs(nearest - distance) : closest;
      const long double d = std::min<long double>(difference, m.tau_m);
      const long double sigma = m.sigma_m;
      const long double expected = m.loss == Loss::squared ? -d * d / (2 * sigma * sigma) : -d / sigma;
      const long double slope = m.loss == Loss::squared ? (d + 1e-4L) / (sigma * sigma) : 1 / sigma;
      const double found = evaluate(Rays(std::span(&point, 1), {}, m, 1), scene.view(), Method::culled, 1)[0];
      ASSERT_NEAR(found, static_cast<double>(expected), static_cast<double>(slope * 1e-4L));
    }
  }
  EXPECT_GT(compared, 450);
  EXPECT_GT(hits, 70);
}

// An error of 16 u T = 4e-6 m in every distance, all of one sign, would change the sum of d^2, which is above
// half of tau^2 for most points, by 2 tau 4e-6 per point: 8e-5 of it. Signs differ: a tenth of that is
// allowed.
TEST(EvaluateCpu, TheSumAgreesWithLongDouble) {
  const CapsuleScene scene = make_capsule_scene(1, 15, 2000, 1);
  const SensorModel m = sensor_of(Loss::squared, Surface::closest);
  long double sum = 0;
  const auto body = scene.view().row(0);
  for (const Vec3& point : scene.points) {
    const LongVec v = test::to_long(point);
    const long double distance = test::length(v);
    long double best = m.tau_m;
    for (const Capsule& capsule : body) {
      const test::OracleHit hit = test::intersect_by_bisection({}, v, capsule);
      if (hit.hit) best = std::min(best, std::fabs(hit.t * distance - distance));
    }
    sum += best * best;
  }
  const long double sigma = m.sigma_m;
  const auto expected = static_cast<double>(-sum / (2 * sigma * sigma));
  EXPECT_NEAR(evaluate(Rays(scene.points, {}, m), scene.view())[0], expected, 8e-6 * -expected);
}

TEST(EvaluateCpu, CulledAndBruteAgreeBitForBitOnEveryPath) {
  struct Shape {
    std::int64_t samples, capsules, points;
  };
  const Shape shapes[] = {{0, 3, 40},    {3, 0, 40},    {1, 1, 0},     {1, 1, 1},
                          {2, 3, 31},    {3, 5, 32},    {2, 7, 33},    {1, 9, 127},
                          {2, 40, 1023}, {2, 17, 1024}, {3, 70, 1025}, {5, 20, 2503}};
  for (const Shape& shape : shapes) {
    const CapsuleScene scene = make_capsule_scene(shape.samples, shape.capsules, shape.points, 7);
    std::vector<float> sigma = test::random_values<float>(shape.points, 0.01f, 0.2f, 8);
    for (const SensorModel& m : all_sensors()) {
      for (const bool weighted : {false, true}) {
        const Rays rays(scene.points, weighted ? std::span<const float>(sigma) : std::span<const float>{}, m);
        const std::vector<double> brute = evaluate(rays, scene.view(), Method::brute);
        EXPECT_EQ(evaluate(rays, scene.view()), brute) << shape.points;
        for (const CpuPath path : available_cpu_paths()) {
          for (const int threads : {1, 3}) {
            std::vector<double> result(brute.size());
            evaluate_cpu_by(path, rays, scene.view(), result, threads);
            ASSERT_EQ(result, brute) << to_string(path) << ", " << shape.samples << " x " << shape.capsules
                                     << " x " << shape.points << ", " << threads << " threads";
          }
        }
      }
    }
  }
}

// Capsules around the camera, behind it, beside it, huge, tiny, far out of view: none may be culled wrongly.
TEST(EvaluateCpu, CulledAndBruteAgreeOnHostileBodies) {
  constexpr std::uint64_t seed = 11;
  TRIPTYCH_TRACE_SEED(seed);
  const auto scene = test::make_hostile_scene(40, 9, 3000, seed);
  const std::vector<Vec3>& points = scene.points;
  const MatrixView<const Capsule> view = scene.view();
  bool some_gain = false;
  for (SensorModel m : all_sensors()) {
    for (const float tau : {0.05f, 0.2f, 3.0f}) {
      m.tau_m = tau;
      const Rays rays(points, {}, m);
      const std::vector<double> brute = evaluate(rays, view, Method::brute);
      for (const CpuPath path : available_cpu_paths()) {
        std::vector<double> result(brute.size());
        evaluate_cpu_by(path, rays, view, result, 2);
        ASSERT_EQ(result, brute) << to_string(path) << ", tau " << tau;
      }
      some_gain |= brute.front() != brute.back();
    }
  }
  EXPECT_TRUE(some_gain);
}

TEST(EvaluateCpu, APerturbedCapsuleChangesTheBits) {
  const CapsuleScene scene = make_capsule_scene(1, 20, 3000, 9);
  const Rays rays(scene.points, {}, {});
  CapsuleScene moved = scene;
  moved.bodies[3].a.x += 1e-5f;
  EXPECT_NE(evaluate(rays, scene.view()), evaluate(rays, moved.view()));
}

TEST(EvaluateCpu, TheOrderOfPointsAndCapsulesDoesNotMatter) {
  const CapsuleScene scene = make_capsule_scene(3, 21, 2111, 13);
  for (const SensorModel& m : all_sensors()) {
    const std::vector<double> straight = evaluate(Rays(scene.points, {}, m), scene.view());
    CapsuleScene mixed = scene;
    std::reverse(mixed.points.begin(), mixed.points.end());
    std::rotate(mixed.points.begin(), mixed.points.begin() + 700, mixed.points.end());
    for (std::int64_t j = 0; j < 3; ++j)
      std::reverse(mixed.bodies.begin() + j * 21, mixed.bodies.begin() + (j + 1) * 21);
    for (Capsule& c : mixed.bodies) std::swap(c.a, c.b);
    EXPECT_EQ(evaluate(Rays(mixed.points, {}, m), mixed.view()), straight);
  }
}

// Sums of a split add up exactly: in doubles, to the rounding of three products.
TEST(EvaluateCpu, ASplitOfThePointsAddsUp) {
  const CapsuleScene scene = make_capsule_scene(2, 15, 1777, 14);
  const std::span<const Vec3> points(scene.points);
  const auto whole = evaluate(Rays(points, {}, {}), scene.view());
  const auto front = evaluate(Rays(points.first(600), {}, {}), scene.view());
  const auto back = evaluate(Rays(points.subspan(600), {}, {}), scene.view());
  for (std::size_t j = 0; j < whole.size(); ++j)
    EXPECT_NEAR(front[j] + back[j], whole[j], 3 * 0x1p-53 * -whole[j]);
}

TEST(EvaluateCpu, OneMoreCapsuleNeverRaisesTheClosestDistance) {
  const CapsuleScene scene = make_capsule_scene(6, 14, 1500, 15);
  const Rays rays(scene.points, {}, {});
  std::vector<double> last(6, -std::numeric_limits<double>::infinity());
  for (std::int64_t count = 0; count <= 14; ++count) {
    const MatrixView<const Capsule> some(scene.bodies.data(), 6, count, 14);
    const std::vector<double> now = evaluate(rays, some);
    for (std::size_t j = 0; j < now.size(); ++j) EXPECT_GE(now[j], last[j]);
    last = now;
  }
}

TEST(EvaluateCpu, HiddenCapsulesCountOnlyForTheClosest) {
  const std::vector<Vec3> point{{0, 0, 3}};
  const std::vector<Capsule> body{{{-1, 0, 2}, 0.1f, {1, 0, 2}}, {{-1, 0, 3.1f}, 0.1f, {1, 0, 3.1f}}};
  const MatrixView<const Capsule> view(body.data(), 1, 2);
  EXPECT_NEAR(evaluate(Rays(point, {}, {}), view)[0], 0, 1e-3);  // the second one explains it
  const double most = -0.2 * 0.2 / (2 * 0.03 * 0.03);
  EXPECT_NEAR(evaluate(Rays(point, {}, sensor_of(Loss::squared, Surface::first)), view)[0], most, 1e-4);
}

TEST(EvaluateCpu, ASigmaForEachPointWeighsIt) {
  const CapsuleScene scene = make_capsule_scene(2, 15, 700, 16);
  for (const Loss loss : {Loss::squared, Loss::absolute}) {
    const SensorModel m = sensor_of(loss, Surface::closest);
    // the sigma of the sensor model, given for every point, changes nothing but the steps of the sum
    const std::vector<float> same(scene.points.size(), m.sigma_m);
    const auto plain = evaluate(Rays(scene.points, {}, m), scene.view());
    const auto weighted = evaluate(Rays(scene.points, same, m), scene.view());
    for (std::size_t j = 0; j < plain.size(); ++j) EXPECT_NEAR(plain[j], weighted[j], 1e-12 * -plain[j]);
    // twice the sigma: a quarter or half of the logarithm, to a weight's last step
    const std::vector<float> twice(scene.points.size(), 2 * m.sigma_m);
    const auto lighter = evaluate(Rays(scene.points, twice, m), scene.view());
    const double share = loss == Loss::squared ? 0.25 : 0.5;
    for (std::size_t j = 0; j < plain.size(); ++j)
      EXPECT_NEAR(lighter[j], share * plain[j], 1e-6 * -plain[j]);
  }
}

// A body that no ray hits has the largest loss there is.
TEST(EvaluateCpu, ABodyOutOfViewHasTheMaximumLoss) {
  const CapsuleScene scene = make_capsule_scene(1, 15, 700, 17);
  const std::vector<float> sigma = test::random_values<float>(700, 0.01f, 0.2f, 18);
  const std::vector<Capsule> behind{{{0, 0, -3}, 0.1f, {0, 1, -3}}};
  for (const SensorModel& m : all_sensors()) {
    for (const std::span<const float> sigmas : {std::span<const float>(), std::span<const float>(sigma)}) {
      const Rays rays(scene.points, sigmas, m);
      EXPECT_EQ(evaluate(rays, {behind.data(), 1, 1})[0], -rays.max_loss());
      EXPECT_GT(evaluate(rays, scene.view())[0], -rays.max_loss());
    }
  }
}

TEST(EvaluateCpu, RefusesWhatMakesNoSense) {
  const CapsuleScene scene = make_capsule_scene(3, 4, 10, 18);
  const Rays rays(scene.points, {}, {});
  std::vector<double> result(3);
  EXPECT_ERROR(evaluate_cpu(rays, scene.view(), std::span(result).first(2)), InvalidArgument,
               "3 bodies but 2 results");
  EXPECT_ERROR(evaluate_cpu(rays, scene.view(), result, {Method::tiled}), InvalidArgument, "GPU");
  for (const Method method : {Method::culled, Method::brute}) {
    CapsuleScene broken = scene;
    broken.bodies[2 * 4 + 1].radius_m = -0.1f;
    EXPECT_ERROR(evaluate_cpu(rays, broken.view(), result, {method}), InvalidArgument,
                 "capsule 1 of sample 2");
    broken = scene;
    broken.bodies[1 * 4 + 3].b.y = std::numeric_limits<float>::quiet_NaN();
    EXPECT_ERROR(evaluate_cpu(rays, broken.view(), result, {method}), InvalidArgument,
                 "capsule 3 of sample 1");
  }
}

TEST(EvaluateCpu, TheExampleOfTheReadme) {
  CapsuleScene scene = make_capsule_scene(30, 20, 4000, 23);
  std::copy(scene.truth.begin(), scene.truth.end(), scene.bodies.begin() + 11 * 20);
  const std::vector<Vec3>& points = scene.points;
  const std::vector<Capsule>& bodies = scene.bodies;
  const std::int64_t samples = 30, capsules = 20;

  const Rays rays(points, {}, SensorModel{});
  std::vector<double> log_likelihoods(samples);
  evaluate_cpu(rays, {bodies.data(), samples, capsules}, log_likelihoods);
  const auto best = std::max_element(log_likelihoods.begin(), log_likelihoods.end());

  EXPECT_EQ(best - log_likelihoods.begin(), 11);  // the body of which the points were made
}

// Past the paper's limits: more than 64 capsules and 65,535 samples in one call (few points keep it short).
TEST(EvaluateCpu, GoesBeyondThePapersLimits) {
  const CapsuleScene scene = make_capsule_scene(7, 65, 40, 19);
  constexpr std::int64_t samples = 65537;
  std::vector<Capsule> bodies;
  for (std::int64_t j = 0; j < samples; ++j) {
    const auto row = scene.view().row(j % 7);
    bodies.insert(bodies.end(), row.begin(), row.end());
  }
  const Rays rays(scene.points, {}, {});
  const std::vector<double> seven = evaluate(rays, scene.view(), Method::brute);
  const std::vector<double> all = evaluate(rays, {bodies.data(), samples, 65});
  for (std::size_t j = 0; j < all.size(); ++j) ASSERT_EQ(all[j], seven[j % 7]);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
