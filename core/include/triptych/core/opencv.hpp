// Conversions between cv::Mat and ImageView, without a copy, and between cv::Mat and Image, with one. The
// only header that includes OpenCV.
#pragma once

#if !__has_include(<opencv2/core/mat.hpp>)
#error \
    "triptych/core/opencv.hpp needs OpenCV's headers: install OpenCV and link opencv_core, or make ImageViews yourself"
#endif

#include <triptych/core/error.hpp>
#include <triptych/core/image.hpp>
#include <triptych/core/image_view.hpp>

#include <opencv2/core/mat.hpp>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace triptych {

namespace detail {

// A Mat does not know the order of its channels: P states it.
template <class P>
void require_pixels(const cv::Mat& mat) {
  require(mat.dims <= 2 && mat.depth() == CV_8U && mat.channels() == PixelTraits<P>::channels,
          "expected a cv::Mat of ", PixelTraits<P>::channels, " channels of 8 bits for ",
          to_string(PixelTraits<P>::format), ", not ", mat.channels(), " channels of depth ", mat.depth());
}

}  // namespace detail

// The view is valid as long as the data of the Mat. InvalidArgument when the Mat does not have 8-bit
// channels, as many as P.
template <class P>
ImageView<P> image_view(cv::Mat& mat) {
  detail::require_pixels<P>(mat);
  return {reinterpret_cast<P*>(mat.data), mat.cols, mat.rows, static_cast<std::int64_t>(mat.step[0])};
}

template <class P>
ImageView<const P> image_view(const cv::Mat& mat) {
  detail::require_pixels<P>(mat);
  return {reinterpret_cast<const P*>(mat.data), mat.cols, mat.rows, static_cast<std::int64_t>(mat.step[0])};
}

// A copy of the pixels of the Mat. InvalidArgument as for image_view.
template <class P>
Image<P> to_image(const cv::Mat& mat) {
  return Image<P>(image_view<P>(mat));
}

// A Mat over the pixels of the view, without a copy; valid as long as they are. A Mat has no const form: do
// not write to the Mat of an ImageView<const P>. InvalidArgument when a size does not fit an int.
template <class P>
cv::Mat mat_view(ImageView<P> image) {
  using Pixel = std::remove_const_t<P>;
  require(image.width() <= INT_MAX && image.height() <= INT_MAX, "an image of ", image.width(), " x ",
          image.height(), " is too large for a cv::Mat");
  return {static_cast<int>(image.height()), static_cast<int>(image.width()),
          CV_MAKETYPE(CV_8U, PixelTraits<Pixel>::channels), const_cast<Pixel*>(image.data()),
          static_cast<std::size_t>(image.pitch_bytes())};
}

// A copy of the pixels of the image.
template <class P>
cv::Mat to_mat(const Image<P>& image) {
  return mat_view(image.view()).clone();
}

}  // namespace triptych
