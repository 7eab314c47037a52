// The paper's GPU versions: float sums within the bound that follows from the order of their additions.
#include <triptych/core/graph.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "skin_tracker/frame/frames.hpp"
#include "skin_tracker/moments/double_sums.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

using test::GuardedDevice;
using test::RandomFrame;

constexpr LinearFilter filter{0.012, -0.004, -0.006, -0.3};
constexpr Variant gpu_variants[] = {Variant::gpu1, Variant::gpu2, Variant::gpu3, Variant::gpu4,
                                    Variant::gpu5, Variant::gpu6, Variant::gpu7, Variant::gpu8};

ImageView<const Rgba8> image_of(const Frame& frame) {
  return {reinterpret_cast<const Rgba8*>(frame.data()), frame.width(), frame.height(), frame.pitch_bytes()};
}
DeviceImageView<const Rgba8> image_of(const DeviceFrame& frame) {
  return {reinterpret_cast<const Rgba8*>(frame.data()), frame.width(), frame.height(), frame.pitch_bytes()};
}

// The longest chain of additions. gpu1: every pixel on one sum. gpu2: 256 in a block, then its blocks, of
// which there is one for 256 pixels. gpu8: a thread's pixels, 256 threads, at most 1024 blocks. The others:
// what the reduction module documents for sums in a fixed order.
double chain_of(Variant variant, double pixels) {
  switch (variant) {
    case Variant::gpu1:
      return pixels;
    case Variant::gpu2:
      return 256 + std::ceil(pixels / 256);
    case Variant::gpu8:
      return std::ceil(pixels / (1024 * 256)) + 256 + 1024;
    default:
      return 146;
  }
}

class VariantsCuda : public test::CudaFixture {
 protected:
  FloatMoments sum(Variant variant, const DeviceFrame& frame) {
    return result_of<FloatMoments>([&](FloatMoments* sums) {
      moments_gpu_variant(variant, image_of(frame), filter, sums, workspace_, stream());
    });
  }
};

TEST_F(VariantsCuda, EachStaysWithinTheBoundOfItsOrder) {
  const double eps = std::ldexp(1.0, -24);
  for (const auto& [width, height, padding] :
       {std::tuple{1920, 1080, 0}, {1917, 1079, 64}, {33, 7, 4}, {1, 1, 0}}) {
    const RandomFrame frame(FrameFormat::rgba, width, height, 31, padding);
    const auto memory = upload(frame.bytes());
    const test::DoubleSums exact = test::double_sums(image_of(frame.host()), filter);
    // A weight: four products and sums of terms up to 255 (|r| + |g| + |b|) + |d|, and coefficients that are
    // rounded to float: 6 roundings of that.
    const double of_weight =
        6 * eps * (255 * (std::abs(filter.r) + std::abs(filter.g) + std::abs(filter.b)) + std::abs(filter.d));
    for (const Variant variant : gpu_variants) {
      const FloatMoments sums = sum(variant, frame.device(memory.data()));
      const double pixels = static_cast<double>(width) * height;
      const double of_order = (chain_of(variant, pixels) + 2) * eps;
      EXPECT_NEAR(sums.weight, exact.weight, of_order * exact.weight + of_weight * pixels)
          << to_string(variant) << ", " << frame.words();
      EXPECT_NEAR(sums.x, exact.x, of_order * exact.x + of_weight * exact.columns)
          << to_string(variant) << ", " << frame.words();
      EXPECT_NEAR(sums.y, exact.y, of_order * exact.y + of_weight * exact.rows)
          << to_string(variant) << ", " << frame.words();
    }
  }
}

