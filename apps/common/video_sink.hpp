// A video file made frame by frame.
#pragma once

#include <common/outputs.hpp>
#include <opencv2/core/mat.hpp>
#include <opencv2/videoio.hpp>

#include <filesystem>

namespace triptych::apps {

class VideoSink {
 public:
  // <stem>.mp4 (MPEG-4), or <stem>.avi (motion JPEG) where OpenCV cannot write that; the size must be even.
  // Error when it can write neither.
  VideoSink(Outputs& outputs, const std::filesystem::path& stem, cv::Size size, double frames_per_second);

  void write(const cv::Mat& bgr);
  // To be called before the outputs are committed.
  void close();
  const std::filesystem::path& file() const { return file_; }

 private:
  cv::VideoWriter writer_;
  std::filesystem::path file_;
};

}  // namespace triptych::apps
