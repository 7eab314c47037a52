// Gallery: writes the pictures of a run as a video, the first and the last one as images, and shows them in a
// window.
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
  // Writes first.png, last.png and <name>.mp4 (or .avi) to the folder. Opens a window with this title unless
  // the title is empty or there is no display.
  Gallery(Outputs& outputs, const std::filesystem::path& folder, const std::string& name, cv::Size size,
          double frames_per_second, const std::string& window_title);

  // False when the user closed the window.
  bool show(const cv::Mat& picture);
  // Call it after the last picture and before Outputs::commit(); at least one picture was shown.
  void finish();

 private:
  Outputs& outputs_;
  std::filesystem::path first_, last_;
  VideoSink video_;
  std::optional<Window> window_;
  cv::Mat picture_;
};

}  // namespace triptych::apps
