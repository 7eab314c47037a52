#include <triptych/core/checked.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

TEST(Checked, MultipliesAndAddsUpToTheLimits) {
  EXPECT_EQ(checked_multiply(-3, 5, "a size"), -15);
  EXPECT_EQ(checked_multiply(INT64_MAX, 1, "a size"), INT64_MAX);
  EXPECT_EQ(checked_multiply(INT64_MIN, 1, "a size"), INT64_MIN);
  EXPECT_EQ(checked_multiply(std::int64_t{1} << 31, std::int64_t{1} << 31, "a size"), std::int64_t{1} << 62);
  EXPECT_EQ(checked_add(INT64_MAX - 1, 1, "a size"), INT64_MAX);
  EXPECT_EQ(checked_add(INT64_MIN, INT64_MAX, "a size"), -1);
}

TEST(Checked, RefusesWhatOverflows) {
  EXPECT_ERROR(checked_multiply(INT64_MAX, 2, "the size of the map"), InvalidArgument,
               "the size of the map overflows 64 bits: 9223372036854775807 * 2");
  EXPECT_ERROR(checked_multiply(INT64_MIN, -1, "a size"), InvalidArgument, "a size overflows");
  EXPECT_ERROR(checked_multiply(std::int64_t{1} << 32, std::int64_t{1} << 31, "a size"), InvalidArgument,
               "a size overflows");
  EXPECT_ERROR(checked_add(INT64_MAX, 1, "a size"), InvalidArgument,
               "a size overflows 64 bits: 9223372036854775807 + 1");
  EXPECT_ERROR(checked_add(INT64_MIN, -1, "a size"), InvalidArgument, "a size overflows");
}

TEST(Checked, CastsRoundTowardsZero) {
  EXPECT_EQ(checked_cast<int>(-2.9, "x"), -2);
  EXPECT_EQ(checked_cast<int>(2147483647.9, "x"), INT32_MAX);
  EXPECT_EQ(checked_cast<int>(-2147483648.9, "x"), INT32_MIN);
  EXPECT_EQ(checked_cast<unsigned char>(255.5, "x"), 255);
  EXPECT_EQ(checked_cast<unsigned>(-0.5, "x"), 0u);
  EXPECT_EQ(checked_cast<std::int64_t>(-0x1p63, "x"), INT64_MIN);
  EXPECT_EQ(checked_cast<std::uint64_t>(0x1.8p63, "x"), 0xC000000000000000u);
}

TEST(Checked, RefusesCastsOutOfRange) {
  EXPECT_ERROR(checked_cast<int>(2147483648.0, "the width"), InvalidArgument,
               "the width is 2.14748e+09, out of range");
  EXPECT_ERROR(checked_cast<int>(-2147483649.0, "x"), InvalidArgument, "x is -2.14748e+09");
  EXPECT_ERROR(checked_cast<std::int64_t>(0x1p63, "x"), InvalidArgument, "out of range");
  EXPECT_ERROR(checked_cast<std::uint64_t>(0x1p64, "x"), InvalidArgument, "out of range");
  EXPECT_ERROR(checked_cast<unsigned>(-1.0, "x"), InvalidArgument, "x is -1");
  EXPECT_ERROR(checked_cast<int>(std::nan(""), "x"), InvalidArgument, "x is nan");
  EXPECT_ERROR(checked_cast<int>(HUGE_VAL, "x"), InvalidArgument, "x is inf");
  EXPECT_ERROR(checked_cast<std::int64_t>(-HUGE_VAL, "x"), InvalidArgument, "x is -inf");
}

}  // namespace
}  // namespace triptych
