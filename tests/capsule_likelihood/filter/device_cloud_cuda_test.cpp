// A filter whose clouds are in device memory: the estimates of the same clouds in host memory, also while
// other streams still write the clouds.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/clock.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <optional>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "capsule_likelihood/filter/same_estimate.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/late_writer.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::LateWriter;
using test_scene::backwards;
using test_scene::expect_same;
using test_scene::mean_error_m;
using test_scene::Walk;

constexpr std::int64_t max_points = 12000;

ParticleFilter started(const Walk& walk, const Device& device = Device::cuda()) {
  ParticleFilter filter(walk.skeleton, {.samples = 200, .layers = 2, .max_points = max_points}, device);
  filter.start(walk.pose(0));
  return filter;
}

class FilterOfDeviceClouds : public test::CudaFixture {
 protected:
  // Several sizes, which need several graphs; one without points; some with sigmas.
  void make(const Walk& walk) {
    for (std::int64_t k = 0; k < walk.frames; ++k) {
      clouds.push_back(k == 5 ? std::vector<Vec3>() : walk.points(k, k % 2 == 0 ? 3000 : 9000));
      std::vector<float>& sigma_m = sigmas.emplace_back();
      if (k % 3 == 2)
        for (const Vec3& p : clouds.back()) sigma_m.push_back(0.01f + 0.002f * p.z * p.z);
      points_on_device.push_back(upload(clouds.back()));
      sigmas_on_device.push_back(upload(sigma_m));
    }
  }
  CloudView host(std::size_t k) const { return {clouds[k], sigmas[k]}; }
  DeviceCloudView device(std::size_t k) const {
    return {points_on_device[k].span(), sigmas_on_device[k].span()};
  }

  std::vector<std::vector<Vec3>> clouds;
  std::vector<std::vector<float>> sigmas;
  std::vector<DeviceBuffer<Vec3>> points_on_device;
  std::vector<DeviceBuffer<float>> sigmas_on_device;
};

TEST_F(FilterOfDeviceClouds, HasTheEstimatesOfCloudsInHostMemory) {
  const Walk walk(9);
  make(walk);
  ParticleFilter from_host = started(walk), from_device = started(walk), flight = started(walk),
                 mixed = started(walk);
  std::vector<Estimate> expected;
  for (std::size_t k = 0; k < clouds.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "frame " << k);
    expected.push_back(from_host.step(host(k)));
    expect_same(from_device.step(device(k)), expected.back());
    expect_same(k % 2 == 0 ? mixed.step(host(k)) : mixed.step(device(k)), expected.back());
  }
  EXPECT_EQ(from_device.samples(), from_host.samples());
  for (std::size_t k = 0, next = 0; next < clouds.size(); ++next) {
    for (; k < clouds.size() && flight.in_flight() < max_in_flight; ++k) flight.submit(device(k));
    SCOPED_TRACE(testing::Message() << "in flight, frame " << next);
    expect_same(flight.next(), expected[next]);
  }
  EXPECT_EQ(flight.samples(), from_host.samples());
}

TEST_F(FilterOfDeviceClouds, RecoversTheLimbsOfCloudsInHostMemory) {
  const Walk walk(4);
  make(walk);
  std::vector<float> pose(walk.pose(0).begin(), walk.pose(0).end());
  pose[static_cast<std::size_t>(walk.skeleton.first_angle(walk.skeleton.find("left_upper_arm")))] = 2.9f;
  ParticleFilter from_host = started(walk), from_device = started(walk);
  ParticleFilter without(walk.skeleton,
                         {.samples = 200, .layers = 2, .max_points = max_points, .recover_limbs = false});
  for (ParticleFilter* filter : {&from_host, &from_device, &without}) filter->start(pose);
  for (std::size_t k = 0; k < clouds.size(); ++k) {
    const Estimate expected = from_host.step(host(k));
    expect_same(from_device.step(device(k)), expected);
    if (k == 0) {
      EXPECT_NE(without.step(host(k)).pose, expected.pose) << "there was no search";
    }
  }
  EXPECT_EQ(from_device.samples(), from_host.samples());
}

