// The picture of a frame: the points with the capsule skin over them as the camera sees them and from the
// side, and what is known about the frame beside them.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <opencv2/core/mat.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cloud_layer.hpp"
#include "input.hpp"
#include "view.hpp"

namespace triptych::capsule_demo {

// What is known about one frame. Joints are in the order of the skeleton's.
struct Scene {
  int frame = 0, frames = 0;  // its number, and how many there are; 0: not known
  std::span<const capsule_likelihood::Vec3> points;
  std::span<const capsule_likelihood::Capsule> body;
  std::span<const capsule_likelihood::Vec3> joints;
  std::span<const capsule_likelihood::Vec3> truth;  // of the reference; empty, or NaN where it is not known
  std::optional<double> error_mm, mean_error_mm;    // of this frame, of all so far
  double effective_samples = 0;
  double confidence = 0;
  std::string reason;  // why the body is not found, which is then not drawn; empty: it is found
  double frames_per_second = 0;
};

// What stays the same.
struct Caption {
  std::string title;  // what is tracked
  std::string device;
  int samples = 0, layers = 0;
};

class Painter {
 public:
  Painter(const capsule_likelihood::Skeleton& skeleton, const Reference& reference, Caption caption);

  static cv::Size size() { return {1600, 900}; }
  // Frames are to come in their order: the eye follows the body gently.
  cv::Mat paint(const Scene& scene);

 private:
  void follow(const Scene& scene, std::span<const float> away);
  void paint_view(cv::Mat& part, const View& view, const Scene& scene, std::span<const cv::Vec3b> colours,
                  std::span<const Vec> tints, const std::string& title) const;
  void paint_bones(cv::Mat& part, const View& view, std::span<const capsule_likelihood::Vec3> joints,
                   const std::vector<int>& parents, const cv::Scalar& colour, double dot_px) const;
  // The view with a focal length that keeps the body in the picture, led there gently from focal_px.
  View framed(View view, const Scene& scene, float& focal_px) const;
  void paint_legend(cv::Mat& part, const Scene& scene, double explained);

  Caption caption_;
  std::vector<int> parents_;
  Reference reference_;
  std::vector<Vec> tints_, pale_tints_;  // of the capsules
  ColourScale by_distance_ = ColourScale::distance();
  ColourScale by_residual_ = ColourScale::residual();
  bool begun_ = false;
  Vec target_;
  float radius_m_ = 1, floor_y_ = 0;
  float camera_focal_px_ = 0, side_focal_px_ = 0;
  float near_m_ = 0, far_m_ = 1;  // of the colours of distance
  std::vector<float> lowest_;     // of the last frames
  std::vector<double> errors_, explained_;
};

}  // namespace triptych::capsule_demo
