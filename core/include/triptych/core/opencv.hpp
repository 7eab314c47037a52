// A cv::Mat seen as an ImageView, without a copy. The only header that knows OpenCV: include it where OpenCV
// is there.
#pragma once

#if !__has_include(<opencv2/core/mat.hpp>)
#error \
    "triptych/core/opencv.hpp needs OpenCV's headers: install OpenCV and link opencv_core, or make ImageViews yourself"
#endif

#include <cstdint>
#include <opencv2/core/mat.hpp>

#include <triptych/core/error.hpp>
#include <triptych/core/image_view.hpp>

namespace triptych {

namespace detail {

// A Mat does not know the order of its channels: the caller, who names P, does.
template <class P>
void require_pixels(const cv::Mat& mat) {
  require(mat.dims <= 2 && mat.depth() == CV_8U && mat.channels() == PixelTraits<P>::channels,
          "expected a cv::Mat of ", PixelTraits<P>::channels, " channels of 8 bits for ",
          to_string(PixelTraits<P>::format), ", not ", mat.channels(), " channels of depth ", mat.depth());
}

}  // namespace detail

// The view is valid as long as the Mat's data is. InvalidArgument when the Mat does not hold pixels of P's
// size.
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

}  // namespace triptych
