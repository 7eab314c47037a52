#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

std::vector<Capsule> standing_body(float z = 3) {
  const Skeleton human = make_human();
  std::vector<float> pose = human.rest_pose();
  pose[2] = z;
  std::vector<Capsule> body(40);
  pose_cpu(human, {pose.data(), 1, human.pose_size()}, {}, {body.data(), 1, 40}, 1);
  return body;
}

double length(const Vec3& v) { return std::hypot(double{v.x}, double{v.y}, double{v.z}); }

// The distance of a point from the surface of a body, negative inside: no rays.
double signed_distance(const std::vector<Capsule>& body, const Vec3& p) {
  double nearest = 1e9;
  for (const Capsule& c : body) {
    const double ax = c.b.x - c.a.x, ay = c.b.y - c.a.y, az = c.b.z - c.a.z;
    const double px = p.x - c.a.x, py = p.y - c.a.y, pz = p.z - c.a.z;
    const double squared = ax * ax + ay * ay + az * az;
    const double t = squared > 0 ? std::clamp((px * ax + py * ay + pz * az) / squared, 0.0, 1.0) : 0.0;
    nearest = std::min(nearest, std::hypot(px - t * ax, py - t * ay, pz - t * az) - c.radius_m);
  }
  return nearest;
}

TEST(FirstHit, HitsCapsulesWhereGeometrySays) {
  const std::vector<Capsule> across = {{{-1, 0, 3}, 0.5f, {1, 0, 3}}};
  EXPECT_NEAR(first_hit_m(across, {}, {0, 0, 2}), 2.5, 1e-12);           // the side
  EXPECT_NEAR(first_hit_m(across, {0, 0, 1}, {0, 0, 1}), 1.5, 1e-12);    // from another camera
  EXPECT_NEAR(first_hit_m(across, {-4, 0, 3}, {1, 0, 0}), 2.5, 1e-12);   // along the axis, into the cap
  EXPECT_NEAR(first_hit_m(across, {1.3f, 0, 0}, {0, 0, 1}), 2.6, 1e-6);  // a cap: 0.3 off, 3 - 0.4
  EXPECT_LT(first_hit_m(across, {}, {0, 1, 1}), 0);                      // past it
  EXPECT_LT(first_hit_m(across, {0, 0, 9}, {0, 0, 1}), 0);               // behind
  const std::vector<Capsule> sphere = {{{0, 0, 5}, 1, {0, 0, 5}}};
  EXPECT_NEAR(first_hit_m(sphere, {}, {0, 0, 1}), 4, 1e-12);
  const std::vector<Capsule> two = {sphere[0], across[0]};
  EXPECT_NEAR(first_hit_m(two, {}, {0, 0, 1}), 2.5, 1e-12);  // the first surface
}

TEST(RenderPoints, LieOnTheFirstSurfaceWithoutNoise) {
  const std::vector<Capsule> body = standing_body();
  RenderOptions options;
  options.points = 3001;
  options.noise_m = 0;
  options.camera = {0.1f, -0.2f, 0.05f};
  const std::vector<Vec3> points = render_points(body, options);
  ASSERT_EQ(points.size(), 3001u);
  for (const Vec3& p : points) {
    const Vec3 ray = {p.x - options.camera.x, p.y - options.camera.y, p.z - options.camera.z};
    // A point's coordinates are rounded to half an ulp of 3 m, 1.2e-7, which a grazing ray makes worse.
    ASSERT_NEAR(signed_distance(body, p), 0, 1e-6);
    const Vec3 before = {options.camera.x + 0.999f * ray.x, options.camera.y + 0.999f * ray.y,
                         options.camera.z + 0.999f * ray.z};
    ASSERT_GT(signed_distance(body, before), -1e-6);
  }
}

TEST(RenderPoints, RepeatAndFollowTheSeed) {
  const std::vector<Capsule> body = standing_body();
  RenderOptions options;
  options.points = 2000;
  options.outliers = 0.1f;
  options.background = 0.2f;
  const std::vector<Vec3> first = render_points(body, options, 1);
  EXPECT_EQ(render_points(body, options, 3), first);
  options.seed = 2;
  const std::vector<Vec3> other = render_points(body, options, 1);
  EXPECT_EQ(other.size(), first.size());
  EXPECT_NE(other, first);
}

