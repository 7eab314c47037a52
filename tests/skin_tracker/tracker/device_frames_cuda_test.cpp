// A tracker whose frames are in device memory: the heads of the same frames in host memory, also while other
// streams still write the frames.
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "skin_tracker/frame/frames.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/late_writer.hpp"

namespace triptych::skin_tracker {
namespace {

using test::all_frame_formats;
using test::LateWriter;
using test::RandomFrame;

constexpr LinearFilter filter{0.012, -0.004, -0.006, -0.3};

void expect_same(const TrackedHead& a, const TrackedHead& b) {
  EXPECT_EQ(a.frame, b.frame);
  EXPECT_EQ(a.status, b.status) << b.frame;
  EXPECT_EQ(a.score, b.score) << b.frame;
  EXPECT_EQ(a.x_px, b.x_px) << b.frame;
  EXPECT_EQ(a.y_px, b.y_px) << b.frame;
  EXPECT_EQ(a.area, b.area) << b.frame;
  EXPECT_EQ(a.window, b.window) << b.frame;
  EXPECT_EQ(a.confidence, b.confidence) << b.frame;
  EXPECT_EQ(a.evidence, b.evidence) << b.frame;
  EXPECT_EQ(a.raw.found, b.raw.found) << b.frame;
  if (b.raw.found) {  // otherwise NaN
    EXPECT_EQ(a.raw.xx_px2, b.raw.xx_px2) << b.frame;
  }
}

TrackerOptions gated(bool gate) {
  TrackerOptions options;
  options.gate = gate;
  return options;
}

// submit() returns at once: it waits for no frame to look at a face.
TrackerOptions no_face_check() {
  TrackerOptions options;
  options.min_confidence = 0;
  return options;
}

class TrackerOfDeviceFrames : public test::CudaFixture {
 protected:
  // Two frames, and the heads that they have when they take turns.
  void make(FrameFormat format, int count, bool gate) { make(format, count, gated(gate)); }
  void make(FrameFormat format, int count, const TrackerOptions& options) {
    frames.clear();
    on_device.clear();
    expected.clear();
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      frames.emplace_back(format, 640, 360, 200 + seed, 5);
      on_device.push_back(upload(frames.back().bytes()));
    }
    Tracker host(filter, options, Device::cuda());
    for (int k = 0; k < count; ++k) expected.push_back(host.step(frame(k).host()));
    EXPECT_NE(expected[0].raw.x_px, expected[1].raw.x_px);
  }
  const RandomFrame& frame(int k) const { return frames[static_cast<std::size_t>(k % 2)]; }
  const DeviceBuffer<std::uint8_t>& memory(int k) const { return on_device[static_cast<std::size_t>(k % 2)]; }
  DeviceFrame device(int k) const { return frame(k).device(memory(k).data()); }
  // Holds the pixels of the frame that comes after frame k.
  DeviceBuffer<std::uint8_t> other(int k) { return upload(frame(k + 1).bytes()); }
  const TrackedHead& head(int k) const { return expected[static_cast<std::size_t>(k)]; }

