#include <triptych/core/portable_math.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
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

// The polynomial rounds its last two additions by half an ulp each of something in [0.7, 1.42], the rest is
// far smaller, and r's own rounding moves e^r by half an ulp; the scaling is exact. Two epsilons cover their
// sum.
TEST(PortableMath, FloatExpIsAccurate) {
  for (int i = -87000; i <= 88000; i += i > -20000 && i < 20000 ? 1 : 13) {
    const float x = static_cast<float>(i) * 0.001f;
    if (x < -87.0f || x > 88.0f) continue;
    const double expected = std::exp(double{x});
    ASSERT_NEAR(double{portable_exp(x)} / expected, 1.0, 2 * 0x1p-23) << x;
  }
  EXPECT_EQ(portable_exp(0.0f), 1.0f);
  EXPECT_EQ(portable_exp(-87.5f), 0.0f);
  EXPECT_EQ(portable_exp(-HUGE_VALF), 0.0f);
  EXPECT_EQ(portable_exp(88.5f), HUGE_VALF);
  EXPECT_TRUE(std::isnan(portable_exp(std::nanf(""))));
  EXPECT_GT(portable_exp(-87.0f), 0.0f);
  EXPECT_LT(portable_exp(88.0f), HUGE_VALF);
}

// The reduced angle is off by half an ulp of itself and by what the three parts of pi/2 leave over (below
// 1e-20 of the angle); the polynomial adds one more ulp, and its omitted terms a quarter.
void expect_cos_sin_rad(float radians) {
  const double angle = radians;
  const CosSin found = portable_cos_sin_rad(radians);
  ASSERT_NEAR(found.cos, std::cos(angle), tolerance * std::abs(std::cos(angle))) << radians;
  ASSERT_NEAR(found.sin, std::sin(angle), tolerance * std::abs(std::sin(angle))) << radians;
}

TEST(PortableMath, CosineAndSineOfRadiansAreAccurate) {
  for (int k = -400000; k <= 400000; ++k) expect_cos_sin_rad(static_cast<float>(k) * 1.7e-5f);
  for (int k = -100000; k <= 100000; ++k) expect_cos_sin_rad(static_cast<float>(k) * 0.1f);
  for (float tiny = 1.0f; tiny > 1e-38f; tiny *= 0.37f) expect_cos_sin_rad(tiny);
}

TEST(PortableMath, RadiansNearMultiplesOfAQuarterTurnAreAccurate) {
  for (int quarters = -6366; quarters <= 6366; ++quarters) {
    const auto nearest = static_cast<float>(quarters * (std::numbers::pi / 2));
    expect_cos_sin_rad(nearest);
    expect_cos_sin_rad(std::nextafter(nearest, 1e9f));
    expect_cos_sin_rad(std::nextafter(nearest, -1e9f));
  }
}

TEST(PortableMath, RadiansThatAreNoNumberGiveNone) {
  EXPECT_TRUE(std::isnan(portable_cos_sin_rad(std::numeric_limits<float>::quiet_NaN()).cos));
  EXPECT_TRUE(std::isnan(portable_cos_sin_rad(std::numeric_limits<float>::infinity()).sin));
  EXPECT_EQ(portable_cos_sin_rad(0.0f).cos, 1.0f);
  EXPECT_EQ(portable_cos_sin_rad(0.0f).sin, 0.0f);
}

}  // namespace
}  // namespace triptych
