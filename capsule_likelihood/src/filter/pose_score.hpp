// By what find() compares poses: how well they explain a cloud, and how usual they are.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include "body/rotation.hpp"
#include "filter/limbs.hpp"

namespace triptych::capsule_likelihood {

class PoseScore {
 public:
  PoseScore(const Skeleton& skeleton, const std::vector<Limb>& limbs);

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
};

}  // namespace triptych::capsule_likelihood
