// Twin test: the filter on the GPU has the samples and estimates of the one on the CPU, bit for bit.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/buffer.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "capsule_likelihood/filter/same_estimate.hpp"
#include "runtime.hpp"
#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test_scene::Walk;

using test_scene::expect_same;
using test_scene::same_bits;

struct Pair {
  ParticleFilter cpu, gpu;
  Pair(const Skeleton& skeleton, const FilterOptions& options)
      : cpu(skeleton, options, Device::cpu()), gpu(skeleton, options, Device::cuda()) {}
};

TEST(ParticleFilterCuda, KeepsTheCallersDevice) {
  if (cuda_device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  const Walk walk(1);
  const std::vector<Vec3> points = walk.points(0, 500);
  for (const Device& device : {Device::cuda(0), Device::cuda(std::vector<int>{0, 0})}) {
    runtime::set_device(1);
    const auto stays = [](const char* after) { EXPECT_EQ(runtime::current_device(), 1) << after; };
    {
      ParticleFilter filter(walk.skeleton, {.samples = 50}, device);
      stays("the constructor");
      filter.start(walk.pose(0));
      stays("start");
      filter.submit(points);
      stays("submit");
      filter.next();
      stays("next");
      filter.samples();
      stays("samples");
      EXPECT_THROW(filter.start(std::vector<float>(3)), InvalidArgument);
      stays("an exception");
      filter.reset();
      stays("reset");
    }
    stays("the destructor");
    runtime::set_device(0);
  }
}

TEST(ParticleFilterCuda, HasTheSamplesOfTheCpu) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(6);
  for (const int samples : {1, 37, 500}) {
    for (const int layers : {1, 2, 5}) {
      FilterOptions options;
      options.samples = samples;
      options.layers = layers;
      options.max_points = 5000;
      Pair pair(walk.skeleton, options);
      pair.cpu.start(walk.pose(0));
      pair.gpu.start(walk.pose(0));
      EXPECT_TRUE(same_bits(pair.cpu.samples(), pair.gpu.samples()));
      for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
        SCOPED_TRACE(testing::Message() << samples << " samples, " << layers << " layers, frame " << frame);
        // Frames of different sizes; one without points.
        const auto points = frame == 3 ? std::vector<Vec3>() : walk.points(frame, 1000 + 777 * frame);
        expect_same(pair.cpu.step(points), pair.gpu.step(points));
        ASSERT_TRUE(same_bits(pair.cpu.samples(), pair.gpu.samples()));
      }
    }
  }
}

// After a frame the host searches in next(), or on a thread of the driver when another frame follows.
TEST(ParticleFilterCuda, RecoversTheSameLimbsForAnyNumberOfFramesInFlight) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(6);
  std::vector<float> pose(walk.pose(0).begin(), walk.pose(0).end());
  pose[static_cast<std::size_t>(walk.skeleton.first_angle(walk.skeleton.find("left_upper_arm")))] = 2.9f;
  FilterOptions options;
  options.samples = 200;
  options.max_points = 5000;
  ParticleFilter cpu(walk.skeleton, options, Device::cpu());
  cpu.start(pose);
  std::vector<Estimate> expected;
  for (std::int64_t frame = 0; frame < walk.frames; ++frame)
    expected.push_back(cpu.step(walk.points(frame, 3000)));
  ParticleFilter gpu(walk.skeleton, options, Device::cuda());
  for (const int in_flight : {1, 2, 3}) {
    SCOPED_TRACE(in_flight);
    gpu.start(pose);
    std::vector<Estimate> found;
    for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
      if (gpu.in_flight() == in_flight) found.push_back(gpu.next());
      gpu.submit(walk.points(frame, 3000));
      // twice one after the other, with and without frames that follow
      if (frame == 3) found.push_back(gpu.next());
    }
    while (gpu.in_flight() > 0) found.push_back(gpu.next());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) expect_same(found[k], expected[k]);
    EXPECT_TRUE(same_bits(cpu.samples(), gpu.samples()));
  }
}