TEST_F(FilterOfDeviceClouds, TurnsABodyAsACpuDoes) {
  const Walk walk(4);
  make(walk);
  ParticleFilter from_host = started(walk), from_device = started(walk);
  ParticleFilter on_cpu(walk.skeleton, {.samples = 200, .layers = 2, .max_points = max_points},
                        Device::cpu());
  for (ParticleFilter* filter : {&from_host, &from_device, &on_cpu}) filter->start(backwards(walk.pose(0)));
  for (std::size_t k = 0; k < clouds.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "frame " << k);
    const Estimate expected = on_cpu.step(host(k));
    expect_same(from_host.step(host(k)), expected);
    expect_same(from_device.step(device(k)), expected);
    EXPECT_EQ(mean_error_m(expected.joints, walk.joints(static_cast<std::int64_t>(k))) < 0.1, k > 0);
  }
  EXPECT_EQ(from_host.samples(), on_cpu.samples());
  EXPECT_EQ(from_device.samples(), on_cpu.samples());
}

TEST_F(FilterOfDeviceClouds, FindsWhatIsFoundInHostMemory) {
  const Walk walk(3);
  make(walk);
  ParticleFilter from_host = started(walk), from_device = started(walk);
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
    expect_same(from_device.find(device(k)), from_host.find(host(k)));
    EXPECT_EQ(from_device.samples(), from_host.samples());
  }
  LateWriter late;  // of points behind the camera no pose would be found
  DeviceBuffer<Vec3> tensor = upload(std::vector<Vec3>(clouds[0].size(), Vec3{0, 0, -1}));
  from_device.wait(late.write(points_on_device[0], tensor));
  expect_same(from_device.find(DeviceCloudView(tensor.span())), from_host.find(clouds[0]));
}

TEST_F(FilterOfDeviceClouds, WaitsForACloudThatIsStillBeingWritten) {
  const Walk walk(100);
  constexpr std::int64_t count = 2000;
  ParticleFilter from_host = started(walk), filter = started(walk);
  DeviceBuffer<Vec3> tensor = upload(std::vector<Vec3>(count, Vec3{0, 0, 1}));
  LateWriter late;
  for (std::int64_t k = 0; k < walk.frames; ++k) {
    SCOPED_TRACE(testing::Message() << "frame " << k);
    const std::vector<Vec3> points = walk.points(k, count);
    const DeviceBuffer<Vec3> values = upload(points);
    filter.wait(late.write(values, tensor));
    late.count_pending();
    expect_same(filter.step(DeviceCloudView(tensor.span())), from_host.step(points));
  }
  EXPECT_GT(late.pending(), 50);
}

TEST_F(FilterOfDeviceClouds, WaitsForCloudsInFlightThatAreStillBeingWritten) {
  const Walk walk(100);
  constexpr std::int64_t count = 2000;
  ParticleFilter from_host = started(walk), filter = started(walk);
  std::deque<DeviceBuffer<Vec3>> tensors, values;
  for (int k = 0; k < max_in_flight; ++k) tensors.push_back(upload(std::vector<Vec3>(count, Vec3{0, 0, 1})));
  std::vector<Estimate> expected;
  for (std::int64_t k = 0; k < walk.frames; ++k) {
    const std::vector<Vec3> points = walk.points(k, count);
    values.push_back(upload(points));
    expected.push_back(from_host.step(points));
  }
  ParticleFilter timed = started(walk);
  timed.step(DeviceCloudView(values[0].span()));
  const Stopwatch watch;
  timed.step(DeviceCloudView(values[1].span()));
  LateWriter late(watch.elapsed_us());  // a frame takes milliseconds under a sanitizer
  for (std::size_t k = 0, next = 0; next < expected.size(); ++next) {
    for (; k < expected.size() && filter.in_flight() < max_in_flight; ++k) {
      DeviceBuffer<Vec3>& tensor = tensors[k % tensors.size()];
      filter.wait(late.write(values[k], tensor));
      filter.submit(DeviceCloudView(tensor.span()));
      late.count_pending();
    }
    SCOPED_TRACE(testing::Message() << "frame " << next);
    expect_same(filter.next(), expected[next]);
  }
  EXPECT_GT(late.pending(), 50);
}

