#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "colour/table_math.hpp"
#include "skin_tracker/colour/classifiers.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr LinearFilter filter{0.013, 0.002, -0.017, 0.4};

// Every 97th colour: all bytes of each channel come by, as 97 and 256 share no factor.
template <class Check>
void for_colours(Check check) {
  for (std::size_t i = 0; i < WeightTable<float>::colours; i += 97) {
    check(i, Rgb8{static_cast<std::uint8_t>(i >> 16), static_cast<std::uint8_t>(i >> 8 & 255),
                  static_cast<std::uint8_t>(i & 255)});
  }
}

// A weight passes through a float before it is rounded to its type.
template <class T>
void check_table(double one, double rounding) {
  const WeightTable<T> table(Classifier{filter}, 2);
  ASSERT_EQ(table.weights().size(), std::size_t{1} << 24);
  double worst = 0;
  for_colours([&](std::size_t i, Rgb8 c) {
    ASSERT_EQ(WeightTable<T>::index(c), i);
    ASSERT_EQ(table[c], table.weights()[i]);
    worst = std::max(worst, std::abs(static_cast<double>(table[c]) / one - filter.weight(c.r, c.g, c.b)));
  });
  EXPECT_LE(worst, rounding / one + 4 * 0x1p-24);  // a few operations in float
  EXPECT_GT(worst, 0) << "the weights are not the classifier's";
}
TEST(WeightTable, OfBytes) { check_table<std::uint8_t>(255, 0.5); }
TEST(WeightTable, Of16Bits) { check_table<std::uint16_t>(fixed_one, 0.5); }
TEST(WeightTable, OfFloats) { check_table<float>(1, 0); }

TEST(WeightTable, DoesNotDependOnTheThreads) {
  const WeightTable<std::uint8_t> one(Classifier{filter}, 1), many(Classifier{filter}, 7);
  EXPECT_TRUE(std::ranges::equal(one.weights(), many.weights()));
}

TEST(WeightTable, TakesReadyWeights) {
  std::vector<std::uint8_t> weights(WeightTable<std::uint8_t>::colours);
  weights[0x123456] = 77;
  const WeightTable<std::uint8_t> table(std::move(weights));
  EXPECT_EQ((table[{0x12, 0x34, 0x56}]), 77);
  EXPECT_EQ((table[{0x56, 0x34, 0x12}]), 0);
  EXPECT_ERROR(WeightTable<float>(std::vector<float>(5)), InvalidArgument,
               "16777216 colours, and there are 5");
}

// Both sides of every place where a step ends: the product is exact, so the nearest step is known for sure.
template <class T>
void check_stored(int one) {
  for (int step = 0; step < one; ++step) {
    float w = static_cast<float>((step + 0.5) / one);
    for (int k = 0; k < 3; ++k) w = std::nextafter(w, 0.0f);
    T before = static_cast<T>(step);
    for (int k = 0; k < 7; ++k, w = std::nextafter(w, 1.0f)) {
      const T entry = stored<T>(w);
      ASSERT_LE(std::abs(double{w} * one - entry), 0.5) << w;
      ASSERT_GE(entry, before) << w;
      before = entry;
    }
    ASSERT_EQ(before, step + 1);
    ASSERT_EQ(stored<T>(static_cast<float>(static_cast<double>(step) / one)), step);
  }
  EXPECT_EQ(stored<T>(0.5f), (one + 1) / 2);
}
TEST(StoredWeight, IsTheNearestStep) {
  check_stored<std::uint8_t>(255);
  check_stored<std::uint16_t>(fixed_one);
}

template <class T>
void check_stored_ends(T one) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float none : {0.0f, -0.0f, -1e-30f, -7.0f, -infinity, std::nanf("")})
    EXPECT_EQ(stored<T>(none), T{0}) << none;
  for (const float whole : {1.0f, 1.0000001f, 3e38f, infinity}) EXPECT_EQ(stored<T>(whole), one) << whole;
}
TEST(StoredWeight, IsClampedAndANanIsNone) {
  check_stored_ends<std::uint8_t>(255);
  check_stored_ends<std::uint16_t>(fixed_one);
  check_stored_ends<float>(1);
}

TEST(StoredWeight, OfAFloatIsItself) {
  for (const float w : {1e-45f, 1e-38f, 0.1f, 0.5f, 0.99999994f}) EXPECT_EQ(stored<float>(w), w);
}

// What a thread of the GPU calculates, on the host. Every 61st pack: 61 shares no factor with their number.
template <class T>
void check_packs(const Classifier& classifier) {
  constexpr auto size = static_cast<std::uint32_t>(TablePack<T>::colours);
  constexpr auto packs = static_cast<std::uint32_t>(WeightTable<T>::colours) / size;
  for (std::uint32_t i = packs - 1; i < packs; i -= 61) {  // ends by wrapping round
    const std::uint32_t first = i * size;
    const TablePack<T> pack =
        std::visit([&](const auto& kind) { return table_pack<T>(numbers_of(kind), first); }, classifier);
    T entries[size];
    static_assert(sizeof entries == sizeof pack.words);
    std::memcpy(entries, pack.words, sizeof entries);
    for (std::uint32_t k = 0; k < size; ++k) {
      const std::uint32_t c = first + k;
      ASSERT_EQ(entries[k], stored<T>(weight(classifier, {static_cast<std::uint8_t>(c >> 16),
                                                          static_cast<std::uint8_t>(c >> 8),
                                                          static_cast<std::uint8_t>(c)})))
          << "colour " << c;
    }
  }
}
TEST(TablePack, HoldsConsecutiveWeights) {
  for (const auto& [name, classifier] : test::classifiers_of_all_kinds()) {
    SCOPED_TRACE(name);
    check_packs<std::uint8_t>(classifier);
    check_packs<std::uint16_t>(classifier);
    check_packs<float>(classifier);
  }
}

TEST(BuildTableCuda, IsUnavailableInABuildWithoutCuda) {
  if (TRIPTYCH_HAS_CUDA) GTEST_SKIP() << "built with CUDA";
  const StreamRef stream(static_cast<CUstream_st*>(nullptr));
  EXPECT_ERROR(build_table_cuda<std::uint8_t>(filter, {}, stream), Unavailable, "build_table_cuda");
  EXPECT_ERROR(build_table_cuda<std::uint16_t>(filter, {}, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(build_table_cuda<float>(filter, {}, stream), Unavailable, "CPU");
}

}  // namespace
}  // namespace triptych::skin_tracker
