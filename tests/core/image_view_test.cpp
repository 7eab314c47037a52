#include <triptych/core/image_view.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

static_assert(std::is_convertible_v<ImageView<Rgb8>, ImageView<const Rgb8>>);
static_assert(!std::is_convertible_v<ImageView<const Rgb8>, ImageView<Rgb8>>);
static_assert(!std::is_constructible_v<ImageView<Rgb8>, DeviceImageView<Rgb8>>);
static_assert(!std::is_constructible_v<ImageView<Rgb8>, ImageView<Bgr8>>);
static_assert(std::is_trivially_copyable_v<DeviceImageView<Rgb8>>, "kernels take it by value");

// A picture of 5 x 3 whose rows are 17 bytes apart: two more than the pixels need, and odd.
class OddPitch : public testing::Test {
 protected:
  std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(51);
  ImageView<Rgb8> image_{reinterpret_cast<Rgb8*>(memory_.data()), 5, 3, 17};
};

TEST_F(OddPitch, FindsPixels) {
  image_.at(4, 2) = {1, 2, 3};
  EXPECT_EQ(memory_[2 * 17 + 4 * 3 + 1], 2);
  EXPECT_EQ(image_.row(2).size(), 5u);
  EXPECT_EQ(image_.row(2)[4], (Rgb8{1, 2, 3}));
  EXPECT_FALSE(image_.is_contiguous());
  const ImageView<const Rgb8> constant = image_;
  EXPECT_EQ(constant.at(4, 2), (Rgb8{1, 2, 3}));
  EXPECT_EQ(constant.pitch_bytes(), 17);
}

TEST_F(OddPitch, CutsOutARegion) {
  image_.at(3, 1) = {9, 8, 7};
  const ImageView<Rgb8> region = image_.region(2, 1, 3, 2);
  EXPECT_EQ(region.width(), 3);
  EXPECT_EQ(region.height(), 2);
  EXPECT_EQ(region.at(1, 0), (Rgb8{9, 8, 7}));
  EXPECT_TRUE(image_.region(5, 3, 0, 0).empty());
  EXPECT_TRUE(ImageView<Rgb8>().region(0, 0, 0, 0).empty());
}

TEST_F(OddPitch, RejectsARegionOutside) {
  EXPECT_ERROR(image_.region(3, 0, 3, 1), InvalidArgument, "3 x 1 at (3, 0) lies outside an image of 5 x 3");
  EXPECT_ERROR(image_.region(-1, 0, 1, 1), InvalidArgument, "outside");
  EXPECT_ERROR(image_.region(0, 3, 1, 1), InvalidArgument, "outside");
  EXPECT_ERROR(image_.region(0, 0, -1, 1), InvalidArgument, "outside");
  EXPECT_ERROR(image_.region(1, 1, INT64_MAX, 1), InvalidArgument, "outside");
}

TEST(ImageView, ContiguousByDefault) {
  float memory[6];
  const ImageView<float> image(memory, 3, 2);
  EXPECT_EQ(image.pitch_bytes(), 12);
  EXPECT_TRUE(image.is_contiguous());
}

TEST(ImageView, RejectsWhatCannotBe) {
  Rgba8 memory[6];
  EXPECT_ERROR(ImageView<Rgba8>(memory, -1, 2), InvalidArgument, "cannot be -1 x 2 pixels");
  EXPECT_ERROR(ImageView<Rgba8>(memory, 1, -2), InvalidArgument, "cannot be 1 x -2 pixels");
  EXPECT_ERROR(ImageView<Rgba8>(memory, 3, 2, 11), InvalidArgument, "at least that, not 11 bytes");
  EXPECT_ERROR(ImageView<Rgba8>(memory, INT64_MAX / 2, 1, 24), InvalidArgument, "not 24 bytes");
  EXPECT_ERROR(ImageView<Rgba8>(nullptr, 3, 2), InvalidArgument, "3 x 2 has no data");
  EXPECT_ERROR(ImageView<Rgba8>(memory, 3, 2).row(2), InvalidArgument,
               "row 2 lies outside an image of height 2");
  float values[6];
  EXPECT_ERROR(ImageView<float>(values, 2, 2, 9), InvalidArgument, "9 bytes misaligns");
}

TEST(ImageView, RejectsSizesThatOverflow) {
  Rgba8 memory[6];
  EXPECT_ERROR(ImageView<Rgba8>(memory, INT64_MAX / 2, 1), InvalidArgument, "larger than the address space");
  EXPECT_ERROR(ImageView<Rgba8>(memory, INT64_MIN, 1), InvalidArgument, "cannot be -9223372036854775808 x 1");
  EXPECT_ERROR(ImageView<Rgba8>(memory, 1, INT64_MAX / 2), InvalidArgument, "larger than the address space");
  EXPECT_ERROR(DeviceImageView<Rgba8>(memory, 1, 3, INT64_MAX / 2), InvalidArgument,
               "larger than the address space");
  EXPECT_NO_THROW(ImageView<Rgba8>(nullptr, 0, INT64_MAX));
}

}  // namespace
}  // namespace triptych
