// The pictures of a run, on disk and on the screen: a video, its first and last picture, a window.
#pragma once

#include <common/outputs.hpp>
#include <common/video_sink.hpp>
#include <common/window.hpp>
#include <opencv2/core/mat.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace triptych::apps {

class Gallery {
 public:
  // first.png, last.png and <name>.mp4 (or .avi) in the folder; with a window of this title where one can be
  // opened, unless it is empty.
  Gallery(Outputs& outputs, const std::filesystem::path& folder, const std::string& name, cv::Size size,
          double frames_per_second, const std::string& window_title);

  // False when the user has had enough.
  bool show(const cv::Mat& picture);
  // To be called before the outputs are committed, after at least one picture.
  void finish();

 private:
  std::filesystem::path first_, last_;
  VideoSink video_;
  std::optional<Window> window_;
  cv::Mat picture_;
};

}  // namespace triptych::apps
