// Units and axes of clouds, planes in them, and the person among other things.
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/scene.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

using Cloud3 = std::vector<Vec3>;

// A walking person, 1.4 to 2.1 m tall, rotated by any angle about y, 2 to 4 m away.
struct Person {
  std::vector<Capsule> body;
  Cloud3 points;
  float floor_y = 0;

  explicit Person(std::mt19937& random, std::int64_t count = 3000) {
    const auto between = [&](double low, double high) {
      return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
    };
    const Skeleton human = make_human(static_cast<float>(between(1.4, 2.1)));
    Motion motion = make_walk(human, {.frames = 40});
    place_in_view(human, motion, {.yaw_rad = static_cast<float>(between(0, 6.28))});
    body = human.capsules(motion.pose(static_cast<std::int64_t>(between(0, 39))));
    RenderOptions options;
    options.points = count;
    options.seed = random();
    options.outliers = 0.02f;
    points = render_points(body, options);
    floor_y = 1e9f;
    for (const Capsule& c : body) floor_y = std::min({floor_y, c.a.y - c.radius_m, c.b.y - c.radius_m});
  }
};

// A rectangle of points: origin + s * a + t * b.
void add_plane(Cloud3& cloud, std::mt19937& random, const Vec3& origin, const Vec3& a, const Vec3& b,
               int count, float noise_m = 0.004f) {
  std::normal_distribution<float> noise(0, noise_m);
  std::uniform_real_distribution<float> share(0, 1);
  for (int i = 0; i < count; ++i) {
    const float s = share(random), t = share(random);
    cloud.push_back({origin.x + s * a.x + t * b.x + noise(random),
                     origin.y + s * a.y + t * b.y + noise(random),
                     origin.z + s * a.z + t * b.z + noise(random)});
  }
}

Cloud3 mapped(const Cloud3& cloud, CloudAxes axes, float per_metre) {
  Cloud3 other;
  for (const Vec3& p : cloud) {
    const Vec3 q = axes == CloudAxes::y_up     ? p
                   : axes == CloudAxes::y_down ? Vec3{p.x, -p.y, p.z}
                                               : Vec3{p.x, p.z, p.y};  // z up, y forward
    other.push_back({per_metre * q.x, per_metre * q.y, per_metre * q.z});
  }
  return other;
}

TEST(GuessConvention, FindsUnitAndAxesOfAPersonAloneAndOnAFloor) {
  std::mt19937 random(1);
  int wrong = 0, all = 0;
  for (int i = 0; i < 40; ++i) {
    Person person(random);
    Cloud3 cloud = person.points;
    if (i % 2 == 1) add_plane(cloud, random, {-2, person.floor_y, 1}, {4, 0, 0}, {0, 0, 4}, 2000);
    if (i % 4 == 3) add_plane(cloud, random, {-2, person.floor_y, 5}, {4, 0, 0}, {0, 2.5f, 0}, 2000);
    for (const CloudAxes axes : {CloudAxes::y_up, CloudAxes::y_down, CloudAxes::z_up}) {
      for (const float per_metre : {1.0f, 100.0f, 1000.0f}) {
        const CloudConvention guess = guess_convention(mapped(cloud, axes, per_metre));
        EXPECT_EQ(guess.metres_per_unit, per_metre == 1 ? 1 : per_metre == 100 ? 0.01 : 0.001) << i;
        EXPECT_FALSE(guess.axes_from.empty());
        ++all;
        wrong += guess.axes == axes ? 0 : 1;
        if (i % 2 == 1) {
          EXPECT_EQ(guess.axes, axes) << i << ": in spite of the floor, by " << guess.axes_from;
        }
      }
    }
  }
  EXPECT_LE(wrong, all / 100) << "of " << all;
}

