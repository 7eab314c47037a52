// Twin test: the filter on the GPU has the samples and estimates of the one on the CPU, bit for bit.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/buffer.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test_scene::Walk;

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

void expect_same(const Estimate& a, const Estimate& b) {
  EXPECT_TRUE(same_bits(a.pose, b.pose));
  EXPECT_TRUE(same_bits(a.joints, b.joints));
  EXPECT_TRUE(same_bits(a.covariances, b.covariances));
  EXPECT_EQ(a.effective_samples, b.effective_samples);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
  EXPECT_EQ(a.points.used, b.points.used);
  EXPECT_EQ(a.points.not_finite, b.points.not_finite);
  EXPECT_EQ(a.points.not_in_front, b.points.not_in_front);
}

Measure measure() {
  Measure measure;
  measure.tau_m = 0.1f;
  return measure;
}

struct Pair {
  ParticleFilter cpu, gpu;
  Pair(const Skeleton& skeleton, const Measure& by, const FilterOptions& options)
      : cpu(skeleton, by, options, Device::cpu()), gpu(skeleton, by, options, Device::cuda()) {}
};

TEST(ParticleFilterCuda, HasTheSamplesOfTheCpu) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(6);
  for (const int samples : {1, 37, 500}) {
    for (const int layers : {1, 2, 5}) {
      FilterOptions options;
      options.samples = samples;
      options.layers = layers;
      options.max_points = 5000;
      Pair pair(walk.skeleton, measure(), options);
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

TEST(ParticleFilterCuda, HasTheSamplesOfTheCpuInEveryMeasure) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(3);
  std::vector<Measure> measures(2, measure());
  measures[0].loss = Loss::absolute;
  measures[1].surface = Surface::first;
  for (const Measure& by : measures) {
    FilterOptions options;
    options.samples = 300;
    options.motion = Motion::random_walk;
    Pair pair(walk.skeleton, by, options);
    pair.cpu.start(walk.pose(0));
    pair.gpu.start(walk.pose(0));
    for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
      const auto points = walk.points(frame, 1500);
      std::vector<float> sigma_m;  // by turns one for each point and one for all
      if (frame == 1)
        for (const Vec3& p : points) sigma_m.push_back(0.003f * p.z * p.z);
      expect_same(pair.cpu.step(points, sigma_m), pair.gpu.step(points, sigma_m));
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
  const std::vector<int> gpus{0, 0};
  ParticleFilter cpu(walk.skeleton, measure(), options, Device::cpu());
  ParticleFilter team(walk.skeleton, measure(), options, gpus);
  cpu.start(walk.pose(0));
  team.start(walk.pose(0));
  for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
    const auto points = walk.points(frame, 3000);
    expect_same(cpu.step(points), team.step(points));
    ASSERT_TRUE(same_bits(cpu.samples(), team.samples()));
  }
}

TEST(ParticleFilterCuda, AnotherPointIsNoticed) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(2);
  FilterOptions options;
  options.samples = 300;
  Pair pair(walk.skeleton, {}, options);
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
  Pair pair(walk.skeleton, measure(), options);
  const auto points = walk.points(0, 800);
  expect_same(pair.cpu.find(points), pair.gpu.find(points));
}

TEST(ParticleFilterCuda, AHundredRunsGiveOneResult) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(2);
  FilterOptions options;
  options.samples = 2000;
  ParticleFilter filter(walk.skeleton, measure(), options, Device::cuda());
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
  ParticleFilter filter(walk.skeleton, {}, options, Device::cuda());
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
  ParticleFilter filter(walk.skeleton, {}, options, Device::cuda());
  filter.start(walk.pose(0));
  EXPECT_ERROR(filter.step(std::vector<Vec3>(10000)), InvalidArgument, "10000");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
