// A pinhole view of the scene: x right, y up, z forward, metres; pictures have y down.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <opencv2/core/matx.hpp>
#include <opencv2/core/types.hpp>

#include <cmath>

namespace triptych::capsule_demo {

using Vec = cv::Vec3f;

inline Vec vec(const capsule_likelihood::Vec3& v) { return {v.x, v.y, v.z}; }
inline Vec unit(const Vec& v) {
  const float length = std::sqrt(v.dot(v));
  return length > 0 ? v * (1 / length) : Vec(0, 0, 1);
}

struct View {
  Vec eye, right{1, 0, 0}, up{0, 1, 0}, forward{0, 0, 1};
  float focal_px = 1;
  cv::Size size;

  // From the eye towards the target, upright.
  static View look(const Vec& eye, const Vec& target, cv::Size size) {
    View view;
    view.eye = eye;
    view.forward = unit(target - eye);
    view.right = unit(Vec(0, 1, 0).cross(view.forward));
    view.up = view.forward.cross(view.right);
    view.focal_px = static_cast<float>(size.height);
    view.size = size;
    return view;
  }

  cv::Point2f middle() const {
    return {0.5F * static_cast<float>(size.width), 0.5F * static_cast<float>(size.height)};
  }
  // The direction through a position in the picture; its component along forward is 1.
  Vec ray(float x_px, float y_px) const {
    return forward + right * ((x_px - middle().x) / focal_px) - up * ((y_px - middle().y) / focal_px);
  }
  // Along forward.
  float depth(const Vec& p) const { return (p - eye).dot(forward); }
  // Only for what lies before the eye.
  cv::Point2f position(const Vec& p) const {
    const Vec d = p - eye;
    const float scale = focal_px / d.dot(forward);
    return {middle().x + scale * d.dot(right), middle().y - scale * d.dot(up)};
  }
  // The same view in a picture whose sides have this factor of pixels.
  View magnified(int times) const {
    View view = *this;
    view.focal_px *= static_cast<float>(times);
    view.size *= times;
    return view;
  }
};

}  // namespace triptych::capsule_demo
