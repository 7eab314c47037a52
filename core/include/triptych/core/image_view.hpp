// ImageView and DeviceImageView: non-owning images whose rows lie pitch_bytes() apart. The pitch keeps pixels
// aligned. The two are different types: ImageView is read on the host, DeviceImageView in kernels.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/core/span.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace triptych {

template <class P, Space space>
class BasicImageView {
  using Byte = std::conditional_t<std::is_const_v<P>, const std::byte, std::byte>;

 public:
  using pixel_type = std::remove_const_t<P>;

  BasicImageView() = default;

  // A contiguous image.
  TRIPTYCH_HD BasicImageView(P* data, std::int64_t width, std::int64_t height)
      : BasicImageView(data, width, height, contiguous_pitch(width, height)) {}

  // InvalidArgument (on the host) when a size is negative, the pitch is smaller than a row or would misalign
  // the next one, the number of bytes overflows, or data is null and the image is not empty.
  TRIPTYCH_HD BasicImageView(P* data, std::int64_t width, std::int64_t height, std::int64_t pitch_bytes)
      : data_(data), width_(width), height_(height), pitch_bytes_(pitch_bytes) {
    require_size(width, height);
    require_on_host(pitch_bytes >= 0 && pitch_bytes / bytes_per_pixel >= width, "an image ", width,
                    " pixels of ", bytes_per_pixel, " bytes wide needs a pitch of at least that, not ",
                    pitch_bytes, " bytes");
    require_on_host(pitch_bytes % static_cast<std::int64_t>(alignof(P)) == 0, "a pitch of ", pitch_bytes,
                    " bytes misaligns pixels that are aligned to ", alignof(P), " bytes");
    require_on_host(height == 0 || pitch_bytes <= max_bytes / height, "an image of ", height, " rows of ",
                    pitch_bytes, " bytes is larger than the address space");
    require_on_host(data != nullptr || empty(), "an image of ", width, " x ", height,
                    " has no data (null pointer)");
  }

  template <class Q>
  requires(std::is_same_v<const Q, P> && !std::is_same_v<Q, P>) TRIPTYCH_HD
      BasicImageView(BasicImageView<Q, space> other)
      : data_(other.data()),
        width_(other.width()),
        height_(other.height()),
        pitch_bytes_(other.pitch_bytes()) {}

  TRIPTYCH_HD P* data() const { return data_; }
  TRIPTYCH_HD std::int64_t width() const { return width_; }
  TRIPTYCH_HD std::int64_t height() const { return height_; }
  TRIPTYCH_HD std::int64_t pitch_bytes() const { return pitch_bytes_; }
  TRIPTYCH_HD bool empty() const { return width_ == 0 || height_ == 0; }
  TRIPTYCH_HD bool is_contiguous() const { return height_ <= 1 || pitch_bytes_ == width_ * bytes_per_pixel; }

  // InvalidArgument (on the host) unless 0 <= y < height().
  std::span<P> row(std::int64_t y) const requires(space == Space::host) {
    require_row(y);
    return {row_data(y), static_cast<std::size_t>(width_)};
  }
  TRIPTYCH_HD DeviceSpan<P> row(std::int64_t y) const requires(space == Space::device) {
    require_row(y);
    return {row_data(y), width_};
  }

  // Unchecked pixel access: 0 <= x < width(), 0 <= y < height().
  P& at(std::int64_t x, std::int64_t y) const requires(space == Space::host) { return row_data(y)[x]; }
#if defined(__CUDACC__)
  __device__ P& at(std::int64_t x, std::int64_t y) const requires(space == Space::device) {
    return row_data(y)[x];
  }
#endif

  // The pixels [x, x + width) x [y, y + height); InvalidArgument when they are not all inside.
  BasicImageView region(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) const {
    require(x >= 0 && y >= 0 && width >= 0 && height >= 0 && x <= width_ && y <= height_ &&
                width <= width_ - x && height <= height_ - y,
            "a region of ", width, " x ", height, " at (", x, ", ", y, ") lies outside an image of ", width_,
            " x ", height_);
    return {data_ == nullptr ? nullptr : row_data(y) + x, width, height, pitch_bytes_};
  }

 private:
  static constexpr std::int64_t bytes_per_pixel = sizeof(P);
  static constexpr std::int64_t max_bytes = INT64_MAX;

  TRIPTYCH_HD static void require_size(std::int64_t width, std::int64_t height) {
    require_on_host(width >= 0 && height >= 0, "an image cannot be ", width, " x ", height, " pixels");
  }
  TRIPTYCH_HD static std::int64_t contiguous_pitch(std::int64_t width, std::int64_t height) {
    require_size(width, height);
    require_on_host(width <= max_bytes / bytes_per_pixel, "an image ", width, " pixels of ", bytes_per_pixel,
                    " bytes wide is larger than the address space");
    return width * bytes_per_pixel;
  }

  TRIPTYCH_HD void require_row(std::int64_t y) const {
    require_on_host(y >= 0 && y < height_, "row ", y, " lies outside an image of height ", height_);
  }
  TRIPTYCH_HD P* row_data(std::int64_t y) const {
    return reinterpret_cast<P*>(reinterpret_cast<Byte*>(data_) + y * pitch_bytes_);
  }

  P* data_ = nullptr;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  std::int64_t pitch_bytes_ = 0;
};

template <class P>
using ImageView = BasicImageView<P, Space::host>;
template <class P>
using DeviceImageView = BasicImageView<P, Space::device>;

}  // namespace triptych