TEST(GuessConvention, BringsACloudIntoTheCamerasFrame) {
  std::mt19937 random(2);
  const Person person(random, 500);
  for (const CloudAxes axes : {CloudAxes::y_up, CloudAxes::y_down, CloudAxes::z_up}) {
    const Cloud3 back =
        to_camera_frame(mapped(person.points, axes, 100), {.metres_per_unit = 0.01, .axes = axes});
    ASSERT_EQ(back.size(), person.points.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
      EXPECT_NEAR(back[i].x, person.points[i].x, 1e-5f);
      EXPECT_NEAR(back[i].y, person.points[i].y, 1e-5f);
      EXPECT_NEAR(back[i].z, person.points[i].z, 1e-5f);
    }
  }
  // z up, forward along +x, -x or -y: turned about z.
  for (const int quarter : {1, 2, 3}) {
    Cloud3 turned = mapped(person.points, CloudAxes::z_up, 1);
    for (Vec3& p : turned) {
      for (int i = 0; i < quarter; ++i) p = {-p.y, p.x, p.z};
    }
    const CloudConvention guess = guess_convention(turned);
    EXPECT_EQ(guess.quarter_turns, quarter);
    const Cloud3 back = to_camera_frame(turned, guess);
    for (std::size_t i = 0; i < back.size(); ++i)
      EXPECT_NEAR(back[i].z, person.points[i].z, 1e-6f) << quarter;
    for (std::size_t i = 0; i < back.size(); ++i)
      EXPECT_NEAR(back[i].x, person.points[i].x, 1e-6f) << quarter;
  }
}

TEST(RemovePlanes, LeavesAPersonAloneAsItIs) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const Person person(random);
    const WithoutPlanes rest = remove_planes(person.points);
    EXPECT_TRUE(rest.planes.empty()) << i;
    EXPECT_EQ(rest.points, person.points) << i;
  }
}

TEST(RemovePlanes, RemovesATiltedFloorAndTwoWallsAndKeepsTheFeet) {
  std::mt19937 random(4);
  for (int i = 0; i < 20; ++i) {
    Person person(random);
    const float floor_y = person.floor_y;
    const auto body_count = static_cast<std::int64_t>(person.points.size());
    // The floor rises to one side by up to 10 degrees, about the feet's middle; the feet touch it.
    const float slope = 0.17f * (static_cast<float>(i) / 19 - 0.5f);
    Cloud3 cloud = person.points;
    std::erase_if(cloud, [&](const Vec3& p) { return p.y < floor_y; });
    const auto kept_feet = std::ranges::count_if(cloud, [&](const Vec3& p) {
      return p.y - floor_y < 0.15f && p.y - floor_y > 0.04f + std::abs(slope);
    });
    add_plane(cloud, random, {-2, floor_y - 2 * slope, 1}, {4, 4 * slope, 0}, {0, 0, 4}, 3000);
    add_plane(cloud, random, {-2, floor_y, 5}, {4, 0, 0.3f}, {0, 2.5f, 0}, 3000);
    add_plane(cloud, random, {-2, floor_y, 1}, {0, 0, 4}, {0, 2.5f, 0}, 3000);
    const WithoutPlanes rest = remove_planes(cloud);
    ASSERT_EQ(rest.planes.size(), 3u) << i;
    for (const Plane& plane : rest.planes) {
      EXPECT_NEAR(std::hypot(plane.normal.x, plane.normal.y, plane.normal.z), 1, 1e-6);
      EXPECT_LE(plane.distance_m, 0);  // the camera is on the side of the normal
      EXPECT_GT(plane.points, 2500);
    }
    EXPECT_LT(static_cast<std::int64_t>(rest.points.size()), body_count + 500) << i;
    EXPECT_GT(static_cast<double>(rest.points.size()), 0.85 * static_cast<double>(body_count)) << i;
    const auto feet = std::ranges::count_if(rest.points, [&](const Vec3& p) {
      return p.y - floor_y < 0.15f && p.y - floor_y > 0.04f + std::abs(slope) && std::abs(p.x) < 1;
    });
    EXPECT_GT(static_cast<double>(feet), 0.8 * static_cast<double>(kept_feet)) << i;
  }
}

