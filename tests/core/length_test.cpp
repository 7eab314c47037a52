#include <triptych/core/length.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace triptych {
namespace {

TEST(Length, IsThatOfTheTriangle) {
  EXPECT_EQ(length(3.0, 4.0), 5.0);
  EXPECT_EQ(length(-4.0f, 3.0f), 5.0f);
  EXPECT_EQ(length(0.0, 0.0), 0.0);
  EXPECT_EQ(length(-2.5, 0.0), 2.5);
}

// The ratio, its square, the sum, the root and the product are each rounded once, by at most half a unit in
// the last place: the sum of their relative errors is below 3 units.
TEST(Length, AgreesWithTheLibrary) {
  for (int i = 0; i < 1000; ++i) {
    const double x = std::sin(i * 1.7) * std::exp2(i % 40), y = std::cos(i * 0.3);
    EXPECT_NEAR(length(x, y), std::hypot(x, y),
                3 * std::numeric_limits<double>::epsilon() * std::hypot(x, y));
  }
}

TEST(Length, NeitherOverflowsNorVanishes) {
  EXPECT_NEAR(length(3e300, 4e300) / 5e300, 1, 1e-15);
  EXPECT_NEAR(length(3e-300, 4e-300) / 5e-300, 1, 1e-15);
  EXPECT_EQ(length(std::numeric_limits<double>::infinity(), 1.0), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(length(std::nan(""), 1.0)));
  EXPECT_TRUE(std::isnan(length(1.0, std::nan(""))));
}

}  // namespace
}  // namespace triptych