TEST_F(FilterOfDeviceClouds, AllocatesNothingInTheSteadyState) {
  const Walk walk(9);
  make(walk);
  ParticleFilter filter = started(walk);
  const auto run = [&] {
    Event event(Timing::off);
    for (std::size_t k = 0, next = 0; next < clouds.size(); ++next) {
      for (; k < clouds.size() && filter.in_flight() < max_in_flight; ++k) {
        event.record(stream());
        filter.wait(event);
        filter.submit(device(k));
      }
      filter.next();
    }
  };
  run();
  const auto before = device_allocation_count(), pinned = pinned_allocation_count();
  run();
  EXPECT_EQ(device_allocation_count(), before);
  EXPECT_EQ(pinned_allocation_count(), pinned);
}

TEST_F(FilterOfDeviceClouds, ASigmaThatIsNotAboveZeroDropsItsPoint) {
  const Walk walk(1);
  const std::vector<Vec3> points = walk.points(0, 1000);
  std::vector<Vec3> without = points;
  std::vector<float> sigma_m(points.size(), 0.02f);
  sigma_m[3] = 0;
  sigma_m[500] = std::nanf("");
  without[3].x = without[500].x = std::nanf("");
  const DeviceBuffer<Vec3> on_device = upload(points);
  const DeviceBuffer<float> sigmas_there = upload(sigma_m);
  ParticleFilter from_host = started(walk), filter = started(walk);
  const Estimate estimate = filter.step({on_device.span(), sigmas_there.span()});
  expect_same(estimate, from_host.step({without, std::vector<float>(points.size(), 0.02f)}));
  EXPECT_EQ(estimate.points.not_finite, 2);
  EXPECT_ERROR(filter.find({on_device.span(), sigmas_there.span()}), InvalidArgument, "sigma of point 3");

  // A search by step() drops them, too.
  FilterOptions options;
  options.samples = 64;
  options.max_points = max_points;
  options.search_after_frames = 1;
  std::vector<float> away(walk.pose(0).begin(), walk.pose(0).end());
  away[0] += 2;
  ParticleFilter searching_host(walk.skeleton, options, Device::cuda(0)),
      searching(walk.skeleton, options, Device::cuda(0));
  searching_host.start(away);
  searching.start(away);
  const Estimate found = searching.step({on_device.span(), sigmas_there.span()});
  expect_same(found, searching_host.step({without, std::vector<float>(points.size(), 0.02f)}));
  EXPECT_EQ(found.points.not_finite, 2);
}

TEST_F(FilterOfDeviceClouds, RefusesWhatItCannotRead) {
  const Walk walk(1);
  const DeviceBuffer<Vec3> points = upload(walk.points(0, 500));
  const DeviceBuffer<Vec3> many = upload(std::vector<Vec3>(max_points + 1, Vec3{0, 0, 2}));
  const DeviceBuffer<float> sigma_m = upload(std::vector<float>(7, 0.02f));
  const DeviceCloudView cloud(points.span());
  ParticleFilter filter = started(walk), twin = started(walk);
  EXPECT_ERROR(filter.step(DeviceCloudView(many.span())), InvalidArgument, "max_points");
  EXPECT_ERROR(filter.submit({points.span(), sigma_m.span()}), InvalidArgument, "500 points but 7 sigmas");
  EXPECT_ERROR(filter.find(DeviceCloudView({})), InvalidArgument, "0 points");
  expect_same(filter.step(cloud), twin.step(cloud));
  filter.submit(cloud);
  EXPECT_ERROR(filter.step(cloud), InvalidArgument, "next()");
  filter.reset();
  EXPECT_ERROR(filter.step(cloud), InvalidArgument, "start()");

  ParticleFilter group = started(walk, Device::cuda(std::vector<int>{0, 0}));
  ParticleFilter cpu = started(walk, Device::cpu(1));
  EXPECT_ERROR(group.step(cloud), InvalidArgument, "several GPUs");
  EXPECT_ERROR(cpu.step(cloud), InvalidArgument, "cannot read device memory");
  LateWriter late;
  DeviceBuffer<Vec3> tensor(points.size());
  for (ParticleFilter* waiting : {&group, &cpu}) {
    const Event& written = late.write(points, tensor);
    waiting->wait(written);
    EXPECT_TRUE(written.query());
  }
}

}  // namespace
}  // namespace triptych::capsule_likelihood
