#include <triptych/core/portable_math.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace triptych {
namespace {

// The last addition rounds by half an ulp of the result, the one before it by half an ulp of at most as much
// again, and the terms below are smaller: two epsilons, relative for ln and absolute for the cosine and the
// sine.
constexpr double tolerance = 2 * 0x1p-23;

TEST(PortableMath, LogIsAccurate) {
  for (std::uint32_t k = 1; k <= 1u << 24; k += k < 5000 ? 1 : 37) {
    const double expected = std::log(k * 0x1p-24);
    ASSERT_NEAR(portable_log(static_cast<float>(k) * 0x1p-24f), expected, tolerance * std::abs(expected))
        << k;
  }
  EXPECT_EQ(portable_log(1.0f), 0.0f);
  EXPECT_NEAR(portable_log(1e30f), std::log(1e30f), tolerance * 70);
}

TEST(PortableMath, CosineAndSineAreAccurate) {
  for (std::uint32_t k = 0; k < 1u << 24; k += 37) {
    const double angle = 2 * std::numbers::pi * (k * 0x1p-24);
    const CosSin found = portable_cos_sin(static_cast<float>(k) * 0x1p-24f);
    ASSERT_NEAR(found.cos, std::cos(angle), tolerance) << k;
    ASSERT_NEAR(found.sin, std::sin(angle), tolerance) << k;
  }
}

TEST(PortableMath, QuarterTurnsAreExact) {
  const CosSin quarter = portable_cos_sin(0.25f);
  EXPECT_EQ(quarter.cos, 0.0f);
  EXPECT_EQ(quarter.sin, 1.0f);
  EXPECT_EQ(portable_cos_sin(0.5f).cos, -1.0f);
  EXPECT_EQ(portable_cos_sin(0.75f).sin, -1.0f);
}

}  // namespace
}  // namespace triptych
