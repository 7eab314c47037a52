// The library's synthetic scene as a source of frames, with its truth.
#pragma once

#include <triptych/skin_tracker/synthetic.hpp>

#include <common/frame_source.hpp>
#include <opencv2/core/mat.hpp>

#include "options.hpp"

namespace triptych::skin_demo {

class SyntheticFrames : public apps::FrameSource {
 public:
  explicit SyntheticFrames(const Options& options);

  bool next(cv::Mat& frame) override;
  int count() const override { return scene_.options().frames; }
  // Of the frame that next() gave last.
  skin_tracker::SyntheticTruth truth() const { return scene_.truth(at_ - 1); }

 private:
  skin_tracker::SyntheticScene scene_;
  int at_ = 0;
  cv::Mat rgb_;
};

}  // namespace triptych::skin_demo
