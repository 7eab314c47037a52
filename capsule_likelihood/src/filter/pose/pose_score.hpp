// The score by which find() and the search for limbs compare poses: how well they explain a cloud, and how
// usual they are.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include "body/rotation.hpp"
#include "filter/pose/limbs.hpp"

namespace triptych::capsule_likelihood {

// The limits of the angles allow poses that no person takes, such as arms twisted behind the back. A body
// that looks the wrong way needs them. Per rad^2 away from a standing person, and per point of the cloud.
inline constexpr double bend_weight = 0.012;

class PoseScore {
 public:
  // prefers_camera: a body that looks towards the camera is preferred to one that looks away, where joints
  // called toe say how it looks.
  PoseScore(const Skeleton& skeleton, const std::vector<Limb>& limbs, bool prefers_camera = false);

  // body_seen: as in Evidence.
  double of(std::span<const float> pose, double log_likelihood_per_point, double body_seen) const;

 private:
  struct Joint {
    std::size_t first_angle;
    std::vector<Axis> axes;
    detail::Rot to_standing;  // the inverse of its rotation in the standing pose
  };

  // The squares of the angles between the joints of the limbs and those of a standing person, summed; rad^2.
  double bend(std::span<const float> pose) const;

  std::vector<Joint> joints_;
  detail::Vec front_;
  double facing_bonus_;
};

}  // namespace triptych::capsule_likelihood