TEST(RenderPoints, HaveTheNoiseAskedForAlongTheRay) {
  const std::vector<Capsule> body = standing_body();
  RenderOptions options;
  options.points = 20000;
  options.noise_m = 0;
  const std::vector<Vec3> exact = render_points(body, options);
  options.noise_m = 0.02f;
  const std::vector<Vec3> noisy = render_points(body, options);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double d = length(noisy[i]) - length(exact[i]);
    sum += d;
    squares += d * d;
    const Vec3& p = exact[i];
    const Vec3& q = noisy[i];
    // Still on the ray: the cross product is 0 up to rounding.
    ASSERT_NEAR(p.x * q.z - p.z * q.x, 0, 1e-5);
    ASSERT_NEAR(p.y * q.z - p.z * q.y, 0, 1e-5);
  }
  // Four standard deviations of a mean and of a variance over 20,000.
  EXPECT_NEAR(sum / 20000, 0, 4 * 0.02 / std::sqrt(20000.0));
  EXPECT_NEAR(squares / 20000, 4e-4, 4 * 4e-4 * std::sqrt(2 / 20000.0));
  options.noise_reference_m = 1.5f;
  const std::vector<Vec3> growing = render_points(body, options);
  squares = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double ratio = length(exact[i]) / 1.5;
    const double d = (length(growing[i]) - length(exact[i])) / (ratio * ratio);
    squares += d * d;
  }
  EXPECT_NEAR(squares / 20000, 4e-4, 4 * 4e-4 * std::sqrt(2 / 20000.0));
}

TEST(RenderPoints, SpreadEvenlyOverTheImage) {
  // A disc in the image: half the points lie within half its area.
  const std::vector<Capsule> sphere = {{{0, 0, 10}, 1, {0, 0, 10}}};
  RenderOptions options;
  options.points = 10000;
  options.noise_m = 0;
  int within = 0, right = 0;
  const double edge = 1.0 / 99.0;  // tan^2 of the half angle: 1 / (10^2 - 1)
  for (const Vec3& p : render_points(sphere, options)) {
    within += (p.x * p.x + p.y * p.y) / (p.z * p.z) < edge / 2;
    right += p.x > 0;
  }
  // Random points would stray by 50; an even spread strays far less.
  EXPECT_NEAR(within, 5000, 50);
  EXPECT_NEAR(right, 5000, 50);
}

TEST(RenderPoints, HaveTheSharesAskedFor) {
  const std::vector<Capsule> body = standing_body();
  RenderOptions options;
  options.points = 10000;
  options.noise_m = 0;
  options.outliers = 0.1f;
  options.background = 0.3f;
  const std::vector<Vec3> points = render_points(body, options);
  float floor = 9, back = 0;
  for (const Capsule& c : body) {
    floor = std::min({floor, c.a.y - c.radius_m, c.b.y - c.radius_m});
    back = std::max({back, c.a.z + c.radius_m, c.b.z + c.radius_m});
  }
  int on_body = 0, on_room = 0, first_half = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    if (std::abs(signed_distance(body, p)) < 1e-5) {
      ++on_body;
      first_half += i < points.size() / 2;
    } else if (std::abs(p.y - floor) < 1e-5 || std::abs(p.z - back - 1) < 1e-5) {
      ++on_room;
      EXPECT_LT(first_hit_m(body, {}, p), 0);  // not hidden by the body
    }
  }
  EXPECT_NEAR(on_body, 6000, 5);  // an outlier may happen to lie on a surface
  EXPECT_NEAR(on_room, 3000, 5);
  EXPECT_NEAR(first_half, 3000, 5);
}

TEST(RenderPoints, RefuseWhatMakesNoSense) {
  const std::vector<Capsule> body = standing_body();
  RenderOptions options;
  options.points = -1;
  EXPECT_ERROR(render_points(body, options), InvalidArgument, "-1 points");
  options.points = 0;
  EXPECT_TRUE(render_points(body, options).empty());
  options.points = 10;
  EXPECT_ERROR(render_points({}, options), InvalidArgument, "without capsules");
  EXPECT_ERROR(render_points(standing_body(0.1f), options), InvalidArgument, "in front of the camera");
  EXPECT_ERROR(render_points(std::vector<Capsule>{{{0, 0, 3}, 0, {0.5f, 1, 3}}}, options), InvalidArgument,
               "too thin");
  options.outliers = 0.6f;
  options.background = 0.5f;
  EXPECT_ERROR(render_points(body, options), InvalidArgument, "shares");
  options.outliers = std::nanf("");
  EXPECT_ERROR(render_points(body, options), InvalidArgument, "shares");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
