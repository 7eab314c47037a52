#include <triptych/core/image.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

TEST(Image, OwnsZeroedPixels) {
  const Image<std::uint16_t> image(3, 2);
  EXPECT_EQ(image.pixels, std::vector<std::uint16_t>(6));
  EXPECT_FALSE(image.empty());
  EXPECT_TRUE(Image<float>().empty());
  EXPECT_TRUE(Image<float>(0, 7).empty());
}

TEST(Image, ItsViewWritesIt) {
  Image<float> image(3, 2);
  image.view().at(2, 1) = 5;
  EXPECT_EQ(image.pixels[5], 5);
}

TEST(Image, CopiesAPitchedView) {
  const std::vector<std::uint8_t> rows = {1, 2, 3, 99, 4, 5, 6, 99};
  const Image<std::uint8_t> image(ImageView<const std::uint8_t>(rows.data(), 3, 2, 4));
  EXPECT_EQ(image, (Image<std::uint8_t>(3, 2, {1, 2, 3, 4, 5, 6})));
}

TEST(Image, RejectsSizesThatDoNotFit) {
  EXPECT_ERROR(Image<float>(-1, 2), InvalidArgument, "cannot be -1 x 2 pixels");
  EXPECT_ERROR((Image<float>(3, 2, std::vector<float>(5))), InvalidArgument, "3 x 2 pixels cannot have 5");
}

TEST(Image, RejectsSizesThatCannotBeAllocated) {
  EXPECT_ERROR(Image<float>(INT64_MAX, INT64_MAX), InvalidArgument, "at most 2147483648 pixels");
  EXPECT_ERROR(Image<float>(std::int64_t{1} << 40, 1), InvalidArgument, "at most 2147483648 pixels");
  EXPECT_ERROR(Image<char>(max_image_pixels, 2), InvalidArgument, "at most 2147483648 pixels");
  EXPECT_TRUE(Image<float>(0, INT64_MAX).empty());
  EXPECT_ERROR((Image<float>(std::int64_t{1} << 32, std::int64_t{1} << 32, {})), InvalidArgument,
               "at most 2147483648 pixels");  // their product is 0 in 64 bits
}

}  // namespace
}  // namespace triptych
