// CloudView and DeviceCloudView: the points of one frame, in host or device memory, as a filter takes them.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/span.hpp>

#include <concepts>
#include <span>

namespace triptych::capsule_likelihood {

// Refers to memory of the caller. Made implicitly from a span or a vector of points.
struct CloudView {
  std::span<const Vec3> points;    // metres, in the camera's frame
  std::span<const float> sigma_m;  // standard deviation of each point's distance; empty: SensorModel::sigma_m

  CloudView() = default;
  template <std::convertible_to<std::span<const Vec3>> Points>
  CloudView(const Points& cloud_points, std::span<const float> sigmas_m = {})
      : points(cloud_points), sigma_m(sigmas_m) {}
};

// The same in device memory. It has no default constructor, so that {} is an empty CloudView.
struct DeviceCloudView {
  DeviceSpan<const Vec3> points;
  DeviceSpan<const float> sigma_m;

  DeviceCloudView(DeviceSpan<const Vec3> cloud_points, DeviceSpan<const float> sigmas_m = {})
      : points(cloud_points), sigma_m(sigmas_m) {}
};

}  // namespace triptych::capsule_likelihood
