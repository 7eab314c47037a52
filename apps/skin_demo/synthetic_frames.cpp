#include <triptych/core/opencv.hpp>

#include <opencv2/imgproc.hpp>

#include "synthetic_frames.hpp"

namespace triptych::skin_demo {

namespace {

skin_tracker::SyntheticOptions scene_of(const Options& options) {
  skin_tracker::SyntheticOptions scene;
  scene.width = options.width;
  scene.height = options.height;
  scene.noise = options.noise;
  scene.distractor = options.distractor;
  if (options.frames > 0) scene.frames = options.frames;
  return scene;
}

}  // namespace

SyntheticFrames::SyntheticFrames(const Options& options)
    : scene_(scene_of(options)), rgb_(options.height, options.width, CV_8UC3) {}

bool SyntheticFrames::next(cv::Mat& frame) {
  if (at_ == count()) return false;
  scene_.render(at_++, image_view<Rgb8>(rgb_));
  cv::cvtColor(rgb_, frame, cv::COLOR_RGB2BGR);
  return true;
}

}  // namespace triptych::skin_demo