TEST(RemovePlanes, RepeatsBitForBitAndBearsHostilePoints) {
  std::mt19937 random(5);
  Person person(random);
  Cloud3 cloud = person.points;
  add_plane(cloud, random, {-2, person.floor_y, 1}, {4, 0, 0}, {0, 0, 4}, 2000);
  EXPECT_EQ(remove_planes(cloud).points, remove_planes(cloud).points);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  cloud.push_back({nan, 0, 1});
  cloud.push_back({0, infinite, 1});
  cloud.push_back({0, 0, 1e30f});
  const WithoutPlanes rest = remove_planes(cloud);
  EXPECT_EQ(rest.planes.size(), 1u);
  for (const Vec3& p : rest.points) EXPECT_TRUE(std::isfinite(p.x + p.y + p.z));
  EXPECT_TRUE(remove_planes(Cloud3(1000, Vec3{1, 1, 1})).planes.empty());  // no plane through one position
  EXPECT_TRUE(remove_planes({}).points.empty());
  EXPECT_ERROR(remove_planes(cloud, {.max_planes = -1}), InvalidArgument, "max_planes");
  EXPECT_ERROR(remove_planes(cloud, {.tolerance_m = nan}), InvalidArgument, "tolerance_m");
  EXPECT_ERROR(remove_planes(cloud, {.min_area_m2 = nan}), InvalidArgument, "min_area_m2");
  EXPECT_ERROR(remove_planes(cloud, {.min_share = 2}), InvalidArgument, "min_share");
}

TEST(ChoosePerson, TakesTheLargestOrTheNearestThing) {
  std::mt19937 random(6);
  const Person person(random);
  Cloud3 cloud;
  for (const Vec3& p : person.points) cloud.push_back({p.x + 2, p.y, p.z});
  add_plane(cloud, random, {-1, 0, 3}, {0.4f, 0, 0}, {0, 0.5f, 0}, 800);  // a thing of fewer points
  const auto right = [](const Cloud3& points) {
    return static_cast<double>(std::ranges::count_if(points, [](const Vec3& p) { return p.x > 0; })) /
           static_cast<double>(points.size());
  };
  const Cloud3 largest = choose_person(cloud);
  EXPECT_EQ(right(largest), 1);
  EXPECT_GT(static_cast<double>(largest.size()), 0.95 * static_cast<double>(person.points.size()));
  EXPECT_EQ(right(choose_person(cloud, {.near = Vec3{-1, 0, 3}})), 0);
  EXPECT_EQ(right(choose_person(cloud, {.near = Vec3{2, 0, 3}})), 1);
  EXPECT_EQ(right(choose_person(cloud, {.near = Vec3{-0.5f, 0, -9}, .any_depth = true})), 0);
  // They keep their order.
  auto at = cloud.begin();
  for (const Vec3& p : largest) {
    at = std::find(at, cloud.end(), p);
    ASSERT_NE(at, cloud.end());
  }
}

// Shins without points (black trousers): the feet still belong to the person.
TEST(ChoosePerson, KeepsPartsBelowAGap) {
  std::mt19937 random(7);
  Person person(random);
  const float floor_y = person.floor_y;
  std::erase_if(person.points, [&](const Vec3& p) { return p.y > floor_y + 0.15f && p.y < floor_y + 0.5f; });
  const auto feet = [&](const Cloud3& points) {
    return std::ranges::count_if(points, [&](const Vec3& p) { return p.y <= floor_y + 0.15f; });
  };
  EXPECT_GT(feet(person.points), 50);
  EXPECT_GT(static_cast<double>(feet(choose_person(person.points))),
            0.9 * static_cast<double>(feet(person.points)));
}

TEST(ChoosePerson, BearsHostilePoints) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  const Cloud3 bad = {{nan, 0, 1}, {0, infinite, 1}, {1e30f, 0, 1}};
  EXPECT_TRUE(choose_person(bad).empty());
  EXPECT_TRUE(choose_person({}).empty());
  const Cloud3 apart = {{0, 0, 1}, {5, 0, 1}, {-5, 0, 1}, {0, 5, 1}};
  EXPECT_EQ(choose_person(apart, {.min_share = 0.5}), apart);  // no thing has the share
  EXPECT_ERROR(choose_person(apart, {.gap_m = 0}), InvalidArgument, "gap_m");
  EXPECT_ERROR(choose_person(apart, {.near = Vec3{nan, 0, 0}}), InvalidArgument, "near");
  EXPECT_ERROR(choose_person(apart, {.min_share = -1}), InvalidArgument, "min_share");
  EXPECT_ERROR(guess_convention(apart), InvalidArgument, "4 points");
  EXPECT_ERROR(to_camera_frame(apart, {.metres_per_unit = 0}), InvalidArgument, "metres_per_unit");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
