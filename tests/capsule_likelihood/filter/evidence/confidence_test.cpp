// The evidence for a pose and the confidence that follows from it.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/clock.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "filter/evidence/confidence.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test_scene::Walk;

Estimate judged(const Skeleton& skeleton, std::span<const float> pose, std::span<const Vec3> cloud,
                const SensorModel& sensor = {}) {
  Estimate estimate;
  estimate.pose.assign(pose.begin(), pose.end());
  estimate.points.used = static_cast<std::int64_t>(cloud.size());
  add_confidence(estimate, skeleton, body_scale(skeleton), EvidenceSample::of(cloud).view(), sensor);
  return estimate;
}

std::vector<float> moved(std::span<const float> pose, float x) {
  std::vector<float> other(pose.begin(), pose.end());
  other[0] += x;
  return other;
}

std::vector<Vec3> clean_points(const Walk& walk, float background = 0) {
  RenderOptions options;
  options.points = 4000;
  options.noise_m = 0.005f;
  options.background = background;
  return render_points(walk.skeleton.capsules(walk.pose(0)), options);
}

TEST(Confidence, IsNearOneForTheTruePose) {
  const Walk walk(1);
  const Estimate estimate = judged(walk.skeleton, walk.pose(0), clean_points(walk));
  EXPECT_GT(estimate.evidence.on_body, 0.98);  // the noise is a sixth of the tolerance
  EXPECT_GT(estimate.evidence.near_on_body, 0.98);
  EXPECT_GT(estimate.evidence.body_seen, 0.95);
  EXPECT_GT(estimate.confidence, 0.95);
}

TEST(Confidence, IsNearZeroWhereThereIsNothing) {
  const Walk walk(1);
  const std::vector<Vec3> cloud = clean_points(walk);
  const Estimate away = judged(walk.skeleton, moved(walk.pose(0), 3), cloud);
  EXPECT_EQ(away.evidence.on_body, 0);
  EXPECT_EQ(away.evidence.body_seen, 0);
  EXPECT_LT(away.confidence, 1e-6);
  EXPECT_LT(judged(walk.skeleton, walk.pose(0), {}).confidence, 1e-6);
}

TEST(Confidence, FallsAsTheBodyMovesAway) {
  const Walk walk(1);
  const std::vector<Vec3> cloud = clean_points(walk);
  double last = 1;
  for (const float x : {0.0f, 0.05f, 0.1f, 0.15f, 0.2f, 0.3f, 0.5f}) {
    const double confidence = judged(walk.skeleton, moved(walk.pose(0), x), cloud).confidence;
    EXPECT_LE(confidence, last) << x;
    last = confidence;
  }
  EXPECT_LT(last, 0.01);
}

TEST(Confidence, GrowsWithEveryEvidence) {
  for (double Evidence::*value : {&Evidence::on_body, &Evidence::near_on_body, &Evidence::body_seen}) {
    Evidence less{0.5, 0.5, 0.5}, more = less;
    more.*value = 0.75;
    EXPECT_GT(confidence_of(more), confidence_of(less));
  }
}

TEST(Confidence, BearsAFloorAndAWall) {
  const Walk walk(1);
  const Estimate estimate = judged(walk.skeleton, walk.pose(0), clean_points(walk, 0.5f));
  EXPECT_NEAR(estimate.evidence.on_body, 0.5, 0.1);
  EXPECT_GT(estimate.confidence, 0.5);
}

TEST(Confidence, IsLowForASmallBodyInALargeCloud) {
  const Walk walk(1);
  const Skeleton small = make_human(0.3f);
  std::vector<float> pose = small.rest_pose();
  std::copy_n(walk.pose(0).begin(), 3, pose.begin());
  EXPECT_LT(judged(small, pose, clean_points(walk)).confidence, 0.05);
}

