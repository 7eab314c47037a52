#include <triptych/core/opencv.hpp>

#include <gtest/gtest.h>
#include <opencv2/core.hpp>

#include <type_traits>
#include <utility>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

// A Mat whose rows do not follow each other: three columns of a wider one.
cv::Mat pitched() {
  const cv::Mat wide(2, 5, CV_8UC3);
  cv::Mat mat = wide.colRange(1, 4);
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 3; ++x) {
      mat.at<cv::Vec3b>(y, x) = {static_cast<uchar>(10 * y + x), static_cast<uchar>(100 + x), 7};
    }
  }
  return mat;
}

TEST(OpenCv, AViewSeesThePixelsOfAMat) {
  cv::Mat mat = pitched();
  const ImageView<Bgr8> view = image_view<Bgr8>(mat);
  EXPECT_EQ(view.width(), 3);
  EXPECT_EQ(view.height(), 2);
  EXPECT_EQ(view.at(2, 1), (Bgr8{12, 102, 7}));
  view.at(0, 0).r = 99;
  EXPECT_EQ(mat.at<cv::Vec3b>(0, 0)[2], 99);
  static_assert(std::is_same_v<decltype(image_view<Bgr8>(std::as_const(mat))), ImageView<const Bgr8>>);
}

TEST(OpenCv, AnImageIsACopyAndComesBack) {
  const cv::Mat mat = pitched();
  const Image<Bgr8> image = to_image<Bgr8>(mat);
  EXPECT_EQ(image.pixels[5], (Bgr8{12, 102, 7}));
  const cv::Mat back = to_mat(image);
  EXPECT_EQ(cv::norm(mat, back, cv::NORM_INF), 0);
  EXPECT_NE(back.data, reinterpret_cast<const uchar*>(image.pixels.data()));
  EXPECT_EQ(mat_view(image.view()).data, reinterpret_cast<const uchar*>(image.pixels.data()));
}

TEST(OpenCv, AViewKeepsItsPitch) {
  const cv::Mat mat = pitched();
  const cv::Mat again = mat_view(image_view<Bgr8>(mat));
  EXPECT_EQ(again.data, mat.data);
  EXPECT_EQ(again.step[0], mat.step[0]);
  EXPECT_EQ(cv::norm(mat, again, cv::NORM_INF), 0);
}

TEST(OpenCv, OtherPixelsAreRefused) {
  const cv::Mat grey(2, 3, CV_8UC1), floats(2, 3, CV_32FC3);
  EXPECT_ERROR(to_image<Bgr8>(grey), InvalidArgument, "3 channels of 8 bits for bgr8, not 1");
  EXPECT_ERROR(image_view<Bgr8>(floats), InvalidArgument, "bgr8");
}

}  // namespace
}  // namespace triptych
