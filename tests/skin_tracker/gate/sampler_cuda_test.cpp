// Samples of a frame on the GPU have the bits of the CPU's, and take little memory.
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include "gate/sampler.hpp"
#include "gate/weight_map.hpp"
#include "skin_tracker/frame/frames.hpp"
#include "skin_tracker/gate/classifiers.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

using test::all_frame_formats;
using test::RandomFrame;

class SamplerCuda : public test::CudaFixture {};

TEST_F(SamplerCuda, SamplesAreThoseOfTheCpu) {
  std::uint64_t seed = 90;
  const PixelBox region{11, 5, 150, 90};
  for (const Classifier& classifier : test::sampled_classifiers()) {
    for (const FrameFormat format : all_frame_formats) {
      RandomFrame frame(format, 202, 102, ++seed, 3);
      SCOPED_TRACE(frame.words());
      const auto sampler = make_sampler(classifier, format, 0, Device::cuda(0));
      for (const int step : {1, 2, 7}) {
        const auto memory = upload(frame.bytes());
        const int samples = (150 / step) * (90 / step);
        const auto count = static_cast<std::size_t>(samples);
        std::vector<std::uint16_t> on_host(count, 1), on_gpu(count, 2);
        sampler->sample(frame.host(), region, step, on_host);
        sampler->sample(frame.device(memory.data()), region, step, on_gpu);
        EXPECT_EQ(on_gpu, on_host);
        for (auto& byte : frame.bytes()) byte = static_cast<std::uint8_t>(byte + 77);
        sampler->sample(frame.host(), region, step, on_host);
        EXPECT_NE(on_gpu, on_host);
      }
    }
  }
}

TEST_F(SamplerCuda, RefusesMoreThanItHasRoomFor) {
  const RandomFrame frame(FrameFormat::rgb, 200, 100, 7);
  const auto memory = upload(frame.bytes());
  const auto sampler = make_sampler(test::sampled_classifiers()[0], FrameFormat::rgb, 0, Device::cuda(0));
  std::vector<std::uint16_t> samples(200 * 100);
  ASSERT_GT(samples.size(), WeightMap::max_samples);
  EXPECT_ERROR(sampler->sample(frame.device(memory.data()), frame.host().whole(), 1, samples),
               InvalidArgument, "at a time");
  samples.resize(7);
  EXPECT_ERROR(sampler->sample(frame.device(memory.data()), frame.host().whole(), 1, samples),
               InvalidArgument, "room for 7");
}

// A gate by the colours of a calibration adds the cells of their histogram to what a tracker has anyway, and
// nothing that is as large as a frame.
TEST_F(SamplerCuda, AGateByColoursAddsOneSmallAllocation) {
  const Classifier filter = test::sampled_classifiers()[0], colours = test::sampled_classifiers()[1];
  struct Count {
    std::int64_t device, pinned;
  };
  const RandomFrame frame(FrameFormat::rgba, 640, 480, 7);
  const auto made = [&](const Device& device, bool by_colours) {
    TrackerOptions options;
    options.gate = true;
    if (by_colours) options.gate_by.emplace(colours);
    const Count before{device_allocation_count(), pinned_allocation_count()};
    Tracker tracker(filter, options, device);
    tracker.step(frame.host());
    return Count{device_allocation_count() - before.device, pinned_allocation_count() - before.pinned};
  };
  for (const Device& device : {Device::cuda(), Device::joint()}) {
    made(device, false);  // what is allocated once in a process
    const Count own = made(device, false), by_colours = made(device, true);
    EXPECT_EQ(by_colours.device, own.device + 1);
    EXPECT_EQ(by_colours.pinned, own.pinned);
  }
}

TEST_F(SamplerCuda, SteadyStateAllocatesNothing) {
  const RandomFrame frame(FrameFormat::rgba, 640, 480, 8);
  const auto memory = upload(frame.bytes());
  TrackerOptions options;
  options.gate = true;
  options.gate_by = test::sampled_classifiers()[1];
  Tracker tracker(test::sampled_classifiers()[0], options, Device::cuda());
  tracker.step(frame.host());
  const auto device = device_allocation_count(), pinned = pinned_allocation_count();
  for (int k = 0; k < 5; ++k) {
    tracker.step(frame.device(memory.data()));
    tracker.step(frame.host());
  }
  EXPECT_EQ(device_allocation_count(), device);
  EXPECT_EQ(pinned_allocation_count(), pinned);
}

}  // namespace
}  // namespace triptych::skin_tracker
