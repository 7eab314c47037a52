#include <triptych/core/error.hpp>
#include <triptych/core/pixel.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych {
namespace {

static_assert(sizeof(Rgb8) == 3 && alignof(Rgb8) == 1 && PixelTraits<Rgb8>::channels == 3);
static_assert(sizeof(Bgra8) == 4 && alignof(Bgra8) == 1 && PixelTraits<Bgra8>::channels == 4);
static_assert(PixelTraits<Grey8>::channels == 1 && PixelTraits<Grey8>::format == PixelFormat::grey8);
static_assert(std::bit_cast<std::uint32_t>(Rgba8{1, 2, 3, 4}) == 0x04030201u ||
              std::endian::native != std::endian::little);
static_assert(std::bit_cast<Bgra8>(Rgba8{1, 2, 3, 4}) == Bgra8{.b = 1, .g = 2, .r = 3, .a = 4});

constexpr PixelFormat all_formats[] = {PixelFormat::rgb8, PixelFormat::bgr8, PixelFormat::rgba8,
                                       PixelFormat::bgra8, PixelFormat::grey8};

TEST(Pixel, NamesGoBothWays) {
  for (const PixelFormat format : all_formats) EXPECT_EQ(parse_pixel_format(to_string(format)), format);
  EXPECT_EQ(to_string(PixelFormat::bgra8), "bgra8");
}

TEST(Pixel, KnowsTheChannels) {
  EXPECT_EQ(channels(PixelFormat::bgr8), 3);
  EXPECT_EQ(channels(PixelFormat::rgba8), 4);
  EXPECT_EQ(channels(PixelFormat::grey8), 1);
}

TEST(Pixel, RejectsUnknownFormats) {
  EXPECT_ERROR(parse_pixel_format("RGB8"), InvalidArgument,
               "\"RGB8\" is not a pixel format; expected one of rgb8, bgr8, rgba8, bgra8, grey8");
  EXPECT_ERROR(parse_pixel_format(""), InvalidArgument, "expected one of");
  EXPECT_ERROR(to_string(static_cast<PixelFormat>(99)), InvalidArgument, "number 99");
}

TEST(Pixel, RandomNamesAreParsedOrRejected) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    std::string name = test::random_text(static_cast<std::int64_t>(seed % 9), seed);
    if (seed % 2 == 0) {  // one byte of a true name changed
      name = to_string(all_formats[seed / 2 % 5]);
      name[seed / 10 % name.size()] = static_cast<char>(seed % 251);
    }
    try {
      EXPECT_EQ(to_string(parse_pixel_format(name)), name);
    } catch (const InvalidArgument&) {
    }
  }
}

}  // namespace
}  // namespace triptych
