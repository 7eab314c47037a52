// prepare_cuda against prepare_cpu.
#include <triptych/aam_fit/prepare.hpp>

#include <algorithm>
#include <cmath>

#include "crop/prepare_cuda.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::aam_fit {
namespace {

class PrepareCuda : public test::CudaFixture {
 protected:
  // The planes with rows of `spare` more floats than they are wide.
  std::vector<float> prepared(const std::vector<std::uint8_t>& frame, int width, int height, const Crop& crop,
                              const Features& features, int spare) {
    const auto on_device = upload(frame);
    const int count = channels(features);
    const std::int64_t pitch = crop.width + spare, rows = std::int64_t{crop.height} * count;
    test::GuardedDevice<float> planes(pitch * rows, stream()),
        scratch(prepare_scratch(crop, features), stream());
    prepare_cuda(
        DeviceImageView<const Grey8>(reinterpret_cast<const Grey8*>(on_device.data()), width, height), crop,
        features, scratch.span(), DeviceImageView<float>(planes.span().data(), crop.width, rows, pitch * 4),
        stream());
    const auto all = planes.to_host();
    EXPECT_TRUE(planes.intact());
    EXPECT_TRUE(scratch.intact());
    std::vector<float> values;
    for (std::int64_t y = 0; y < rows; ++y)
      values.insert(values.end(), all.begin() + y * pitch, all.begin() + y * pitch + crop.width);
    return values;
  }
};

TEST_F(PrepareCuda, IsTheCpus) {
  constexpr int width = 203, height = 151;
  const auto frame = test::random_values<std::uint8_t>(width * height, 0, 255, 3);
  const ImageView<const Grey8> view(reinterpret_cast<const Grey8*>(frame.data()), width, height);
  const Crop crops[] = {
      {64, 48, 1, 20, 30}, {61, 49, 2.37, -10.3, 5.2}, {80, 80, 0.41, 90.7, 60.1}, {33, 35, 9.5, -80, -60}};
  const Features kinds[] = {
      {},
      {.kind = FeatureKind::grey, .smooth_px = 1.3f},
      {.kind = FeatureKind::gradient, .smooth_px = 0.8f},
      {.kind = FeatureKind::double_angle, .smooth_px = 0.5f, .local_px = 5, .pool_px = 1.5f},
      {.kind = FeatureKind::orientation, .local_px = 9, .pool_px = 1, .bins = 6}};
  int spare = 0;
  for (const Crop& crop : crops)
    for (const Features& features : kinds) {
      SCOPED_TRACE(testing::Message() << to_string(features.kind) << " steps of " << crop.step);
      Planes planes;
      prepare_cpu(view, crop, features, planes, 1);
      const auto got = prepared(frame, width, height, crop, features, spare++ % 4);
      ASSERT_EQ(got.size(), planes.values.size());
      // the same sums in the same order; a compiler for the host may still fuse one: a few ulp of 255, or of
      // 1 behind a division whose smallest divisor is a half
      const float scale = features.kind == FeatureKind::grey ? 255.0f : 4.0f;
      float worst = 0;
      for (std::size_t i = 0; i < got.size(); ++i)
        worst = std::max(worst, std::abs(got[i] - planes.values[i]));
      EXPECT_LE(worst, 8 * 0x1p-23f * scale * (features.kind == FeatureKind::grey ? 1.0f : 64.0f));
      // another crop is another image
      Crop other = crop;
      other.x_px += 0.5;
      const auto shifted = prepared(frame, width, height, other, features, 0);
      float difference = 0;
      for (std::size_t i = 0; i < got.size(); ++i)
        difference = std::max(difference, std::abs(shifted[i] - planes.values[i]));
      EXPECT_GT(difference, 100 * worst);
    }
}

// 32 frames wide: a pixel's box has a thousand pixels of the frame, most of them beyond its border.
TEST_F(PrepareCuda, LargeCropsAreTheCpus) {
  constexpr int width = 64, height = 48;
  const auto frame = test::random_values<std::uint8_t>(width * height, 0, 255, 3);
  const ImageView<const Grey8> view(reinterpret_cast<const Grey8*>(frame.data()), width, height);
  for (const Crop& crop : {Crop{16, 16, 128, -1000, -1000}, Crop{16, 12, 120.3, -30.2, -1400.1}}) {
    Planes planes;
    prepare_cpu(view, crop, {}, planes, 1);
    const auto got = prepared(frame, width, height, crop, {}, 1);
    ASSERT_EQ(got.size(), planes.values.size());
    // 130 additions along each axis, to sums of no more than 255
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], planes.values[i], 2 * 2 * 130 * 0x1p-24f * 255) << "pixel " << i;
  }
}

