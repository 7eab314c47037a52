#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "skin_tracker/moments/double_sums.hpp"
#include "skin_tracker/moments/print_moments.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr LinearFilter filter{0.0061, -0.0007, -0.0012, 0.05};

TEST(Variants, NamesGoBothWays) {
  EXPECT_EQ(all_variants().size(), 18u);
  for (const Variant variant : all_variants()) EXPECT_EQ(parse_variant(to_string(variant)), variant);
  EXPECT_EQ(to_string(Variant::cpu3), "cpu3");
  EXPECT_ERROR(parse_variant("cpu4"), InvalidArgument, "\"cpu4\" is no variant; expected one of gpu1, gpu2");
  EXPECT_ERROR(to_string(static_cast<Variant>(99)), InvalidArgument, "number 99");
}

TEST(Variants, KnowWhatTheyNeed) {
  for (const Variant variant : all_variants()) {
    const std::string name = to_string(variant);
    const bool gpu =
        name.starts_with("gpu") || name == "joint" || name == "fast" || name == "cub" || name == "thrust";
    EXPECT_EQ(needs_gpu(variant), gpu) << name;
    EXPECT_EQ(needs_table(variant), name == "cpu2" || name == "cpu3" || name == "joint") << name;
  }
}

TEST(Variants, HeadOfFloatSums) {
  const Head head = head_of(FloatMoments{8, 40, 24}, 16, 4);
  EXPECT_TRUE(head.found);
  EXPECT_EQ(head.x_px, 5);
  EXPECT_EQ(head.y_px, 3);
  EXPECT_EQ(head.area, 0.125);
  EXPECT_TRUE(std::isnan(head.xx_px2));
  EXPECT_FALSE(head_of(FloatMoments{}, 16, 4).found);
  EXPECT_FALSE(head_of(FloatMoments{std::nanf(""), 0, 0}, 16, 4).found);
}

// Moments of numbers >= 0 in which each goes through at most `depth` additions err by at most depth u
// relatively (u = 2^-24, to first order); a weight and its product with a place are rounded a few times more,
// from terms that together are at most 3 times as large as a whole weight.
constexpr double u = 0x1p-24;
double relative_bound(double depth) { return depth * u / (1 - depth * u); }
double weight_error() { return 8 * u * 3; }

testing::AssertionResult within(const FloatMoments& sums, const test::DoubleSums& exact, double depth,
                                std::int64_t width, std::int64_t height) {
  const double bound = relative_bound(depth + 2);
  const double n = static_cast<double>(width * height);
  const double w = std::abs(double{sums.weight} - exact.weight),
               w_bound = bound * exact.weight + weight_error() * n;
  const double x = std::abs(double{sums.x} - exact.x);
  const double x_bound = bound * exact.x + weight_error() * n * static_cast<double>(width);
  const double y = std::abs(double{sums.y} - exact.y);
  const double y_bound = bound * exact.y + weight_error() * n * static_cast<double>(height);
  if (w <= w_bound && x <= x_bound && y <= y_bound) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "off by " << w << ", " << x << ", " << y << " where at most "
                                     << w_bound << ", " << x_bound << ", " << y_bound << " was allowed";
}

// Skin in the middle, something else around it, all with noise.
std::vector<Rgba8> picture(std::int64_t width, std::int64_t height, std::uint64_t seed) {
  const auto noise = test::random_values<std::uint8_t>(width * 8, 0, 15, seed);
  std::vector<Rgba8> pixels(static_cast<std::size_t>(width * height));
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const double dx = (static_cast<double>(x) / static_cast<double>(width) - 0.6) * 3;
      const double dy = (static_cast<double>(y) / static_cast<double>(height) - 0.55) * 2.5;
      const bool skin = dx * dx + dy * dy < 1;
      const std::uint8_t n = noise[static_cast<std::size_t>((x * 7 + y * 13) % (width * 8))];
      const auto plus = [n](int v) { return static_cast<std::uint8_t>(v + n); };
      pixels[static_cast<std::size_t>(y * width + x)] =
          skin ? Rgba8{plus(190), plus(130), plus(110), 255} : Rgba8{plus(60), plus(80), plus(90), n};
    }
  }
  return pixels;
}

const WeightTable<float>& table() {
  static const WeightTable<float> weights{Classifier{filter}};
  return weights;
}

TEST(VariantsCpu, AreTheFormulaOnSmallFrames) {
  for (const std::int64_t width : {1, 31, 33, 100}) {
    const std::int64_t height = 37;
    constexpr std::uint64_t seed = 4;
    TRIPTYCH_TRACE_SEED(seed);
    const std::vector<Rgba8> pixels = picture(width, height + 1, seed);
    const ImageView<const Rgba8> frame(pixels.data(), std::max<std::int64_t>(1, width - 1), height,
                                       width * std::int64_t{sizeof(Rgba8)});
    const test::DoubleSums exact = test::double_sums(frame, filter);
    const auto n = static_cast<double>(width * height);
    EXPECT_TRUE(within(moments_cpu1(frame, filter), exact, n, frame.width(), height));
    EXPECT_TRUE(within(moments_cpu2(frame, table()), exact, n, frame.width(), height));
    EXPECT_TRUE(within(moments_cpu3(frame, table(), 2), exact, n, frame.width(), height));
    FloatMoments wrong = moments_cpu1(frame, filter);
    wrong.x *= 1.01f;
    wrong.weight *= 0.99f;
    EXPECT_FALSE(within(wrong, exact, n, frame.width(), height));
  }
  EXPECT_EQ(moments_cpu3(ImageView<const Rgba8>{}, table()).weight, 0);
}

