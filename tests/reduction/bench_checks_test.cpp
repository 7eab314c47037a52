// The checks of reduction_bench accept the results of the library and refuse results that are slightly wrong.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "reduction/setup/checks.hpp"
#include "testing/random.hpp"

namespace triptych::bench {
namespace {

class ReductionChecks : public testing::Test {
 protected:
  std::vector<float> a_ = values(3);
  std::vector<float> b_ = values(4);

  static std::vector<float> values(unsigned seed) {
    const auto ints = test::random_values<std::int32_t>(100003, 1, (1 << 24) - 1, seed);
    std::vector<float> floats;
    floats.reserve(ints.size());
    for (const std::int32_t i : ints) floats.push_back(static_cast<float>(i) * 0x1p-24f);
    return floats;
  }
};

TEST_F(ReductionChecks, RefuseAWrongMinimum) {
  const float min = reduction::min_cpu<float>(a_, {});
  EXPECT_NO_THROW(check_min(min, a_));
  EXPECT_THROW(check_min(std::nextafter(min, 1.0f), a_), std::runtime_error);
  EXPECT_THROW(check_min(std::nanf(""), a_), std::runtime_error);
}

TEST_F(ReductionChecks, RefuseAWrongValueOrIndexOfTheMinimum) {
  const auto min = reduction::argmin_cpu<float>(a_, {});
  EXPECT_NO_THROW(check_argmin(min, a_));
  EXPECT_THROW(check_argmin({min.value, min.index + 1}, a_), std::runtime_error);
  EXPECT_THROW(check_argmin({min.value / 2, min.index}, a_), std::runtime_error);
}

TEST_F(ReductionChecks, RefuseAWrongDotProduct) {
  const float dot = reduction::dot_cpu<float, float>(a_, b_, {});
  EXPECT_NO_THROW(check_dot(dot, a_, b_));
  EXPECT_THROW(check_dot(dot * 1.001f, a_, b_), std::runtime_error);
  EXPECT_THROW(check_dot(std::nanf(""), a_, b_), std::runtime_error);
}

TEST_F(ReductionChecks, RefuseWrongMoments) {
  const auto right = reduction::moments_cpu<float>(a_, {{}, 1});
  EXPECT_NO_THROW(check_moments(right, a_));
  // one element less
  EXPECT_THROW(check_moments(reduction::moments_cpu<float>(std::span(a_).subspan(1), {}), a_),
               std::runtime_error);
  auto wrong = right;
  wrong.mean *= 1 + 1e-9;
  EXPECT_THROW(check_moments(wrong, a_), std::runtime_error);
  wrong = right;
  wrong.m2 *= 1 - 1e-9;
  EXPECT_THROW(check_moments(wrong, a_), std::runtime_error);
}

TEST_F(ReductionChecks, NameTheResultAndTheExpectation) {
  try {
    check_close("sum", 3.0, 4.0, 0.1);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "wrong sum: 3, expected 4");
  }
}

}  // namespace
}  // namespace triptych::bench
