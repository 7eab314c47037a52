// Finding the face in frame after frame: from a given box, from where it was, or by searching.
#pragma once

#include <triptych/aam_fit/face_tracker.hpp>

#include <opencv2/core/mat.hpp>

#include <optional>

namespace triptych::aam_demo {

struct Found {
  aam_fit::Fit fit;
  std::optional<aam_fit::Shape> start;  // not when it went on from the frame before
  bool found = false;
  double ms = 0;
};

class Follower {
 public:
  // track: frames are of one video. init: where the landmarks are at first, and in every frame without track.
  Follower(const aam_fit::Model& model, const aam_fit::FitterOptions& options, const Device& device,
           bool track, const std::optional<aam_fit::Box>& init);

  // grey: 8 bits. InvalidArgument when the given box does not fit the frame.
  Found next(const cv::Mat& grey);
  // What the model makes of the face that was found.
  aam_fit::GreyImage texture(const cv::Mat& grey, const aam_fit::Fit& fit) const;

 private:
  Found from(const cv::Mat& grey, aam_fit::Shape start);
  // The box of the best of many fits from all over the frame.
  aam_fit::Box search(const cv::Mat& grey);

  aam_fit::Fitter fitter_;
  std::optional<aam_fit::FaceTracker> tracker_;
  std::optional<aam_fit::Box> init_;
  bool following_ = false;
};

// InvalidArgument when less than half of the box lies in the frame.
void check_box(const aam_fit::Box& box, cv::Size frame);

}  // namespace triptych::aam_demo
