// The points as small soft dots over or under the body.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <opencv2/core/mat.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "body_layer.hpp"
#include "view.hpp"

namespace triptych::capsule_demo {

// Colours for 0 .. 1, BGR.
class ColourScale {
 public:
  static ColourScale distance();  // near to far
  static ColourScale residual();  // on the skin to far from it
  cv::Vec3b at(float share) const;

 private:
  explicit ColourScale(const cv::Mat& table) : table_(table) {}
  cv::Mat table_;  // 1 x 256, CV_8UC3
};

// The picture gets the points behind the body, the body, and the points before it. colours: one per point.
void draw_cloud_and_body(cv::Mat& picture, const View& view, std::span<const capsule_likelihood::Vec3> points,
                         std::span<const cv::Vec3b> colours, const BodyLayer& body, float dot_px);

// How far each point is from the nearest skin, metres, not negative.
std::vector<float> distances_from_skin(std::span<const capsule_likelihood::Vec3> points,
                                       std::span<const capsule_likelihood::Capsule> body);

}  // namespace triptych::capsule_demo
