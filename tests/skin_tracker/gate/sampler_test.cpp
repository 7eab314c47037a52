// A sample is the weight that a sum over its pixel alone has, whatever weighs it.
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include <gtest/gtest.h>

#include "gate/sampler.hpp"
#include "skin_tracker/frame/test_frame.hpp"
#include "skin_tracker/gate/classifiers.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

// The weight of one pixel, by the public sums.
std::uint64_t weight_at(const Frame& frame, int x, int y, const Classifier& classifier,
                        const WeightTable<std::uint16_t>& table) {
  const PixelBox pixel{x, y, 1, 1};
  const auto* filter = std::get_if<LinearFilter>(&classifier);
  return (filter != nullptr ? moments_cpu(frame, pixel, *filter, 1) : moments_cpu(frame, pixel, table, 1))
      .weight;
}

TEST(Sampler, TakesTheMiddlesOfTiles) {
  const PixelBox region{7, 2, 80, 37};
  for (const Classifier& classifier : test::sampled_classifiers()) {
    const WeightTable<std::uint16_t> table(classifier);
    for (const FrameFormat format : test::all_frame_formats) {
      const test::TestFrame input(format, 90, 40, 3, 21);
      const Frame frame = input.frame();
      const auto sampler = make_sampler(classifier, format, 0, {});
      for (const int step : {1, 3, 8}) {
        std::vector<std::uint16_t> samples(
            static_cast<std::size_t>((region.width / step) * (region.height / step)), 1);
        sampler->sample(frame, region, step, samples);
        std::size_t i = 0, above_0 = 0;
        for (int row = 0; row < region.height / step; ++row) {
          for (int column = 0; column < region.width / step; ++column, ++i) {
            const int x = region.x + column * step + step / 2, y = region.y + row * step + step / 2;
            ASSERT_EQ(samples[i], weight_at(frame, x, y, classifier, table))
                << name_of(classifier) << ", " << to_string(format) << ", step " << step << " at " << x
                << ", " << y;
            above_0 += samples[i] > 0 ? 1 : 0;
          }
        }
        EXPECT_EQ(i, samples.size());
        EXPECT_GT(above_0, 0u);
      }
    }
  }
}

TEST(Sampler, RefusesWhatDoesNotFit) {
  const test::TestFrame input(FrameFormat::rgb, 90, 40, 0, 21);
  const Frame frame = input.frame();
  Sampler sampler(HistogramRatio{1, std::vector<float>(8, 0.5f)}, {});
  std::vector<std::uint16_t> samples(12);
  sampler.sample(frame, {0, 0, 12, 9}, 3, samples);
  EXPECT_EQ(samples, std::vector<std::uint16_t>(12, 32768));
  EXPECT_ERROR(sampler.sample(frame, {0, 0, 12, 9}, 2, samples), InvalidArgument, "12");
  EXPECT_ERROR(sampler.sample(frame, {0, 0, 12, 9}, 0, samples), InvalidArgument, "every 0");
  EXPECT_ERROR(sampler.sample(frame, {80, 0, 12, 9}, 3, samples), InvalidArgument, "region");
  const DeviceFrame there(FrameFormat::rgb, frame.data(), 90, 40, frame.pitch_bytes());
  EXPECT_ERROR(sampler.sample(there, {0, 0, 12, 9}, 3, samples), InvalidArgument, "on the GPU");
  EXPECT_ERROR(make_sampler(HistogramRatio{}, FrameFormat::rgb, 1, {}), InvalidArgument, "histogram");
}

}  // namespace
}  // namespace triptych::skin_tracker