TEST_F(VariantsCuda, TheOnesWithAFixedOrderRepeatTheirBits) {
  const RandomFrame frame(FrameFormat::rgba, 1920, 1080, 32);
  const auto memory = upload(frame.bytes());
  for (const Variant variant : gpu_variants) {
    if (variant == Variant::gpu1 || variant == Variant::gpu2 || variant == Variant::gpu8) continue;
    const FloatMoments first = sum(variant, frame.device(memory.data()));
    for (int run = 0; run < 20; ++run) {
      const FloatMoments again = sum(variant, frame.device(memory.data()));
      EXPECT_EQ(std::bit_cast<std::uint32_t>(again.weight), std::bit_cast<std::uint32_t>(first.weight));
      EXPECT_EQ(std::bit_cast<std::uint32_t>(again.x), std::bit_cast<std::uint32_t>(first.x));
      EXPECT_EQ(std::bit_cast<std::uint32_t>(again.y), std::bit_cast<std::uint32_t>(first.y));
    }
  }
}

TEST_F(VariantsCuda, AChangedPixelChangesTheSums) {
  RandomFrame frame(FrameFormat::rgba, 64, 48, 33);
  const std::size_t last = std::size_t{4} * (64 * 48 - 1);
  frame.bytes()[last] = 255;
  frame.bytes()[last + 1] = frame.bytes()[last + 2] = 0;
  const auto memory = upload(frame.bytes());
  frame.bytes()[last] = 0;
  const auto changed = upload(frame.bytes());
  for (const Variant variant : gpu_variants) {
    const double difference = double{sum(variant, frame.device(memory.data())).weight} -
                              double{sum(variant, frame.device(changed.data())).weight};
    EXPECT_NEAR(difference, 1, 0.01) << to_string(variant);  // sums of 1000: float keeps 1e-4
  }
}

TEST_F(VariantsCuda, AllAreCapturedAndAllocateNothing) {
  const RandomFrame frame(FrameFormat::rgba, 640, 480, 34);
  const auto memory = upload(frame.bytes());
  const DeviceFrame device = frame.device(memory.data());
  GuardedDevice<FloatMoments> result(8, stream());
  const auto all = [&] {
    for (int k = 0; k < 8; ++k)
      moments_gpu_variant(gpu_variants[k], image_of(device), filter, result.span().data() + k, workspace_,
                          stream());
  };
  all();
  stream().synchronize();
  const auto before = device_allocation_count();
  const Graph graph = Graph::capture(stream(), all);
  graph.launch(stream());
  EXPECT_EQ(device_allocation_count(), before);
  const test::DoubleSums exact = test::double_sums(image_of(frame.host()), filter);
  for (const FloatMoments& sums : result.to_host())
    EXPECT_NEAR(sums.weight, exact.weight, 0.02 * exact.weight);
}

// Each part within the bound of its additions: those of gpu8 and of cpu3's scan order, at most all pixels.
TEST_F(VariantsCuda, JointFindsTheHeadWhateverTheShares) {
  const RandomFrame frame(FrameFormat::rgba, 320, 240, 36);
  const test::DoubleSums exact = test::double_sums(image_of(frame.host()), filter);
  const double bound = 320 * 240 * std::ldexp(1.0, -24);
  JointVariant joint(filter, 320, 240);
  for (int k = 0; k < 40; ++k) {
    const FloatMoments sums = joint.moments(image_of(frame.host()));
    EXPECT_NEAR(sums.weight, exact.weight, bound * exact.weight) << k;
    EXPECT_NEAR(sums.x, exact.x, 2 * bound * exact.x) << k;
    EXPECT_NEAR(sums.y, exact.y, 2 * bound * exact.y) << k;
  }
  EXPECT_ERROR(joint.moments({}), InvalidArgument, "0 x 0");
}

TEST_F(VariantsCuda, BadInputIsRefused) {
  const RandomFrame frame(FrameFormat::rgba, 64, 48, 35);
  const auto memory = upload(frame.bytes());
  const auto image = image_of(frame.device(memory.data()));
  GuardedDevice<FloatMoments> result(1, stream());
  FloatMoments* sums = result.span().data();
  EXPECT_ERROR(moments_gpu_variant(Variant::cpu1, image, filter, sums, workspace_, stream()), InvalidArgument,
               "cpu1");
  EXPECT_ERROR(moments_gpu_variant(Variant::gpu1, image, filter, nullptr, workspace_, stream()),
               InvalidArgument, "result");
}

}  // namespace
}  // namespace triptych::skin_tracker
