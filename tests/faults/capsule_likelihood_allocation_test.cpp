// Every allocation of a filter's life and of a skeleton's loading fails once: std::bad_alloc or Error comes
// out, nothing leaks (under the address sanitizer), and the objects work on with the same bits. One thread:
// the pool's threads do not take part.
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/skeleton_file.hpp>

#include <gtest/gtest.h>

#include <optional>

#include "testing/allocation_faults.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::for_every_allocation;

struct Scene {
  Skeleton skeleton{{{"root", -1, {}, {}},
                     {"upper", 0, {0, 0.4f, 0}, {{Axis::x}, {Axis::z}}},
                     {"left", 1, {-0.3f, 0, 0}, {{Axis::y}}},
                     {"right", 1, {0.3f, 0, 0}, {{Axis::y}}}},
                    {{0, {{}, 0.1f, {0, 0.4f, 0}}},
                     {1, {{}, 0.1f, {0, 0.2f, 0}}},
                     {2, {{}, 0.08f, {-0.5f, 0, 0}}},
                     {3, {{}, 0.08f, {0.5f, 0, 0}}}}};
  FilterOptions options{.samples = 64, .layers = 3, .max_points = 200};
  std::vector<float> pose = skeleton.rest_pose();
  std::vector<Vec3> points;

  Scene() {
    pose[2] = 3;
    points = render_points(skeleton.capsules(pose), {.points = 200}, 1);
  }
  ParticleFilter filter() const { return ParticleFilter(skeleton, options, Device::cpu(1)); }
};

void expect_same(const Estimate& found, const Estimate& expected) {
  EXPECT_EQ(found.pose, expected.pose);
  EXPECT_EQ(found.joints, expected.joints);
  EXPECT_EQ(found.log_likelihood, expected.log_likelihood);
}

void report(const char* what, std::int64_t faults) {
  EXPECT_GT(faults, 0);
  testing::Test::RecordProperty(what, static_cast<int>(faults));
}

TEST(AllocationFaults, OfAFiltersWholeLife) {
  const Scene scene;
  ParticleFilter reference = scene.filter();
  reference.start(scene.pose);
  const Estimate expected = reference.step(scene.points);
  std::optional<Estimate> found;
  report("faults_injected", for_every_allocation(
                                [&] {
                                  ParticleFilter filter = scene.filter();
                                  filter.start(scene.pose);
                                  found = filter.step(scene.points);
                                },
                                [] {}));
  expect_same(*found, expected);
}

TEST(AllocationFaults, OfAFrameLeaveTheFilterAsItWas) {
  const Scene scene;
  ParticleFilter reference = scene.filter(), filter = scene.filter();
  for (ParticleFilter* made : {&reference, &filter}) {
    made->start(scene.pose);
    made->step(scene.points);
  }
  const std::vector<float> before = filter.samples();
  bool done = false;
  std::optional<Estimate> found;
  const std::int64_t faults = for_every_allocation(
      [&] {
        found = filter.step(scene.points);
        done = true;
      },
      [&] {
        EXPECT_EQ(filter.in_flight(), 0);
        if (!done) {
          EXPECT_EQ(filter.samples(), before);
        }
      });
  report("faults_injected", faults);
  expect_same(*found, reference.step(scene.points));
  EXPECT_EQ(filter.samples(), reference.samples());
}

TEST(AllocationFaults, OfAStartLeaveTheFilterAsItWas) {
  const Scene scene;
  ParticleFilter filter = scene.filter();
  filter.start(scene.pose);
  filter.step(scene.points);
  const std::vector<float> before = filter.samples();
  bool done = false;
  report("faults_injected", for_every_allocation(
                                [&] {
                                  filter.start(scene.pose);
                                  done = true;
                                },
                                [&] {
                                  if (!done) {
                                    EXPECT_EQ(filter.samples(), before);
                                  }
                                }));
  ParticleFilter fresh = scene.filter();
  fresh.start(scene.pose);
  expect_same(filter.step(scene.points), fresh.step(scene.points));
}

TEST(AllocationFaults, OfASearchLeaveAFilterThatCanBeStarted) {
  const Scene scene;
  ParticleFilter filter = scene.filter(), fresh = scene.filter();
  filter.start(scene.pose);
  filter.submit(scene.points);
  // A search has thousands of allocations: the first ones, then some.
  std::int64_t faults = 0;
  for (std::int64_t n = 0; n < 3000; n += n < 100 ? 1 : 97) {
    test::detail::until_failure = n;
    EXPECT_THROW(filter.find(scene.points), std::bad_alloc) << n;
    test::detail::until_failure = -1;
    ++faults;
    if (filter.in_flight() == 1) continue;  // before anything was dropped
    EXPECT_EQ(filter.in_flight(), 0);
    EXPECT_THROW(filter.next(), InvalidArgument);
    EXPECT_THROW(filter.step(scene.points), InvalidArgument);
    filter.start(scene.pose);
    filter.submit(scene.points);
  }
  report("faults_injected", faults);
  expect_same(filter.find(scene.points), fresh.find(scene.points));
}

TEST(AllocationFaults, OfLoadingASkeleton) {
  const Scene scene;
  const std::string json = to_json(scene.skeleton);
  const std::string bvh = to_text(to_bvh(scene.skeleton, {.pose_size = scene.skeleton.pose_size()}));
  std::optional<Skeleton> found;
  std::string found_bvh;
  const std::int64_t faults =
      for_every_allocation([&] { found = parse_skeleton(json, "f"); }) + for_every_allocation([&] {
        const Bvh read = parse_bvh(bvh, "f");
        make_skeleton(read);
        found_bvh = to_text(read);
      });
  report("faults_injected", faults);
  EXPECT_EQ(to_json(*found), json);
  EXPECT_EQ(found_bvh, bvh);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
