// Finds a limb whose capsules lie where the camera measured nothing, and searches for a better pose of it.
// The likelihood does not penalise such a limb: a ray that misses the body costs no more than a wrong hit.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/pose/limbs.hpp"
#include "filter/pose/pose_score.hpp"

namespace triptych::capsule_likelihood {

// On the host, with the same result for any number of threads.
class LimbRecovery {
 public:
  // The skeleton outlives it.
  LimbRecovery(const Skeleton& skeleton, const SensorModel& sensor);

  struct Result {
    std::vector<float> pose;
    std::vector<std::size_t> joints;  // of the limb that was moved; none: the pose is as it was
  };
  // pose: fitted to the sample. Searches for one of the limbs that are in empty space, near where it is and
  // elsewhere. It moves to points that nothing else explains, or behind the body, if that is clearly better.
  // frame: several such limbs take turns. Where few of the points are near the body, empty space proves
  // nothing and no limb moves.
  // steps: of the fits of what is found. threads: 0 for all cores.
  Result recover(const CloudView& sample, int steps, std::span<const float> pose, std::uint64_t frame,
                 int threads) const;

 private:
  std::size_t limb_in_empty_space(std::span<const Capsule> body, std::span<const Vec3> points,
                                  std::uint64_t frame) const;  // 0: none

  const Skeleton& skeleton_;
  SensorModel sensor_;
  std::vector<Limb> limbs_;
  std::vector<std::vector<std::size_t>> capsules_;  // of each limb
  PoseScore score_;
  double scale_;
};

}  // namespace triptych::capsule_likelihood
