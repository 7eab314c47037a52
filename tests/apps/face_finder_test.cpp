// FaceFinder: of the boxes that OpenCV's cascade shows, those with a face.
#include <triptych/aam_fit/default_model.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>

#include <common/face_finder.hpp>
#include <gtest/gtest.h>

#include <cstdio>

namespace triptych::apps {
namespace {

TEST(FaceFinder, ConfirmsFacesAndLittleElse) {
  FaceDetector detector;
  FaceFinder finder{FaceDetector()};
  EXPECT_EQ(finder.ready(), detector.ready());
  if (!detector.ready()) GTEST_SKIP() << detector.reason();
  try {
    aam_fit::load_default_model();
  } catch (const Unavailable& problem) {
    GTEST_SKIP() << problem.what();
  }
  std::size_t detected = 0, found = 0, others_detected = 0, others_found = 0;
  for (int i = 0; i < 20; ++i) {
    aam_fit::Example face = aam_fit::render_face(aam_fit::varied_face(9, i), 256, 256);
    const cv::Mat grey = mat_view(face.image.view());
    detected += detector.detect(grey).empty() ? 0 : 1;
    found += finder.find(grey).empty() ? 0 : 1;
  }
  for (int i = 0; i < 100; ++i) {
    Image<Grey8> scene = aam_fit::background_scene(77, i, 320, 240);
    const cv::Mat grey = mat_view(scene.view());
    others_detected += detector.detect(grey).size();
    others_found += finder.find(grey).size();
  }
  std::printf("faces: %zu detected, %zu found; without a face: %zu detected, %zu found\n", detected, found,
              others_detected, others_found);
  EXPECT_GE(detected, 15u);
  EXPECT_GE(found, detected - 2);
  EXPECT_GE(others_detected, 4u);
  EXPECT_EQ(others_found, 0u);
}

TEST(FaceFinder, IsAsReadyAsItsDetector) {
  FaceFinder finder{FaceDetector::none()};
  EXPECT_FALSE(finder.ready());
  EXPECT_TRUE(finder.find(cv::Mat::zeros(64, 64, CV_8U)).empty());
}

}  // namespace
}  // namespace triptych::apps