  std::vector<RandomFrame> frames;
  std::vector<DeviceBuffer<std::uint8_t>> on_device;
  std::vector<TrackedHead> expected;
};

TEST_F(TrackerOfDeviceFrames, HasTheHeadsOfFramesInHostMemory) {
  constexpr int count = 12;
  for (const FrameFormat format : all_frame_formats) {
    for (const bool gate : {false, true}) {
      SCOPED_TRACE(testing::Message() << to_string(format) << (gate ? ", gated" : ""));
      make(format, count, gate);
      for (const Device& on : {Device::cuda(), Device::joint()}) {
        Tracker tracker(filter, gated(gate), on);
        for (int k = 0; k < count; ++k) expect_same(tracker.step(device(k)), head(k));
        tracker.reset();
        for (int k = 0, next = 0; next < count; ++next) {
          for (; k < count && tracker.in_flight() < max_in_flight; ++k) tracker.submit(device(k));
          expect_same(tracker.next(), head(next));
        }
      }
    }
  }
}

TEST_F(TrackerOfDeviceFrames, WaitsForAFrameThatIsStillBeingWritten) {
  constexpr int count = 100;
  for (const bool gate : {false, true}) {
    SCOPED_TRACE(gate ? "gated" : "not gated");
    make(FrameFormat::rgb, count, gate);
    DeviceBuffer<std::uint8_t> tensor = other(0);
    Tracker tracker(filter, gated(gate), Device::cuda());
    LateWriter late;
    for (int k = 0; k < count; ++k) {
      tracker.wait(late.write(memory(k), tensor));
      late.count_pending();
      expect_same(tracker.step(frame(k).device(tensor.data())), head(k));
    }
    EXPECT_GT(late.pending(), count / 2);
  }
}

TEST_F(TrackerOfDeviceFrames, WaitsForFramesInFlightThatAreStillBeingWritten) {
  constexpr int count = 100;
  make(FrameFormat::rgba, count, no_face_check());
  std::deque<DeviceBuffer<std::uint8_t>> tensors;
  for (int k = 0; k < max_in_flight; ++k) tensors.push_back(other(k));
  Tracker tracker(filter, no_face_check(), Device::cuda());
  LateWriter late;
  for (int k = 0, next = 0; next < count; ++next) {
    for (; k < count && tracker.in_flight() < max_in_flight; ++k) {
      auto& tensor = tensors[static_cast<std::size_t>(k % max_in_flight)];
      tracker.wait(late.write(memory(k), tensor));
      tracker.submit(frame(k).device(tensor.data()));
      late.count_pending();
    }
    expect_same(tracker.next(), head(next));
  }
  EXPECT_GT(late.pending(), count / 2);
}

// The streams that have to wait are made with the frame.
TEST_F(TrackerOfDeviceFrames, WaitsWithTheFirstFrameAndWithFramesOfAnotherFormat) {
  for (const bool gate : {false, true}) {
    Tracker tracker(filter, gated(gate), Device::cuda()), host(filter, gated(gate), Device::cuda());
    LateWriter late;
    for (const FrameFormat format :
         {FrameFormat::rgb, FrameFormat::nv12, FrameFormat::bgra, FrameFormat::yuyv}) {
      make(format, 2, gate);
      DeviceBuffer<std::uint8_t> tensor = other(0);
      tracker.wait(late.write(memory(0), tensor));
      late.count_pending();
      expect_same(tracker.step(frame(0).device(tensor.data())), host.step(frame(0).host()));
    }
    EXPECT_GT(late.pending(), 2);
  }
}

TEST_F(TrackerOfDeviceFrames, OneWaitHoldsForAllLaterFrames) {
  make(FrameFormat::rgb, 20, no_face_check());
  Tracker tracker(filter, no_face_check(), Device::cuda());
  for (int k = 0; k < 2; ++k) tracker.step(device(k));
  LateWriter late;
  for (int k = 0; k < 9; ++k) {
    tracker.reset();
    DeviceBuffer<std::uint8_t> tensor = other(k);
    tracker.wait(late.write(memory(k), tensor));
    for (int i = 0; i < max_in_flight; ++i) tracker.submit(frame(k).device(tensor.data()));
    late.count_pending();
    for (int i = 0; i < max_in_flight; ++i) EXPECT_EQ(tracker.next().raw.x_px, head(k).raw.x_px) << k;
  }
  EXPECT_GT(late.pending(), 4);
}

TEST_F(TrackerOfDeviceFrames, TheHostWaitsWhereNoStreamCan) {
  make(FrameFormat::rgb, 20, true);
  DeviceBuffer<std::uint8_t> tensor = other(0);
  Tracker cpu(filter, {}, Device::cpu(1)), joint(filter, gated(true), Device::joint());
  LateWriter late;
  for (int k = 0; k < 20; ++k) {
    const Event& written = late.write(memory(k), tensor);
    late.count_pending();
    joint.wait(written);
    EXPECT_TRUE(written.query());
    expect_same(joint.step(frame(k).device(tensor.data())), head(k));
    const Event& again = late.write(memory(k), tensor);
    cpu.wait(again);
    EXPECT_TRUE(again.query());
  }
  EXPECT_GT(late.pending(), 10);
  EXPECT_ERROR(cpu.step(device(0)), InvalidArgument, "on the GPU");
  EXPECT_ERROR(cpu.submit(device(0)), InvalidArgument, "on the GPU");
}

TEST_F(TrackerOfDeviceFrames, WaitingAllocatesNothing) {
  make(FrameFormat::rgb, 20, true);
  Tracker tracker(filter, gated(true), Device::cuda());
  Event event(Timing::off);
  tracker.wait(event);  // one that was never recorded is reached
  for (int k = 0; k < 4; ++k) tracker.step(device(k));
  const auto before = device_allocation_count(), pinned = pinned_allocation_count();
  for (int k = 4; k < 20; ++k) {
    event.record(stream());
    tracker.wait(event);
    expect_same(tracker.step(device(k)), head(k));
  }
  EXPECT_EQ(device_allocation_count(), before);
  EXPECT_EQ(pinned_allocation_count(), pinned);
}

}  // namespace
}  // namespace triptych::skin_tracker
