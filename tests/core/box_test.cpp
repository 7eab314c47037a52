#include <triptych/core/box.hpp>

#include <gtest/gtest.h>

#include <climits>

namespace triptych {
namespace {

TEST(Box, IsEmptyWithoutAWidthOrAHeight) {
  EXPECT_TRUE(Box{}.empty());
  EXPECT_TRUE((Box{3, 4, 5, 0}.empty()));
  EXPECT_TRUE((Box{3, 4, -5, 6}.empty()));
  EXPECT_FALSE((Box{-3, -4, 0.5, 0.5}.empty()));
}

TEST(Box, ClippingKeepsWhatIsInside) {
  EXPECT_EQ(clip({2, 3, 4, 5}, 100, 100), (PixelBox{2, 3, 4, 5}));
  EXPECT_EQ(clip({-2, -3, 4, 5}, 100, 100), (PixelBox{0, 0, 2, 2}));
  EXPECT_EQ(clip({98, 97, 40, 50}, 100, 99), (PixelBox{98, 97, 2, 2}));
  EXPECT_EQ(clip({0, 0, 100, 99}, 100, 99), (PixelBox{0, 0, 100, 99}));
}

TEST(Box, ClippingWhatIsOutsideLeavesNothing) {
  EXPECT_EQ(clip({100, 0, 1, 1}, 100, 100), PixelBox{});
  EXPECT_EQ(clip({-5, 0, 5, 5}, 100, 100), PixelBox{});
  EXPECT_EQ(clip({0, 0, 0, 5}, 100, 100), PixelBox{});
  EXPECT_EQ(clip({INT_MAX, INT_MAX, INT_MAX, INT_MAX}, 100, 100), PixelBox{});
}

TEST(Box, ClippingDoesNotOverflow) {
  EXPECT_EQ(clip({1, 2, INT_MAX, INT_MAX}, 100, 50), (PixelBox{1, 2, 99, 48}));
}

}  // namespace
}  // namespace triptych
