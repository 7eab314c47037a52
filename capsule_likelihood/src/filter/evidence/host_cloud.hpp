// A cloud that owns its points: a part of another one, or a copy of one in device memory.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace triptych::capsule_likelihood {

struct HostCloud {
  std::vector<Vec3> points;
  std::vector<float> sigma_m;  // one for each point, or empty

  CloudView view() const { return {points, sigma_m}; }
  void reserve(std::size_t count) {
    points.reserve(count);
    sigma_m.reserve(count);
  }

  // For a copy from device memory, whose sigmas cannot be checked in advance: a point without a valid sigma
  // becomes NaN and gets the usual sigma. So its ray is dropped, as in a frame.
  void drop_points_without_sigma(float usual_m);
};

// max_fit_points of them at most. A sample of that capacity is filled without allocating.
HostCloud fit_sample(const CloudView& cloud);
void draw_fit_sample(const CloudView& cloud, HostCloud& sample);

// The points in a box about the body: `reach_m` beyond its capsules.
HostCloud points_near(std::span<const Capsule> body, const CloudView& cloud, double reach_m);

}  // namespace triptych::capsule_likelihood
