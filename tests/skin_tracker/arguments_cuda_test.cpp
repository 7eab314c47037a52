// The functions for the GPU refuse bad arguments before they touch one: this table needs no GPU.
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/variants.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "testing/refusals.hpp"

namespace triptych::skin_tracker {
namespace {

using test::Refusal;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr LinearFilter filter = generic_skin_filter;
constexpr std::int64_t colours = WeightTable<std::uint16_t>::colours;
constexpr PixelBox whole{0, 0, 64, 48};
const StreamRef no_stream(static_cast<CUstream_st*>(nullptr));

// Addresses that are never read.
alignas(16) std::uint8_t place[64];
const std::uint8_t* const data = place;
Moments* const sums = reinterpret_cast<Moments*>(place);
FloatMoments* const float_sums = reinterpret_cast<FloatMoments*>(place);

DeviceFrame frame(FrameFormat format = FrameFormat::rgba, int width = 64, int height = 48) {
  return {format, data, width, height, std::int64_t{4} * width};
}
DeviceSpan<const std::uint16_t> table(std::int64_t size = colours) {
  return {reinterpret_cast<const std::uint16_t*>(place), size};
}

TEST(Arguments, OfMomentsOnTheGpu) {
  const auto sum = [](const DeviceFrame& of, const PixelBox& region, const auto& weights,
                      reduction::Options options = {}, Moments* to = sums) {
    return [=] {
      Workspace workspace;
      moments_cuda(of, region, weights, to, options, workspace, no_stream);
    };
  };
  const auto batch = [](const std::vector<DeviceFrame>& frames, const auto& weights, Moments* to = sums) {
    return [=] {
      Workspace workspace;
      moments_batch_cuda(frames, weights, to, workspace, no_stream);
    };
  };
  const auto by = [](reduction::Strategy strategy) { return reduction::Options{.strategy = strategy}; };
  const LinearFilter steep{1e9, 0, 0, 0}, nan_filter{nan, 0, 0, 0};
  const Refusal refusals[] = {
      {"moments_cuda: a region beyond the right", sum(frame(), {60, 0, 5, 1}, filter), "outside"},
      {"moments_cuda: a region beyond the bottom", sum(frame(), {0, 48, 1, 1}, filter), "outside"},
      {"moments_cuda: a negative region", sum(frame(), {-1, 0, 4, 4}, filter), "outside"},
      {"moments_cuda: a region that overflows", sum(frame(), {1, 1, 2147483647, 2147483647}, filter),
       "outside"},
      {"moments_cuda: a filter that is too steep", sum(frame(), whole, steep), "steep"},
      {"moments_cuda: a filter of NaN", sum(frame(), whole, nan_filter), "not finite"},
      {"moments_cuda: no result", sum(frame(), whole, filter, {}, nullptr), "result"},
      {"moments_cuda: a strategy that is not there",
       sum(frame(FrameFormat::yuyv), whole, filter, by(reduction::Strategy::tree_sequential)),
       "tree_sequential"},
      {"moments_cuda: an unknown strategy",
       sum(frame(FrameFormat::yuyv), whole, filter, by(static_cast<reduction::Strategy>(99))), "99"},
      {"moments_cuda: a table of no colours", sum(frame(), whole, DeviceSpan<const std::uint16_t>()),
       "table"},
      {"moments_cuda: a table of one colour too few", sum(frame(), whole, table(colours - 1)), "table"},
      {"moments_cuda: a region outside, a table", sum(frame(), {60, 0, 5, 1}, table()), "outside"},
      {"moments_cuda: no result, a table", sum(frame(), whole, table(), {}, nullptr), "result"},
      {"moments_batch_cuda: no result", batch({frame()}, filter, nullptr), "null"},
      {"moments_batch_cuda: two sizes", batch({frame(), frame(FrameFormat::rgba, 32, 48)}, filter),
       "one size"},
      {"moments_batch_cuda: two formats", batch({frame(), frame(FrameFormat::bgra)}, filter), "format"},
      {"moments_batch_cuda: two pitches",
       batch({frame(), DeviceFrame(FrameFormat::rgba, data, 64, 48, 260)}, filter), "pitch"},
      {"moments_batch_cuda: a filter that is too steep", batch({frame()}, steep), "steep"},
      {"moments_batch_cuda: no result, a table", batch({frame()}, table(), nullptr), "null"},
      {"moments_batch_cuda: a table of one colour too few", batch({frame()}, table(colours - 1)), "table"},
  };
  test::expect_refusals(refusals);
}

TEST(Arguments, OfTablesAndVariantsOnTheGpu) {
  const auto build = [](const Classifier& classifier, std::int64_t size, int offset) {
    return [=] { build_table_cuda(classifier, DeviceSpan<std::uint8_t>(place + offset, size), no_stream); };
  };
  const auto variant = [](Variant number, DeviceImageView<const Rgba8> image, FloatMoments* to = float_sums) {
    return [=] {
      Workspace workspace;
      moments_gpu_variant(number, image, filter, to, workspace, no_stream);
    };
  };
  const auto image = [](int offset, std::int64_t pitch) {
    return DeviceImageView<const Rgba8>(reinterpret_cast<const Rgba8*>(place + offset), 8, 4, pitch);
  };
  GaussianPair unknown_space;
  unknown_space.space = static_cast<ColourSpace>(7);
  const Refusal refusals[] = {
      {"build_table_cuda: no weights", build(filter, 0, 0), "entries"},
      {"build_table_cuda: one weight too few", build(filter, colours - 1, 0), "entries"},
      {"build_table_cuda: one weight too many", build(filter, colours + 1, 0), "entries"},
      {"build_table_cuda: an odd address", build(filter, colours, 1), "multiple of 16"},
      {"build_table_cuda: an address of 8", build(filter, colours, 8), "multiple of 16"},
      {"build_table_cuda: a histogram of 63 cells",
       build(HistogramRatio{2, std::vector<float>(63, 0.5f)}, colours, 0), "64 cells"},
      {"build_table_cuda: a histogram of 9 bits", build(HistogramRatio{9, {}}, colours, 0), "not 9"},
      {"build_table_cuda: an unknown space", build(unknown_space, colours, 0), "space number 7"},
      {"moments_gpu_variant: one for the CPU", variant(Variant::cpu1, image(0, 32)), "cpu1"},
      {"moments_gpu_variant: the joint one", variant(Variant::joint, image(0, 32)), "joint"},
      {"moments_gpu_variant: an unknown one", variant(static_cast<Variant>(99), image(0, 32)),
       "variant number 99"},
      {"moments_gpu_variant: an odd address", variant(Variant::gpu1, image(1, 32)), "multiples of 4"},
      {"moments_gpu_variant: an odd pitch", variant(Variant::gpu1, image(0, 33)), "multiples of 4"},
      {"moments_gpu_variant: no result", variant(Variant::gpu1, image(0, 32), nullptr), "result"},
  };
  test::expect_refusals(refusals);
}

}  // namespace
}  // namespace triptych::skin_tracker