// A search for a limb moves the state as well as the estimate.
TEST(ParticleFilterCuda, RecoversTheLimbsOfTheCpu) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(1);
  std::vector<float> pose(walk.pose(0).begin(), walk.pose(0).end());
  const auto arm = static_cast<std::size_t>(walk.skeleton.first_angle(walk.skeleton.find("left_upper_arm")));
  pose[arm] = 2.9f;
  FilterOptions options;
  options.samples = 200;
  options.max_points = 5000;
  Pair pair(walk.skeleton, options);
  options.recover_limbs = false;
  ParticleFilter without(walk.skeleton, options, Device::cpu());
  for (ParticleFilter* filter : {&pair.cpu, &pair.gpu, &without}) filter->start(pose);
  const std::vector<Vec3> points = walk.points(0, 4000);
  for (int frame = 0; frame < 4; ++frame) {
    const Estimate expected = pair.cpu.step(points);
    expect_same(pair.gpu.step(points), expected);
    EXPECT_TRUE(same_bits(pair.cpu.samples(), pair.gpu.samples()));
    if (frame == 0) {
      EXPECT_FALSE(same_bits(without.step(points).pose, expected.pose)) << "there was no search";
    }
  }
}

TEST(ParticleFilterCuda, HasTheSamplesOfTheCpuForEverySensorModel) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(3);
  std::vector<SensorModel> sensors(2);
  sensors[0].loss = Loss::absolute;
  sensors[1].surface = Surface::first;
  for (const SensorModel& sensor : sensors) {
    FilterOptions options;
    options.sensor = sensor;
    options.samples = 300;
    options.motion = MotionModel::random_walk;
    Pair pair(walk.skeleton, options);
    pair.cpu.start(walk.pose(0));
    pair.gpu.start(walk.pose(0));
    for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
      const auto points = walk.points(frame, 1500);
      std::vector<float> sigma_m;  // alternately one for each point and one for all
      if (frame == 1)
        for (const Vec3& p : points) sigma_m.push_back(0.003f * p.z * p.z);
      const CloudView cloud(points, sigma_m);
      expect_same(pair.cpu.step(cloud), pair.gpu.step(cloud));
    }
    EXPECT_TRUE(same_bits(pair.cpu.samples(), pair.gpu.samples()));
  }
}

TEST(ParticleFilterCuda, SeveralGpusHaveTheSamplesOfTheCpu) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(3);
  FilterOptions options;
  options.samples = 301;
  options.max_points = 5000;
  ParticleFilter cpu(walk.skeleton, options, Device::cpu());
  ParticleFilter group(walk.skeleton, options, Device::cuda(std::vector<int>{0, 0}));
  cpu.start(walk.pose(0));
  group.start(walk.pose(0));
  for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
    const auto points = walk.points(frame, 3000);
    expect_same(cpu.step(points), group.step(points));
    ASSERT_TRUE(same_bits(cpu.samples(), group.samples()));
  }
}

TEST(ParticleFilterCuda, AnotherPointIsNoticed) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(2);
  FilterOptions options;
  options.samples = 300;
  Pair pair(walk.skeleton, options);
  pair.cpu.start(walk.pose(0));
  pair.gpu.start(walk.pose(0));
  auto points = walk.points(0, 1000);
  pair.cpu.step(points);
  points[0].z += 0.05f;
  points[1].z += 0.05f;
  pair.gpu.step(points);
  EXPECT_FALSE(same_bits(pair.cpu.samples(), pair.gpu.samples()));
}

TEST(ParticleFilterCuda, FindsWhatTheCpuFinds) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(1);
  FilterOptions options;
  options.samples = 200;
  Pair pair(walk.skeleton, options);
  const auto points = walk.points(0, 800);
  expect_same(pair.cpu.find(points), pair.gpu.find(points));
}

TEST(ParticleFilterCuda, AHundredRunsGiveOneResult) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(2);
  FilterOptions options;
  options.samples = 2000;
  ParticleFilter filter(walk.skeleton, options, Device::cuda());
  std::vector<float> first;
  for (int run = 0; run < 100; ++run) {
    filter.start(walk.pose(0));
    for (std::int64_t frame = 0; frame < walk.frames; ++frame) filter.step(walk.points(frame, 20000));
    const auto samples = filter.samples();
    if (run == 0) first = samples;
    ASSERT_TRUE(same_bits(first, samples)) << run;
  }
}

