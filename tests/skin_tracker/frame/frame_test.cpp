#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "skin_tracker/frame/formats.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

using test::all_frame_formats;

TEST(FrameFormat, NamesGoBothWays) {
  for (const FrameFormat format : all_frame_formats) EXPECT_EQ(parse_frame_format(to_string(format)), format);
  EXPECT_EQ(to_string(FrameFormat::nv12), "nv12");
  EXPECT_ERROR(parse_frame_format("RGB"), InvalidArgument,
               "\"RGB\" is no frame format; expected one of rgb, bgr, rgba, bgra, nv12, yuyv");
  EXPECT_ERROR(to_string(static_cast<FrameFormat>(99)), InvalidArgument, "number 99");
}

TEST(FrameFormat, KnowsTheBytes) {
  const int bytes[] = {3, 3, 4, 4, 1, 2};
  for (std::size_t i = 0; i < all_frame_formats.size(); ++i)
    EXPECT_EQ(bytes_per_pixel(all_frame_formats[i]), bytes[i]);
}

TEST(PixelBox, IsClipped) {
  EXPECT_EQ(clip({2, 3, 4, 5}, 100, 50), (PixelBox{2, 3, 4, 5}));
  EXPECT_EQ(clip({-2, -3, 4, 5}, 100, 50), (PixelBox{0, 0, 2, 2}));
  EXPECT_EQ(clip({98, 40, 40, 40}, 100, 50), (PixelBox{98, 40, 2, 10}));
  EXPECT_EQ(clip({-10, -10, 1000, 1000}, 100, 50), (PixelBox{0, 0, 100, 50}));
  EXPECT_EQ(clip({100, 0, 5, 5}, 100, 50), PixelBox{});
  EXPECT_EQ(clip({-5, 0, 5, 5}, 100, 50), PixelBox{});
  EXPECT_EQ(clip({5, 5, 0, 5}, 100, 50), PixelBox{});
  EXPECT_EQ(clip({5, 5, -3, 5}, 100, 50), PixelBox{});
  EXPECT_EQ(clip({INT_MAX, INT_MAX, INT_MAX, INT_MAX}, 100, 50), PixelBox{});
  EXPECT_EQ(clip({INT_MIN, 1, INT_MAX, 5}, 100, 50), PixelBox{});
  EXPECT_EQ(clip({-1, -1, INT_MAX, INT_MAX}, 100, 50), (PixelBox{0, 0, 100, 50}));
}

TEST(Frame, IsMadeOfImages) {
  const std::vector<Bgra8> pixels(40);
  const Frame frame = ImageView<const Bgra8>(pixels.data(), 3, 2, 20 * std::int64_t{sizeof(Bgra8)});
  EXPECT_EQ(frame.format(), FrameFormat::bgra);
  EXPECT_EQ(frame.width(), 3);
  EXPECT_EQ(frame.height(), 2);
  EXPECT_EQ(frame.pitch_bytes(), 80);
  EXPECT_EQ(frame.whole(), (PixelBox{0, 0, 3, 2}));
  EXPECT_FALSE(frame.empty());
  EXPECT_TRUE(Frame{}.empty());
  EXPECT_TRUE(Frame(FrameFormat::rgb, nullptr, 0, 7, 0).empty());
}

TEST(Frame, RejectsWhatCannotBe) {
  const std::uint8_t byte = 0;
  const auto make = [&](FrameFormat format, std::int64_t width, std::int64_t height, std::int64_t pitch,
                        const std::uint8_t* chroma = nullptr, std::int64_t chroma_pitch = 0) {
    return Frame(format, &byte, width, height, pitch, chroma, chroma_pitch);
  };
  EXPECT_ERROR(make(FrameFormat::rgb, -1, 2, 10), InvalidArgument, "cannot be -1 x 2");
  EXPECT_ERROR(make(FrameFormat::rgb, 8193, 2, 1 << 20), InvalidArgument, "larger than 8192 x 4352");
  EXPECT_ERROR(make(FrameFormat::rgb, 8, 4353, 1 << 20), InvalidArgument, "larger than 8192 x 4352");
  EXPECT_ERROR(make(FrameFormat::rgb, (std::int64_t{1} << 32) + 1, 1, INT64_MAX), InvalidArgument, "larger");
  EXPECT_ERROR(make(FrameFormat::rgb, 4, 2, 11), InvalidArgument, "take 12 bytes, more than the pitch of 11");
  EXPECT_ERROR(make(FrameFormat::rgba, 4, 2, 15), InvalidArgument, "take 16 bytes");
  EXPECT_ERROR(make(FrameFormat::yuyv, 5, 2, 100), InvalidArgument, "width must be even");
  EXPECT_ERROR(make(FrameFormat::nv12, 4, 3, 100, &byte, 4), InvalidArgument, "must be even");
  EXPECT_ERROR(make(FrameFormat::nv12, 5, 4, 100, &byte, 6), InvalidArgument, "must be even");
  EXPECT_ERROR(make(FrameFormat::nv12, 4, 2, 4), InvalidArgument, "no plane of U and V");
  EXPECT_ERROR(make(FrameFormat::nv12, 4, 2, 4, &byte, 3), InvalidArgument, "more than the pitch of 3");
  EXPECT_ERROR(make(FrameFormat::rgb, 4, 2, 12, &byte, 12), InvalidArgument, "one plane");
  EXPECT_ERROR(Frame(FrameFormat::rgb, nullptr, 4, 2, 12), InvalidArgument, "null pointer");
  EXPECT_ERROR(make(static_cast<FrameFormat>(9), 4, 2, 12), InvalidArgument, "number 9");
  EXPECT_NO_THROW(make(FrameFormat::rgb, 1, 1, 3));
}

Frame as_argument(const Frame& frame) { return frame; }

// As step(image_view<Bgr8>(mat)) needs it: one implicit conversion, from a view of const pixels or not.
TEST(Frame, RejectsSizesThatOverflow) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const std::uint8_t byte = 0;
  for (const std::int64_t size : {huge, huge / 2, std::int64_t{1} << 32, -huge - 1}) {
    EXPECT_ERROR(Frame(FrameFormat::rgba, &byte, size, 1, huge), InvalidArgument, "pixels");
    EXPECT_ERROR(Frame(FrameFormat::rgba, &byte, 1, size, huge), InvalidArgument, "pixels");
  }
  // row times pitch must fit 64 bits
  EXPECT_ERROR(Frame(FrameFormat::rgba, &byte, 1, 4, huge), InvalidArgument, "pitch");
  EXPECT_ERROR(Frame(FrameFormat::nv12, &byte, 2, 4, 2, &byte, huge), InvalidArgument, "pitch");
}

TEST(Frame, ConvertsFromAViewOfConstPixelsOrNot) {
  std::vector<Bgr8> pixels(6);
  const ImageView<Bgr8> view(pixels.data(), 3, 2);
  for (const Frame& frame : {as_argument(view), as_argument(ImageView<const Bgr8>(view))}) {
    EXPECT_EQ(frame.format(), FrameFormat::bgr);
    EXPECT_EQ(static_cast<const void*>(frame.data()), pixels.data());
    EXPECT_EQ(frame.whole(), (PixelBox{0, 0, 3, 2}));
  }
  static_assert(!std::is_constructible_v<Frame, ImageView<Grey8>>);
  static_assert(!std::is_constructible_v<DeviceFrame, ImageView<Bgr8>>);
}

}  // namespace
}  // namespace triptych::skin_tracker
