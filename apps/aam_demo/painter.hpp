// Pictures of fits: the frame with mesh and landmarks, beside it the model's texture and the numbers of the
// fit.
#pragma once

#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/head_pose.hpp>

#include <opencv2/core/mat.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace triptych::aam_demo {

// The head's axes in the image: where they begin, and the ends of x, y and the direction of the nose.
struct Axes {
  aam_fit::Point origin, x, y, ahead;
};
// At the nose; nothing when the head is nearer to the camera than the axes are long.
std::optional<Axes> axes_of(const aam_fit::HeadPose& pose, const aam_fit::PinholeCamera& camera);
// Angles and distance, for the panel.
void add_pose_lines(std::vector<std::string>& lines, const aam_fit::HeadPose& pose);

struct Scene {
  cv::Mat bgr;
  aam_fit::Shape landmarks;
  std::vector<aam_fit::Shape> others;  // of more faces
  std::optional<aam_fit::Shape> start, truth;
  Image<Grey8> texture;  // may be empty
  std::string texture_title = "the model's texture";
  std::vector<std::string> lines;  // for the panel
  bool found = true;               // else no shape is drawn
  std::optional<Axes> axes;
};

class Painter {
 public:
  Painter(const aam_fit::Model& model, cv::Size frame);
  cv::Size size() const { return size_; }
  cv::Mat paint(const Scene& scene);

 private:
  void draw_shape(cv::Mat& picture, const aam_fit::Shape& shape, const cv::Scalar& mesh,
                  const cv::Scalar& point, double radius) const;
  void draw_axes(cv::Mat& picture, const Axes& axes) const;
  cv::Point2d place(aam_fit::Point p) const;  // in the picture
  cv::Size frame_, size_;
  double zoom_;
  int panel_;
  std::vector<std::array<std::size_t, 2>> edges_;
};

// What a picture of a model's texture shows: grey values, or how much of an edge there is.
std::string title_of_texture(const aam_fit::Model& model);

// Every edge of the triangles once.
std::vector<std::array<std::size_t, 2>> edges_of(const std::vector<aam_fit::Triangle>& triangles);

// Pictures of one size in rows of `columns`.
cv::Mat sheet(const std::vector<cv::Mat>& pictures, int columns);

}  // namespace triptych::aam_demo