TEST(ParticleFilterCuda, TheSteadyStateAllocatesNothing) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(4);
  FilterOptions options;
  options.samples = 300;
  ParticleFilter filter(walk.skeleton, options, Device::cuda());
  filter.start(walk.pose(0));
  filter.step(walk.points(0, 3000));
  const std::int64_t device = device_allocation_count(), pinned = pinned_allocation_count();
  for (std::int64_t frame = 1; frame < walk.frames; ++frame) filter.step(walk.points(frame, 3000));
  EXPECT_EQ(device_allocation_count(), device);
  EXPECT_EQ(pinned_allocation_count(), pinned);
}

TEST(ParticleFilterCuda, RefusesMorePointsThanThereIsRoomFor) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(1);
  FilterOptions options;
  options.samples = 100;
  options.max_points = 1000;
  ParticleFilter filter(walk.skeleton, options, Device::cuda());
  filter.start(walk.pose(0));
  EXPECT_ERROR(filter.step(std::vector<Vec3>(10000)), InvalidArgument, "max_points");
}

// Several frames in flight, of sizes that need several graphs, give the results of one at a time.
TEST(ParticleFilterCuda, FramesInFlightHaveTheResultsOfSteps) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(9);
  FilterOptions options;
  options.samples = 300;
  options.max_points = 12000;
  ParticleFilter steps(walk.skeleton, options, Device::cuda()),
      flight(walk.skeleton, options, Device::cuda());
  steps.start(walk.pose(0));
  flight.start(walk.pose(0));
  std::vector<Estimate> expected;
  std::int64_t taken = 0;
  for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
    const auto points = walk.points(frame, frame % 2 == 0 ? 3000 : 9000);
    std::vector<float> sigma_m(frame % 3 == 2 ? points.size() : 0, 0.02f);
    expected.push_back(steps.step({points, sigma_m}));
    if (flight.in_flight() == max_in_flight)
      expect_same(flight.next(), expected[static_cast<std::size_t>(taken++)]);
    flight.submit({points, sigma_m});
  }
  EXPECT_ERROR(flight.step({}), InvalidArgument, "next()");
  while (flight.in_flight() > 0) expect_same(flight.next(), expected[static_cast<std::size_t>(taken++)]);
  EXPECT_EQ(taken, walk.frames);
  EXPECT_TRUE(same_bits(steps.samples(), flight.samples()));
}

// The fits of frames in flight run on the host, in the stream's order.
TEST(ParticleFilterCuda, StartsAfreshWhileFitsArePending) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(3);
  FilterOptions options;
  options.samples = 200;
  options.max_points = 5000;
  std::vector<std::vector<Vec3>> clouds;
  for (std::int64_t frame = 0; frame < walk.frames; ++frame) clouds.push_back(walk.points(frame, 4000));
  ParticleFilter fresh(walk.skeleton, options, Device::cuda()), busy(walk.skeleton, options, Device::cuda());
  fresh.start(walk.pose(0));
  const Estimate expected = fresh.step(clouds[0]);
  const auto submit_all = [&](ParticleFilter& filter) {
    filter.start(walk.pose(0));
    for (const std::vector<Vec3>& cloud : clouds) filter.submit(cloud);
  };
  for (const bool resets : {false, true}) {
    submit_all(busy);
    if (resets) busy.reset();
    busy.start(walk.pose(0));
    EXPECT_EQ(busy.in_flight(), 0);
    expect_same(busy.step(clouds[0]), expected);
  }
  for (int run = 0; run < 10; ++run) {
    ParticleFilter destroyed(walk.skeleton, options, Device::cuda());
    submit_all(destroyed);
  }
  expect_same(fresh.step(clouds[1]), busy.step(clouds[1]));
}

}  // namespace
}  // namespace triptych::capsule_likelihood