TEST_F(PrepareCuda, MoreImagesThanAGridCountsAlongZ) {
  constexpr int faces = 65535 + 50, different = 7, width = 20, height = 15;
  const auto frame = upload(test::random_values<std::uint8_t>(width * height, 0, 255, 3));
  const FrameOnDevice on_device{frame.data(), width, width, height};
  std::vector<Crop> crops;
  crops.reserve(faces);
  for (int i = 0; i < faces; ++i) crops.push_back({6, 5, 1 + 0.1 * (i % different), 2, 3});
  const auto frames = upload(std::vector<FrameOnDevice>(faces, on_device));
  const auto crops_there = upload(crops);
  for (const Features& features :
       {Features{.kind = FeatureKind::grey, .smooth_px = 1},
        Features{.kind = FeatureKind::double_angle, .local_px = 2, .pool_px = 1}}) {
    const std::int64_t size = std::int64_t{6} * 5 * channels(features);
    test::GuardedDevice<float> planes(faces * size, stream()),
        scratch(faces * scratch_floats(6, 5, features), stream());
    PrepareTask task;
    task.faces = faces;
    task.width = 6;
    task.height = 5;
    task.frames = frames.data();
    task.crops = crops_there.data();
    task.scratch = scratch.span().data();
    task.planes = planes.span().data();
    task.pitch = 6;
    task.face = size;
    launch_prepare(task, features, stream());
    const auto all = planes.to_host();
    EXPECT_TRUE(planes.intact());
    EXPECT_TRUE(scratch.intact());
    for (std::int64_t i = different; i < faces; ++i)
      ASSERT_TRUE(std::equal(all.begin() + i * size, all.begin() + (i + 1) * size,
                             all.begin() + i % different * size))
          << "face " << i;
    EXPECT_FALSE(std::equal(all.begin(), all.begin() + size, all.begin() + size));
  }
}

TEST_F(PrepareCuda, SaysWhatIsWrong) {
  const auto frame = upload(std::vector<std::uint8_t>(100, 1));
  const DeviceImageView<const Grey8> view(reinterpret_cast<const Grey8*>(frame.data()), 10, 10);
  DeviceBuffer<float> scratch(10), planes(64);
  const DeviceImageView<float> out(planes.data(), 8, 8);
  EXPECT_ERROR(prepare_cuda(view, {8, 8, 1, 0, 0}, {}, scratch.span(), out, stream()), InvalidArgument,
               "scratch");
  DeviceBuffer<float> enough(prepare_scratch({8, 8, 1, 0, 0}, {}));
  EXPECT_ERROR(prepare_cuda(view, {8, 9, 1, 0, 0}, {}, scratch.span(), out, stream()), InvalidArgument,
               "scratch");
  EXPECT_ERROR(prepare_cuda(view, {7, 8, 1, 0, 0}, {}, enough.span(), out, stream()), InvalidArgument,
               "planes");
  EXPECT_ERROR(prepare_cuda(view, {8, 8, 0, 0, 0}, {}, enough.span(), out, stream()), InvalidArgument,
               "crop");
}

}  // namespace
}  // namespace triptych::aam_fit
