// Fitter and FaceTracker with frames in device memory: the fits of the same frames in host memory, also while
// other streams still write the frames.
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/core/clock.hpp>

#include <algorithm>
#include <deque>
#include <tuple>

#include "aam_fit/fitter/made_up_world.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/late_writer.hpp"

namespace triptych::aam_fit {
namespace {

using test::displaced;
using test::LateWriter;
using test::make_world;
using test::World;

void expect_same(const Fit& a, const Fit& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.landmarks, b.landmarks);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.iterations, b.iterations);
}

DeviceImageView<const Grey8> view_of(const DeviceBuffer<Grey8>& pixels, const Image<Grey8>& like) {
  return {pixels.data(), like.width, like.height};
}

class FitterOfDeviceFrames : public test::CudaFixture {
 protected:
  FitterOfDeviceFrames() : world(make_world({}, 4, 11)), mirrored(world.frame) {
    for (std::int64_t y = 0; y < mirrored.height; ++y)
      for (std::int64_t x = 0; x < mirrored.width; ++x)
        mirrored.view().at(x, y) = world.frame.view().at(mirrored.width - 1 - x, y);
  }
  void SetUp() override {
    CudaFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    for (int k = 0; k < 2; ++k) on_device.push_back(upload(frame(k).pixels));
  }

  // The frame and its mirror image take turns.
  const Image<Grey8>& frame(int k) const { return k % 2 == 0 ? world.frame : mirrored; }
  const DeviceBuffer<Grey8>& pixels(int k) const { return on_device[static_cast<std::size_t>(k % 2)]; }
  Shape start(int k) const { return displaced(world.truth, 0.01 * (k % 5), -0.005 * (k % 7), 1); }
  Face host(int k) const { return {frame(k).view(), start(k)}; }
  DeviceFace device(int k) const { return {view_of(pixels(k), frame(k)), start(k)}; }

  const World world;
  Image<Grey8> mirrored;
  std::vector<DeviceBuffer<Grey8>> on_device;
};

TEST_F(FitterOfDeviceFrames, HasTheFitsOfFramesInHostMemory) {
  constexpr int count = 12;
  for (const int max_faces : {1, 5}) {
    SCOPED_TRACE(testing::Message() << "batches of " << max_faces);
    Fitter from_host(world.model, {.max_faces = max_faces}, Device::cuda());
    Fitter from_device(world.model, {.max_faces = max_faces}, Device::cuda());
    std::vector<Face> faces;
    std::vector<DeviceFace> faces_on_device;
    std::vector<Fit> expected;
    for (int k = 0; k < count; ++k) {
      SCOPED_TRACE(testing::Message() << "face " << k);
      faces.push_back(host(k));
      faces_on_device.push_back(device(k));
      expected.push_back(from_host.step(faces.back()));
      expect_same(from_device.step(faces_on_device.back()), expected.back());
    }
    EXPECT_NE(expected[0].landmarks, expected[1].landmarks);
    for (int k = 0, next = 0; next < count; ++next) {
      for (; k < count && from_device.in_flight() < max_in_flight; ++k) {
        if (k % 3 == 1) {
          from_device.submit(host(k));
        } else {
          from_device.submit(device(k));
        }
      }
      expect_same(from_device.next(), expected[static_cast<std::size_t>(next)]);
    }
    const std::vector<Fit> batch = from_host.step(faces), device_batch = from_device.step(faces_on_device);
    ASSERT_EQ(device_batch.size(), batch.size());
    for (std::size_t k = 0; k < batch.size(); ++k) expect_same(device_batch[k], batch[k]);
    const auto before = device_allocation_count(), pinned = pinned_allocation_count();
    Event event(Timing::off);
    event.record(stream());
    from_device.wait(event);
    from_device.step(faces_on_device);
    from_device.wait(event);
    from_device.step(faces_on_device[0]);
    EXPECT_EQ(device_allocation_count(), before);
    EXPECT_EQ(pinned_allocation_count(), pinned);
  }
}

