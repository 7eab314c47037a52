// The pictures of a run: the annotated frame with its panel, and the heat map of the weights.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <opencv2/core/mat.hpp>

#include <deque>
#include <optional>
#include <vector>

#include "stage_times.hpp"

namespace triptych::skin_demo {

// What is known about one frame.
struct Scene {
  const cv::Mat& bgr;
  const skin_tracker::TrackedHead& head;
  std::optional<skin_tracker::SyntheticTruth> truth;
  const StageTimes& stages;
};

class Painter {
 public:
  // hcp: with the room. gate: with the window that was measured.
  Painter(cv::Size frame, const skin_tracker::Classifier& classifier, bool hcp, bool gate);

  cv::Size size() const { return {frame_.width + side_.width, frame_.height}; }
  // Annotated; frames are to come in their order, since it remembers where the head was.
  cv::Mat paint(const Scene& scene);
  // The frame and the weights of its pixels side by side, with a scale.
  cv::Mat heat_map(const cv::Mat& bgr) const;

 private:
  cv::Point2d place(double x_px, double y_px) const;
  void annotate(cv::Mat& frame, const Scene& scene);
  void paint_panel(cv::Mat& picture, const cv::Rect& box, const Scene& scene) const;
  void paint_weights(cv::Mat& picture, const cv::Rect& box, const cv::Mat& bgr) const;

  const skin_tracker::Classifier& classifier_;
  cv::Size source_;   // of the frames
  cv::Size frame_;    // as shown
  cv::Size side_;     // beside it
  double scale_ = 1;  // shown over source
  double unit_ = 1;   // of all lengths: 1 for a picture 720 pixels high
  bool hcp_, gate_;
  std::deque<cv::Point2d> trail_;
  std::vector<double> distances_;
};

}  // namespace triptych::skin_demo
