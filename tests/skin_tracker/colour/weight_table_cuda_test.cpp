// The table built on the GPU against the CPU's, over all colours.
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "skin_tracker/colour/classifiers.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

using test::GuardedDevice;

constexpr auto colours = static_cast<std::int64_t>(WeightTable<float>::colours);
constexpr LinearFilter filter{0.013, 0.002, -0.017, 0.4};

template <class T>
constexpr const char* type_name = std::is_same_v<T, float>          ? "float"
                                  : std::is_same_v<T, std::uint8_t> ? "8 bits"
                                                                    : "16 bits";

// An entry as a whole number of steps; of a float, which is not negative, of units in the last place.
template <class T>
std::int64_t in_steps(T entry) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::int32_t>(entry);
  } else {
    return entry;
  }
}

struct Difference {
  std::int64_t entries = 0, steps = 0, first = -1;  // how many, by how much at most, and where
};

template <class T>
Difference difference(std::span<const T> a, std::span<const T> b) {
  Difference d;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t steps = std::abs(in_steps(a[i]) - in_steps(b[i]));
    if (steps == 0) continue;
    if (d.entries++ == 0) d.first = static_cast<std::int64_t>(i);
    d.steps = std::max(d.steps, steps);
  }
  return d;
}

class WeightTableCuda : public test::CudaFixture {
 protected:
  template <class T>
  std::vector<T> build(const Classifier& classifier) {
    GuardedDevice<T> weights(colours, stream());
    build_table_cuda(classifier, weights.span(), stream());
    EXPECT_TRUE(weights.intact());
    return weights.to_host();
  }

  // Where bits may differ, a weight is rounded to another float with a chance of about 2^-28, in hsv of a few
  // hundred times that: of 2^24 weights a few at most.
  template <class T>
  void compare(const std::string& name, const Classifier& classifier) {
    SCOPED_TRACE(name + ", " + type_name<T>);
    const WeightTable<T> expected(classifier);
    const std::vector<T> found = build<T>(classifier);
    const Difference d = difference(expected.weights(), std::span<const T>(found));
    const bool may_differ = std::holds_alternative<GaussianPair>(classifier);
    EXPECT_LE(d.entries, may_differ ? 64 : 0) << "from colour " << d.first;
    EXPECT_LE(d.steps, may_differ ? 1 : 0) << "from colour " << d.first;
    if (d.entries > 0)
      RecordProperty(name + ", " + type_name<T>,
                     std::to_string(d.entries) + " entries differ by at most " + std::to_string(d.steps));
  }
};

TEST_F(WeightTableCuda, EveryClassifierAndTypeHasTheWeightsOfTheCpu) {
  for (const auto& [name, classifier] : test::classifiers_of_all_kinds()) {
    compare<std::uint8_t>(name, classifier);
    compare<std::uint16_t>(name, classifier);
    compare<float>(name, classifier);
  }
}

// Large terms that cancel, where red is green and on greys. Were a product fused with a sum, the rounding
// error of the other would be left, and it is larger than the steps.
TEST_F(WeightTableCuda, NoProductIsFusedWithASum) {
  const LinearFilter plane{1234567890.123, -1234567890.123, 0.001, 0.3};
  const ChrominanceEllipse ellipse{{110.3, 110.3}, {1e9, -1e9, 1e9}, 2, 10};
  compare<float>("plane", plane);
  compare<std::uint16_t>("plane", plane);
  compare<float>("ellipse", ellipse);
  compare<std::uint16_t>("ellipse", ellipse);
}

TEST_F(WeightTableCuda, IsTheSameOnEveryRun) {
  for (const auto& [name, classifier] : test::classifiers_of_all_kinds())
    EXPECT_EQ(build<std::uint16_t>(classifier), build<std::uint16_t>(classifier)) << name;
}

TEST_F(WeightTableCuda, DoesNotNeedTheClassifierAfterwards) {
  const WeightTable<std::uint16_t> expected(test::random_histogram(6));
  DeviceBuffer<std::uint16_t> weights(colours);
  build_table_cuda(Classifier{test::random_histogram(6)}, weights.span(), stream());
  std::vector<std::uint16_t> found(WeightTable<std::uint16_t>::colours);
  copy_to_host(weights.span(), std::span<std::uint16_t>(found), stream());
  stream().synchronize();
  EXPECT_TRUE(std::ranges::equal(found, expected.weights()));
}

TEST_F(WeightTableCuda, AllocatesForAHistogramAlone) {
  DeviceBuffer<std::uint8_t> weights(colours);
  for (const auto& [name, classifier] : test::classifiers_of_all_kinds()) {
    const auto before = device_allocation_count();
    build_table_cuda(classifier, weights.span(), stream());
    const int expected = std::holds_alternative<HistogramRatio>(classifier) ? 1 : 0;
    EXPECT_EQ(device_allocation_count() - before, expected) << name;
  }
  stream().synchronize();
}

TEST_F(WeightTableCuda, IsCapturedAndReplayedButForAHistogram) {
  for (const auto& named : test::classifiers_of_all_kinds()) {
    SCOPED_TRACE(named.first);
    const Classifier& classifier = named.second;
    GuardedDevice<std::uint16_t> weights(colours, stream());
    const auto capture = [&] {
      return Graph::capture(stream(), [&] { build_table_cuda(classifier, weights.span(), stream()); });
    };
    if (std::holds_alternative<HistogramRatio>(classifier)) {
      EXPECT_ERROR(capture(), InvalidArgument, "capturing");
      continue;
    }
    const Graph graph = capture();
    EXPECT_EQ(graph.node_count(), 1u);
    const std::vector<std::uint16_t> expected = build<std::uint16_t>(classifier);
    for (int i = 0; i < 2; ++i) {
      fill_bytes(weights.span(), 0, stream());
      graph.launch(stream());
      EXPECT_EQ(weights.to_host(), expected);
    }
    EXPECT_TRUE(weights.intact());
  }
}

TEST_F(WeightTableCuda, BadInputIsRefusedBeforeAnythingIsWritten) {
  GuardedDevice<std::uint8_t> bytes(colours + 16, stream());
  GuardedDevice<float> floats(colours + 4, stream());
  EXPECT_ERROR(build_table_cuda<std::uint8_t>(filter, {}, stream()), InvalidArgument, "not 0");
  EXPECT_ERROR(build_table_cuda(filter, bytes.span().first(colours - 1), stream()), InvalidArgument,
               "16777216 entries, not 16777215");
  EXPECT_ERROR(build_table_cuda(filter, bytes.span(), stream()), InvalidArgument, "not 16777232");
  EXPECT_ERROR(build_table_cuda(filter, bytes.span().subspan(1, colours), stream()), InvalidArgument,
               "multiple of 16");
  EXPECT_ERROR(build_table_cuda(filter, floats.span().subspan(2, colours), stream()), InvalidArgument,
               "multiple of 16");
  EXPECT_ERROR(build_table_cuda(HistogramRatio{5, {}}, bytes.span().first(colours), stream()),
               InvalidArgument, "32768 cells, not 0");
  EXPECT_ERROR(build_table_cuda(HistogramRatio{9, {}}, bytes.span().first(colours), stream()),
               InvalidArgument, "not 9");
  const auto untouched = bytes.to_host();
  EXPECT_EQ(std::count(untouched.begin(), untouched.end(), 0xCD), colours + 16);
  for (const float entry : floats.to_host()) ASSERT_EQ(std::bit_cast<std::uint32_t>(entry), 0xCDCDCDCDu);
}

}  // namespace
}  // namespace triptych::skin_tracker
