// Colour frames from wherever they come: an image, a folder of images, a video, a camera.
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

  // The next frame, 8-bit BGR, into frame; false at the end. A frame that is there but cannot be read comes
  // as an empty Mat.
  virtual bool next(cv::Mat& frame) = 0;
  // Frames in all; 0 when that is not known.
  virtual int count() const = 0;
  virtual double frames_per_second() const { return 30; }
  virtual bool is_live() const { return false; }
  // After the end: what was not as it should be, in a sentence; empty when all was well.
  virtual std::string complaint() const { return {}; }
};

// "camera:N", or the path of an image, a folder of images or a video. UsageError when the camera's number is
// none; Error when there is nothing to read.
std::unique_ptr<FrameSource> open_frames(const std::string& input);

// The images of a folder in the order in which people number them. Error when there is none.
std::vector<std::filesystem::path> images_in(const std::filesystem::path& folder);

}  // namespace triptych::apps
