// The groups of the samples, and the scalar maths of one of them.
#include <gtest/gtest.h>

#include <cstdint>

#include "filter/samples/filter_math.hpp"

namespace triptych::capsule_likelihood {
namespace {

TEST(FilterMath, GroupsCoverEverySampleOnce) {
  for (const std::int32_t samples : {1, 2, 31, 400, 4001}) {
    for (const std::int32_t groups : {1, 2, 5, 16}) {
      for (std::int32_t row = 0; row < samples; ++row) {
        const std::int32_t g = group_of(row, samples, groups);
        ASSERT_GE(row, group_begin(g, samples, groups));
        ASSERT_LT(row, group_begin(g + 1, samples, groups));
      }
      ASSERT_EQ(group_begin(0, samples, groups), 0);
      ASSERT_EQ(group_begin(groups, samples, groups), samples);
    }
  }
}

// Half rotations compose as the quaternions (1, a) (1, b).
TEST(FilterMath, HalfRotationsComposeAsQuaternions) {
  const HalfRotation a = {0.3f, -0.2f, 0.5f}, b = {-0.1f, 0.7f, 0.2f};
  const float identity[4] = {1, 0, 0, 0};
  float first[4], both[4], at_once[4];
  rotated(identity, a, first);
  rotated(first, b, both);
  rotated(identity, compose(a, b), at_once);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(both[i], at_once[i], 8 * 0x1p-23) << i;  // a dozen roundings near 1
}

TEST(FilterMath, LimitsMirrorAndHold) {
  const FilterDimension dimension = {0, -1, 2, 0};
  EXPECT_EQ(limited(0.5f, dimension), 0.5f);
  EXPECT_EQ(limited(2.5f, dimension), 1.5f);
  EXPECT_EQ(limited(-1.25f, dimension), -0.75f);
  EXPECT_EQ(limited(100.0f, dimension), 2.0f);
  EXPECT_EQ(limited(-100.0f, dimension), -1.0f);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