TEST(VariantsCpu, FixedHasTheBitsOfTheFastPaths) {
  PhiloxStream random(12, 0);
  std::vector<Rgba8> pixels(321 * 77);
  for (Rgba8& p : pixels) {
    const std::uint32_t word = random.next();
    p = {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
         static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
  }
  const ImageView<const Rgba8> frame(pixels.data(), 321, 77);
  EXPECT_EQ(moments_fixed(frame, filter), moments_cpu(Frame(frame), {0, 0, 321, 77}, filter));
}

TEST(VariantsCpu, JointNeedsAGpu) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_ERROR(JointVariant(filter, 64, 48), Unavailable, "");
}

TEST(VariantsCpu, ThreadsDoNotChangeTheResult) {
  const std::vector<Rgba8> pixels = picture(300, 211, 6);
  const ImageView<const Rgba8> frame(pixels.data(), 300, 211);
  const FloatMoments one = moments_cpu3(frame, table(), 1);
  for (const int threads : {2, 3, 8}) {
    const FloatMoments many = moments_cpu3(frame, table(), threads);
    EXPECT_EQ(one.weight, many.weight);
    EXPECT_EQ(one.x, many.x);
    EXPECT_EQ(one.y, many.y);
  }
}

// How deep a good float sum is: a thread's few hundred numbers and a tree of the threads.
constexpr double good_depth = 512;
// In cpu3: a chunk of 8 rows after another, then the chunks.
double depth_of_cpu3(std::int64_t width, std::int64_t height) {
  return static_cast<double>(8 * width) + static_cast<double>(height) / 8 + 1;
}

// The paper's loop adds everything to one float: at 1080p it keeps the (weak) bound of that order, but is far
// outside of what a good order of float additions guarantees; the exact sums are not off at all.
TEST(VariantsCpu, OneFloatIsNotEnoughAt1080p) {
  const std::int64_t width = 1920, height = 1080;
  const std::vector<Rgba8> pixels = picture(width, height, 1);
  const ImageView<const Rgba8> frame(pixels.data(), width, height);
  const test::DoubleSums exact = test::double_sums(frame, filter);
  const auto n = static_cast<double>(width * height);
  const FloatMoments cpu1 = moments_cpu1(frame, filter), cpu2 = moments_cpu2(frame, table());
  EXPECT_TRUE(within(cpu1, exact, n, width, height));
  EXPECT_TRUE(within(cpu2, exact, n, width, height));
  EXPECT_FALSE(within(cpu1, exact, good_depth, width, height));
  EXPECT_TRUE(within(moments_cpu3(frame, table()), exact, depth_of_cpu3(width, height), width, height));

  const Head head = locate_cpu(frame, filter);
  const double exact_x = exact.x / exact.weight, exact_y = exact.y / exact.weight;
  EXPECT_NEAR(head.x_px, exact_x, 1e-2);
  EXPECT_NEAR(head.y_px, exact_y, 1e-2);
  const Head plain = head_of(cpu1, width, height);
  EXPECT_GT(std::hypot(plain.x_px - exact_x, plain.y_px - exact_y), 0.05);
  RecordProperty("cpu1_error_px", std::to_string(std::hypot(plain.x_px - exact_x, plain.y_px - exact_y)));
}

// At 8K there are more pixels than 2^24: the bound of one float says nothing, and the result is useless.
TEST(VariantsCpu, OneFloatIsUselessAt8K) {
  const std::int64_t width = 7680, height = 4320;
  const std::vector<Rgba8> pixels(static_cast<std::size_t>(width * height), Rgba8{150, 60, 40, 255});
  const ImageView<const Rgba8> frame(pixels.data(), width, height);
  const double w = filter.weight(150, 60, 40);  // the same everywhere: the sums in closed form
  const auto n = static_cast<double>(width * height);
  const test::DoubleSums exact{w * n, w * n * static_cast<double>(width - 1) / 2,
                               w * n * static_cast<double>(height - 1) / 2};
  const FloatMoments cpu1 = moments_cpu1(frame, filter);
  EXPECT_GT(n * u, 1);
  EXPECT_FALSE(within(cpu1, exact, good_depth, width, height));
  EXPECT_TRUE(within(moments_cpu3(frame, table()), exact, depth_of_cpu3(width, height), width, height));
  const Head plain = head_of(cpu1, static_cast<int>(width), static_cast<int>(height));
  EXPECT_GT(std::hypot(plain.x_px - 3839.5, plain.y_px - 2159.5), 100);
  const Head head = locate_cpu(frame, filter);
  EXPECT_DOUBLE_EQ(head.x_px, 3839.5);
  EXPECT_DOUBLE_EQ(head.y_px, 2159.5);
}

}  // namespace
}  // namespace triptych::skin_tracker