// Two faces of a large frame, and one of a small frame between them.
TEST_F(FitterOfDeviceFrames, HasTheFitsOfALargeFrameInHostMemory) {
  constexpr std::int64_t left = 777, top = 411;
  Image<Grey8> large(1301, 903);
  std::fill(large.pixels.begin(), large.pixels.end(), Grey8{90});
  for (std::int64_t y = 0; y < world.frame.height; ++y)
    std::copy_n(world.frame.view().row(y).data(), world.frame.width,
                large.view().row(top + y).subspan(left).begin());
  const DeviceBuffer<Grey8> memory = upload(large.pixels);
  Fitter from_host(world.model, {.max_faces = 3}, Device::cuda()),
      from_device(world.model, {.max_faces = 3}, Device::cuda());
  std::vector<Face> faces;
  std::vector<DeviceFace> faces_on_device;
  for (int k = 0; k < 3; ++k) {
    Shape begin = start(k);
    for (Point& p : begin) p = {p.x + left, p.y + top};
    const bool is_small = k == 1;  // between two that share the large one
    faces.push_back(is_small ? host(k) : Face{large.view(), begin});
    faces_on_device.push_back(is_small ? device(k) : DeviceFace{view_of(memory, large), begin});
    const Fit fit = from_host.step(faces.back());
    EXPECT_NE(fit.status, FitStatus::lost_contrast);
    expect_same(from_device.step(faces_on_device.back()), fit);
  }
  const std::vector<Fit> batch = from_host.step(faces), device_batch = from_device.step(faces_on_device);
  ASSERT_EQ(batch.size(), device_batch.size());
  for (std::size_t k = 0; k < batch.size(); ++k) expect_same(device_batch[k], batch[k]);
}

// A region of a larger image: its rows lie further apart, and begin anywhere.
TEST_F(FitterOfDeviceFrames, ReadsAFrameWithAPitch) {
  constexpr int pitch = 401, left = 13, top = 7;
  std::vector<Grey8> large(static_cast<std::size_t>(pitch * (top + world.frame.height + 3)), Grey8{200});
  for (std::int64_t y = 0; y < world.frame.height; ++y)
    std::copy_n(world.frame.view().row(y).data(), world.frame.width,
                large.begin() + (top + y) * pitch + left);
  const DeviceBuffer<Grey8> memory = upload(large);
  const auto region = DeviceImageView<const Grey8>(memory.data(), pitch, top + world.frame.height + 3)
                          .region(left, top, world.frame.width, world.frame.height);
  Fitter fitter(world.model, {}, Device::cuda());
  expect_same(fitter.step(DeviceFace{region, start(0)}), fitter.step(host(0)));
}

TEST_F(FitterOfDeviceFrames, WaitsForAFrameThatIsStillBeingWritten) {
  constexpr int count = 100;
  for (const int max_faces : {1, 3}) {
    Fitter from_host(world.model, {.max_faces = max_faces}, Device::cuda());
    Fitter fitter(world.model, {.max_faces = max_faces}, Device::cuda());
    DeviceBuffer<Grey8> tensor = upload(frame(1).pixels);
    LateWriter late;
    for (int k = 0; k < count; ++k) {
      SCOPED_TRACE(testing::Message() << "batches of " << max_faces << ", frame " << k);
      // three faces are a batch, or three fits one after the other
      const std::size_t faces = k % 4 < 2 ? 1 : 3;
      const std::vector<Fit> expected = from_host.step(std::vector<Face>(faces, host(k)));
      fitter.wait(late.write(pixels(k), tensor));
      late.count_pending();
      const std::vector<Fit> fits =
          fitter.step(std::vector<DeviceFace>(faces, {view_of(tensor, frame(k)), start(k)}));
      ASSERT_EQ(fits.size(), faces);
      for (std::size_t i = 0; i < faces; ++i) expect_same(fits[i], expected[i]);
    }
    EXPECT_GT(late.pending(), count / 2);
  }
}

TEST_F(FitterOfDeviceFrames, WaitsForFramesInFlightThatAreStillBeingWritten) {
  constexpr int count = 100;
  Fitter from_host(world.model, {}, Device::cuda()), fitter(world.model, {}, Device::cuda());
  std::deque<DeviceBuffer<Grey8>> tensors;
  for (int k = 0; k < max_in_flight; ++k) tensors.push_back(upload(frame(k + 1).pixels));
  const DeviceFace first{view_of(tensors[0], frame(1)), start(0)};
  fitter.step(first);
  const Stopwatch watch;
  fitter.step(first);
  LateWriter late(watch.elapsed_us());  // milliseconds under a sanitizer
  for (int k = 0, next = 0; next < count; ++next) {
    for (; k < count && fitter.in_flight() < max_in_flight; ++k) {
      DeviceBuffer<Grey8>& tensor = tensors[static_cast<std::size_t>(k % max_in_flight)];
      fitter.wait(late.write(pixels(k), tensor));
      fitter.submit(DeviceFace{view_of(tensor, frame(k)), start(k)});
      late.count_pending();
    }
    SCOPED_TRACE(testing::Message() << "frame " << next);
    expect_same(fitter.next(), from_host.step(host(next)));
  }
  EXPECT_GT(late.pending(), count / 2);
}

