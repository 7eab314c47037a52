// Face boxes by OpenCV's cascade, where OpenCV has it and its file is installed (package opencv-data).
#pragma once

#include <triptych/core/box.hpp>

#include <opencv2/core/mat.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace triptych::apps {

class FaceDetector {
 public:
  // cascade: the file; empty: that of the package opencv-data. Error when a named file cannot be read.
  explicit FaceDetector(const std::filesystem::path& cascade = {});
  static FaceDetector none();  // never ready
  ~FaceDetector();
  FaceDetector(FaceDetector&&) noexcept;
  FaceDetector& operator=(FaceDetector&&) noexcept;

  bool ready() const { return impl_ != nullptr; }
  // Why it is not ready, and what to do; one sentence without a full stop.
  const std::string& reason() const { return reason_; }
  // The boxes of faces in an 8-bit grey image, the largest first. Empty when it is not ready.
  std::vector<Box> detect(const cv::Mat& grey);

 private:
  struct Impl;
  explicit FaceDetector(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::string reason_;
};

}  // namespace triptych::apps
