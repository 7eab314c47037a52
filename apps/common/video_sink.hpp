// VideoSink: writes a video file frame by frame. A run that is killed leaves a video that can be read up to
// the last second.
#pragma once

#include <triptych/core/clock.hpp>

#include <common/mp4_file.hpp>
#include <common/outputs.hpp>
#include <opencv2/core/mat.hpp>
#include <opencv2/videoio.hpp>

#include <filesystem>
#include <optional>

namespace triptych::apps {

class VideoSink {
 public:
  // Opens <stem>.mp4 (MPEG-4), or <stem>.avi (motion JPEG) when OpenCV cannot write MPEG-4. The size must be
  // even. Error when neither can be written.
  VideoSink(Outputs& outputs, const std::filesystem::path& stem, cv::Size size, double frames_per_second);
  ~VideoSink();
  VideoSink(const VideoSink&) = delete;
  VideoSink& operator=(const VideoSink&) = delete;

  // Error when the disk is full; the file can then be read up to the last second before.
  void write(const cv::Mat& bgr);
  // Call it before Outputs::commit().
  void close();
  const std::filesystem::path& file() const { return file_; }

 private:
  // OpenCV encodes one second into a file without a name, whose frames then move to the end of the video.
  void open_segment();
  void close_segment();

  Outputs& outputs_;
  cv::Size size_;
  double frames_per_second_;
  std::filesystem::path temporary_, file_;
  cv::VideoWriter writer_;
  std::optional<Mp4File> mp4_;  // none: AVI, which the writer writes as a whole
  int segment_ = -1;            // its file descriptor
  Stopwatch since_opened_;
  int frames_since_opened_ = 0;
};

}  // namespace triptych::apps
