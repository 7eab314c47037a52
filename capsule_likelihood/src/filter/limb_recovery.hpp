// A limb that the estimate has in empty space. The likelihood says nothing of it: a ray that misses the body
// costs no more than a wrong hit.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include "filter/limbs.hpp"
#include "filter/pose_score.hpp"
#include "filter/surface_fit.hpp"

namespace triptych::capsule_likelihood {

// On the host, with the same result for any number of threads.
class LimbRecovery {
 public:
  // The skeleton outlives it. threads: 0 for all cores.
  LimbRecovery(const Skeleton& skeleton, const SensorModel& sensor, int threads);

  struct Result {
    std::vector<float> pose;
    std::vector<std::size_t> joints;  // of the limb that was moved; none: the pose is as it was
  };
  // pose: fitted to the sample. The limb of which the cloud shows least is searched for, near where it is and
  // elsewhere, when there is empty space where it should be seen. It moves to where the points are or where
  // the body hides it, if that is clearly better.
  Result recover(const CloudView& sample, const SurfaceFit& fit, int steps, std::vector<float> pose) const;

 private:
  std::size_t least_seen(const CloudView& sample, std::span<const float> pose) const;  // 0: none

  const Skeleton& skeleton_;
  SensorModel sensor_;
  int threads_;
  std::vector<Limb> limbs_;
  std::vector<std::vector<std::size_t>> capsules_;  // of each limb
  PoseScore score_;
  double scale_;
};

}  // namespace triptych::capsule_likelihood