// reset() and the destructor return when the frames are not read any more: they may be freed and written.
TEST_F(FitterOfDeviceFrames, DropsFramesThatAreStillBeingWritten) {
  Fitter fitter(world.model, {}, Device::cuda());
  const Fit expected = fitter.step(host(0));
  LateWriter late;
  for (int k = 0; k < 10; ++k) {
    DeviceBuffer<Grey8> tensor = upload(frame(1).pixels);
    Fitter shorter(world.model, {}, Device::cuda());
    const Event& written = late.write(pixels(0), tensor);
    fitter.wait(written);
    shorter.wait(written);
    for (int i = 0; i < max_in_flight; ++i) {
      fitter.submit(DeviceFace{view_of(tensor, frame(0)), start(0)});
      shorter.submit(DeviceFace{view_of(tensor, frame(0)), start(0)});
    }
    fitter.reset();
    EXPECT_TRUE(written.query());
    EXPECT_EQ(fitter.in_flight(), 0);
    expect_same(fitter.step(device(0)), expected);
  }
}

TEST_F(FitterOfDeviceFrames, TracksAFaceAsInHostMemory) {
  const FaceTrackerOptions options{.box = bounds(world.truth)};
  FaceTracker from_host(world.model, options, Device::cuda()), tracker(world.model, options, Device::cuda());
  DeviceBuffer<Grey8> tensor = upload(mirrored.pixels);
  const Image<Grey8> grey(world.frame.width, world.frame.height,
                          std::vector<Grey8>(world.frame.pixels.size(), Grey8{80}));
  const DeviceBuffer<Grey8> grey_on_device = upload(grey.pixels);
  LateWriter late;
  for (int k = 0; k < 100; ++k) {
    SCOPED_TRACE(testing::Message() << "frame " << k);
    const bool hidden = k % 10 == 7;  // the face is lost there, and a second fit starts from the box
    tracker.wait(late.write(hidden ? grey_on_device : pixels(0), tensor));
    late.count_pending();
    TrackedFace face;
    if (k % 2 == 0) {
      face = tracker.step(view_of(tensor, grey));
    } else {
      tracker.submit(view_of(tensor, grey));
      face = tracker.next();
    }
    const TrackedFace expected = from_host.step(hidden ? grey.view() : world.frame.view());
    EXPECT_EQ(face.status, expected.status);
    EXPECT_EQ(face.found(), !hidden);
    expect_same(face.fit, expected.fit);
    fill_bytes(tensor.span(), 0, stream());
    stream().synchronize();
  }
  EXPECT_GT(late.pending(), 50);
}

TEST_F(FitterOfDeviceFrames, RefusesWhatItCannotRead) {
  Fitter fitter(world.model, {}, Device::cuda()), cpu(world.model, {}, Device::cpu(1));
  FaceTracker tracker(world.model, {}, Device::cpu(1));
  const Fit expected = fitter.step(host(0));
  const DeviceBuffer<Grey8> wide(1921 * 16);
  const std::vector<DeviceFace> refused = {DeviceFace{{}, start(0)},
                                           DeviceFace{{wide.data(), 1921, 16}, start(0)},
                                           DeviceFace{device(0).frame, Shape(5)}};
  for (const DeviceFace& face : refused) {
    EXPECT_THROW(fitter.step(face), InvalidArgument);
    EXPECT_THROW(fitter.step(std::vector{device(0), face}), InvalidArgument);
    EXPECT_THROW(fitter.submit(face), InvalidArgument);
    EXPECT_EQ(fitter.in_flight(), 0);
    expect_same(fitter.step(device(0)), expected);
  }
  EXPECT_ERROR(cpu.step(device(0)), InvalidArgument, "cannot read device memory");
  EXPECT_ERROR(cpu.submit(device(0)), InvalidArgument, "cannot read device memory");
  EXPECT_ERROR(tracker.step(device(0).frame), InvalidArgument, "cannot read device memory");
  LateWriter late;
  DeviceBuffer<Grey8> tensor = upload(frame(1).pixels);
  const Event& written = late.write(pixels(0), tensor);
  cpu.wait(written);
  EXPECT_TRUE(written.query());
}

}  // namespace
}  // namespace triptych::aam_fit
