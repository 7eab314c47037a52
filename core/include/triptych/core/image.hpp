// Image: an image that owns its pixels, on the host.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/image_view.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace triptych {

// The largest image that can be allocated or read from a file.
inline constexpr std::int64_t max_image_pixels = std::int64_t{1} << 31;

namespace detail {
// width * height. InvalidArgument when a size is negative or the product above max_image_pixels.
inline std::size_t image_pixels(std::int64_t width, std::int64_t height) {
  require(width >= 0 && height >= 0, "an image cannot be ", width, " x ", height, " pixels");
  require(height == 0 || width <= max_image_pixels / height, "an image of ", width, " x ", height,
          " is too large: it can have at most ", max_image_pixels, " pixels");
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}
}  // namespace detail

// Row-major from the top, without padding: pixel (x, y) is pixels[y * width + x].
template <class P>
struct Image {
  std::int64_t width = 0, height = 0;
  std::vector<P> pixels;

  Image() = default;
  // All pixels are P{}. InvalidArgument when a size is negative or there are more than max_image_pixels.
  Image(std::int64_t image_width, std::int64_t image_height)
      : width(image_width), height(image_height), pixels(detail::image_pixels(width, height)) {}
  // InvalidArgument also when the number of pixels is not width * height.
  Image(std::int64_t image_width, std::int64_t image_height, std::vector<P> image_pixels)
      : width(image_width), height(image_height), pixels(std::move(image_pixels)) {
    require(pixels.size() == detail::image_pixels(width, height), "an image of ", width, " x ", height,
            " pixels cannot have ", pixels.size());
  }
  // A copy of the pixels of a view. InvalidArgument when there are more than max_image_pixels.
  explicit Image(ImageView<const P> view) : width(view.width()), height(view.height()) {
    pixels.reserve(detail::image_pixels(width, height));
    for (std::int64_t y = 0; y < height; ++y) {
      const auto row = view.row(y);
      pixels.insert(pixels.end(), row.begin(), row.end());
    }
  }

  bool empty() const { return width == 0 || height == 0; }
  // Valid while the image lives and is not resized.
  ImageView<P> view() { return {pixels.data(), width, height}; }
  ImageView<const P> view() const { return {pixels.data(), width, height}; }

  friend bool operator==(const Image&, const Image&) = default;
};

}  // namespace triptych
