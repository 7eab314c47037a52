// Pixels of 8 bits per channel, in the byte order of memory, and the names of their formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace triptych {

struct Rgb8 {
  std::uint8_t r, g, b;
  friend bool operator==(const Rgb8&, const Rgb8&) = default;
};
struct Bgr8 {
  std::uint8_t b, g, r;
  friend bool operator==(const Bgr8&, const Bgr8&) = default;
};
struct Rgba8 {
  std::uint8_t r, g, b, a;
  friend bool operator==(const Rgba8&, const Rgba8&) = default;
};
struct Bgra8 {
  std::uint8_t b, g, r, a;
  friend bool operator==(const Bgra8&, const Bgra8&) = default;
};
struct Grey8 {
  std::uint8_t v;
  friend bool operator==(const Grey8&, const Grey8&) = default;
};

enum class PixelFormat { rgb8, bgr8, rgba8, bgra8, grey8 };

// format and channels of a pixel type.
template <class P>
struct PixelTraits;

namespace detail {
template <class P, PixelFormat pixel_format>
struct PixelTraitsOf {
  static constexpr PixelFormat format = pixel_format;
  static constexpr int channels = sizeof(P);
};
}  // namespace detail

template <>
struct PixelTraits<Rgb8> : detail::PixelTraitsOf<Rgb8, PixelFormat::rgb8> {};
template <>
struct PixelTraits<Bgr8> : detail::PixelTraitsOf<Bgr8, PixelFormat::bgr8> {};
template <>
struct PixelTraits<Rgba8> : detail::PixelTraitsOf<Rgba8, PixelFormat::rgba8> {};
template <>
struct PixelTraits<Bgra8> : detail::PixelTraitsOf<Bgra8, PixelFormat::bgra8> {};
template <>
struct PixelTraits<Grey8> : detail::PixelTraitsOf<Grey8, PixelFormat::grey8> {};

int channels(PixelFormat format);

// The enumerator's name, "rgb8" and so on.
std::string to_string(PixelFormat format);
// The inverse of to_string; InvalidArgument, which lists the names, for any other text.
PixelFormat parse_pixel_format(std::string_view name);

}  // namespace triptych
