// FrameSource: colour frames of an image, a folder of images, a video or a camera.
#pragma once

#include <opencv2/core/mat.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace triptych::apps {

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // Reads the next frame, 8-bit BGR; false at the end. A frame that cannot be decoded is an empty Mat.
  virtual bool next(cv::Mat& frame) = 0;
  // Number of frames; 0 when it is unknown.
  virtual int count() const = 0;
  virtual double frames_per_second() const { return 30; }
  virtual bool is_live() const { return false; }
  // After the last frame: a sentence about frames that could not be read; empty when there were none.
  virtual std::string complaint() const { return {}; }
};

// input: "camera:N", or the path of an image, a folder of images or a video. UsageError when N is not a
// number; Error when nothing can be read.
std::unique_ptr<FrameSource> open_frames(const std::string& input);

// The image files of a folder in natural order (2 before 10). Error when there is none.
std::vector<std::filesystem::path> images_in(const std::filesystem::path& folder);

}  // namespace triptych::apps
