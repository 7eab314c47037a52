// The search for a limb: many poses of it at once, whatever it does now.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include "filter/candidate.hpp"
#include "filter/confidence.hpp"
#include "filter/limbs.hpp"
#include "filter/pose_score.hpp"

namespace triptych::capsule_likelihood {

// Weighs poses on a sample of a cloud that a camera has seen. On the host: the same poses whatever the filter
// runs on.
class LimbSearch {
 public:
  // The skeleton and the score outlive the search.
  LimbSearch(const Skeleton& skeleton, const PoseScore& score, const SensorModel& sensor,
             const CloudView& cloud);

  // Poses that differ from this one in the limb alone, the best ones first, `count` at most. Their angles are
  // drawn evenly within the limits. No two put the end of the limb at about the same place.
  std::vector<std::vector<float>> best_poses(std::span<const float> pose, const Limb& limb, std::size_t count,
                                             int threads = 1) const;

  Candidate judge(std::vector<float> pose) const;

  std::span<const Vec3> points() const { return sample_.view(); }
  std::span<const float> sigma_m() const { return sigma_m_; }  // empty, or one for each point

 private:
  const Skeleton& skeleton_;
  const PoseScore& score_;
  EvidenceSample sample_;
  std::vector<float> sigma_m_;
  Rays rays_;
  double scale_;
};

}  // namespace triptych::capsule_likelihood