// The body, the cloud and the noise of half the size give the same evidence.
TEST(Confidence, DoesNotDependOnTheScale) {
  const Walk walk(1);
  std::vector<Capsule> body = walk.skeleton.capsules(walk.pose(0));
  std::vector<Vec3> cloud = clean_points(walk);
  const Evidence whole = judged(walk.skeleton, walk.pose(0), cloud).evidence;
  std::vector<Joint> joints(walk.skeleton.joints().begin(), walk.skeleton.joints().end());
  std::vector<BodyCapsule> capsules(walk.skeleton.body_capsules().begin(),
                                    walk.skeleton.body_capsules().end());
  const auto halve = [](Vec3& v) { v = {0.5f * v.x, 0.5f * v.y, 0.5f * v.z}; };
  for (Joint& joint : joints) halve(joint.offset_m);
  for (BodyCapsule& c : capsules) {
    halve(c.capsule.a);
    halve(c.capsule.b);
    c.capsule.radius_m *= 0.5f;
  }
  for (Vec3& p : cloud) halve(p);
  std::vector<float> pose(walk.pose(0).begin(), walk.pose(0).end());
  for (std::size_t i = 0; i < 3; ++i) pose[i] *= 0.5f;
  const Evidence half = judged(Skeleton(joints, capsules), pose, cloud).evidence;
  EXPECT_EQ(half.on_body, whole.on_body);
  EXPECT_EQ(half.near_on_body, whole.near_on_body);
  EXPECT_EQ(half.body_seen, whole.body_seen);
}

TEST(Confidence, CountsThePlacesOfPartsAsThoseOfTheWhole) {
  const Walk walk(1);
  const EvidenceSample sample = EvidenceSample::of(walk.points(0, 3000));
  const std::vector<Capsule> body = walk.skeleton.capsules(moved(walk.pose(0), 0.1f));
  const double scale = body_scale(walk.skeleton);
  const EvidenceCounts whole = count_evidence(body, scale, sample.view(), {});
  EXPECT_GT(whole.seen, 0);
  EXPECT_LT(whole.seen, whole.places);
  for (const std::size_t cut : {std::size_t{0}, std::size_t{7}, body.size()}) {
    const EvidenceCounts first = count_seen(std::span(body).first(cut), scale, sample.view(), {});
    const EvidenceCounts second = count_seen(std::span(body).subspan(cut), scale, sample.view(), {});
    EXPECT_EQ(first.seen + second.seen, whole.seen);
    EXPECT_EQ(first.places + second.places, whole.places);
  }
  EXPECT_EQ(count_seen(body, scale, {}, {}).places, 0);
}

TEST(Confidence, PlacesOutsideTheImageCanCountAsSeen) {
  const Walk walk(1);
  const std::vector<Vec3> cloud = walk.points(0, 3000);
  const std::vector<Capsule> body = walk.skeleton.capsules(walk.pose(0));
  const std::vector<Capsule> away = walk.skeleton.capsules(moved(walk.pose(0), 3));
  const double scale = body_scale(walk.skeleton);
  const EvidenceSample sample = EvidenceSample::of(cloud);
  const ImageBounds image = ImageBounds::of(cloud, {});
  const auto seen = [&](std::span<const Capsule> of, const ImageBounds& in) {
    return count_seen(of, scale, sample.view(), {}, in).evidence().body_seen;
  };
  EXPECT_EQ(seen(away, {}), 0);
  EXPECT_EQ(seen(away, image), 1);
  EXPECT_EQ(seen(body, image), seen(body, {}));  // no part of it is outside
  // Half of the body is cut off by the border of the image.
  std::vector<Vec3> half;
  for (const Vec3& p : cloud)
    if (p.y > 0) half.push_back(p);
  const EvidenceSample of_half = EvidenceSample::of(half);
  EXPECT_LT(count_seen(body, scale, of_half.view(), {}).evidence().body_seen, 0.8);
  EXPECT_GT(count_seen(body, scale, of_half.view(), {}, ImageBounds::of(half, {})).evidence().body_seen, 0.9);
}

TEST(Confidence, TheImageIsWhereUsablePointsAre) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  SensorModel sensor;
  sensor.camera = {1, 0, 0};
  const std::vector<Vec3> points = {{2, 3, 2}, {0, -1, 4}, {nan, 9, 1}, {9, 9, -1}, {5000, 0, 1}};
  const ImageBounds image = ImageBounds::of(points, sensor);
  EXPECT_EQ(image.low_u, -0.25f);
  EXPECT_EQ(image.high_u, 0.5f);
  EXPECT_EQ(image.low_v, -0.25f);
  EXPECT_EQ(image.high_v, 1.5f);
}

