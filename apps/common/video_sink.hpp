// VideoSink: writes a video file frame by frame.
#pragma once

#include <common/outputs.hpp>
#include <opencv2/core/mat.hpp>
#include <opencv2/videoio.hpp>

#include <filesystem>

namespace triptych::apps {

class VideoSink {
 public:
  // Opens <stem>.mp4 (MPEG-4), or <stem>.avi (motion JPEG) when OpenCV cannot write MPEG-4. The size must be
  // even. Error when neither can be written.
  VideoSink(Outputs& outputs, const std::filesystem::path& stem, cv::Size size, double frames_per_second);

  void write(const cv::Mat& bgr);
  // Call it before Outputs::commit().
  void close();
  const std::filesystem::path& file() const { return file_; }

 private:
  cv::VideoWriter writer_;
  std::filesystem::path file_;
};

}  // namespace triptych::apps