TEST(Confidence, IsFiniteForHostileInput) {
  const Walk walk(1);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  const std::vector<Vec3> bad = {{nan, 0, 1}, {0, infinite, 1}, {0, 0, -1}, {1e30f, 0, 1}, {0, 0, 0}};
  std::vector<Vec3> mixed = clean_points(walk);
  mixed.insert(mixed.begin(), bad.begin(), bad.end());
  for (const std::vector<Vec3>& cloud : {bad, mixed, std::vector<Vec3>(1000, Vec3{0, 0, 1e-30f})}) {
    for (const float x : {0.0f, 1e6f, -1e6f}) {
      const Estimate estimate = judged(walk.skeleton, moved(walk.pose(0), x), cloud);
      EXPECT_TRUE(estimate.confidence >= 0 && estimate.confidence <= 1) << x;
    }
  }
  EXPECT_EQ(confidence_of({double{nan}, 0, 0}), 0);
  EXPECT_EQ(confidence_of({0, double{infinite}, 0}), 0);
  const Skeleton ball({{"a", -1, {}, {}}}, {{0, {{0, 0, 0}, 1000, {0, 0, 0}}}});  // the camera is inside
  EXPECT_TRUE(std::isfinite(judged(ball, ball.rest_pose(), mixed).confidence));
  // A capsule that is nowhere is not seen.
  const std::vector<Capsule> nowhere = {{{nan, 0, 2}, 0.1f, {nan, 0, 2}}, {{0, nan, 2}, 0.1f, {0, nan, 2}}};
  const EvidenceSample sample = EvidenceSample::of(mixed);
  EXPECT_EQ(count_seen(nowhere, 1, sample.view(), {}).seen, 0);
  EXPECT_EQ(count_seen(nowhere, 1, sample.view(), {}, ImageBounds::of(mixed, {})).seen, 0);
}

TEST(Confidence, SamplesEachPointAtMostOnce) {
  for (const std::int64_t count : {1, 2, 511, 512, 513, 1000, 65536, 1 << 30}) {
    std::set<std::int64_t> seen;
    for (std::int32_t i = 0; i < sample_size(count, evidence_points); ++i) {
      const std::int64_t index = sample_index(i, count, sample_size(count, evidence_points));
      EXPECT_TRUE(index >= 0 && index < count) << i << " of " << count;
      seen.insert(index);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(std::min<std::int64_t>(count, 512)));
  }
}

TEST(Confidence, ThresholdDecidesTheStatus) {
  const Walk walk(1);
  const std::vector<Vec3> cloud = walk.points(0, 1000);
  for (const double least : {0.0, 0.5, 1.0}) {
    FilterOptions options;
    options.samples = 200;
    options.min_confidence = least;
    ParticleFilter filter(walk.skeleton, options, Device::cpu());
    filter.start(walk.pose(0));
    const Estimate estimate = filter.step(cloud);
    EXPECT_EQ(estimate.status, least < 1 ? FilterStatus::tracking : FilterStatus::uncertain) << least;
    EXPECT_EQ(reason(estimate).empty(), estimate.found());
    EXPECT_GT(estimate.confidence, 0.5);
    EXPECT_LT(estimate.confidence, 1);
  }
}

TEST(Confidence, ReasonIsGivenForEveryStatusThatIsNotFound) {
  Estimate estimate;
  EXPECT_NE(reason(estimate).find("no point can be used"), std::string::npos);
  estimate.points.used = 100;
  estimate.evidence.on_body = 0.12;
  EXPECT_EQ(reason(estimate).find("12 % of the points lie on the body"), 0u);
  estimate.status = FilterStatus::uncertain;
  EXPECT_EQ(reason(estimate).find("12 % of the points lie on the body"), 0u);
  estimate.evidence.on_body = 0.9;
  estimate.evidence.body_seen = 0.4;
  EXPECT_NE(reason(estimate).find("40 %"), std::string::npos);
  estimate.evidence.body_seen = 0.95;
  EXPECT_FALSE(reason(estimate).empty());
  estimate.evidence.way = 0.3;
  EXPECT_NE(reason(estimate).find("30 %"), std::string::npos);
  estimate.status = FilterStatus::tracking;
  EXPECT_TRUE(reason(estimate).empty());
  EXPECT_EQ(to_string(FilterStatus::uncertain), "uncertain");
}

TEST(Confidence, CostsMicroseconds) {
  const Walk walk(1);
  const std::vector<Vec3> cloud = walk.points(0, 20000);
  const double scale = body_scale(walk.skeleton);
  Estimate estimate;
  estimate.pose.assign(walk.pose(0).begin(), walk.pose(0).end());
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 50; ++i) {
    const Stopwatch watch;
    add_confidence(estimate, walk.skeleton, scale, EvidenceSample::of(cloud).view(), {});
    best = std::min(best, watch.elapsed_us());
  }
  RecordProperty("microseconds", std::to_string(best));
  std::printf("%.1f us for 20,000 points\n", best);
  EXPECT_LT(best, 5000);  // a hundred times the usual, for sanitizers and debug builds
}

}  // namespace
}  // namespace triptych::capsule_likelihood
