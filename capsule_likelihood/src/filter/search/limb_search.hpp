// The search for a limb: many poses of it at once, whatever it does now.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/evidence/confidence.hpp"
#include "filter/pose/candidate.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/pose/pose_score.hpp"

namespace triptych::capsule_likelihood {

// Which poses of a limb are weighed.
struct LimbDraws {
  // With angles drawn evenly within the limits; the limb's other joints are at rest.
  std::int64_t anywhere = 512;
  // With angles drawn evenly about those of the pose, by up to 0.1, 0.2, ... 1.5 rad in turn.
  std::int64_t around = 0;
  std::int64_t judged = 32;  // of all these, the most likely ones, by the evidence as well
  double move_cost = 0;      // of the score, times moved_m2()
};

// Weighs poses on a sample of a cloud that a camera has seen. On the host: the same poses whatever the filter
// runs on.
class LimbSearch {
 public:
  // The skeleton and the score outlive the search. image: places outside count as seen, but not those of a
  // limb that is moved.
  LimbSearch(const Skeleton& skeleton, const PoseScore& score, const SensorModel& sensor,
             const CloudView& cloud, const ImageBounds& image = {});

  // Poses that differ from this one in the limb alone, the best ones first, `count` at most. No two put the
  // end of the limb at about the same place.
  std::vector<std::vector<float>> best_poses(std::span<const float> pose, const Limb& limb, std::size_t count,
                                             int threads = 1, const LimbDraws& draws = {}) const;

  Candidate judge(std::vector<float> pose) const;
  // Of a pose whose limb is moved.
  Candidate judge(std::vector<float> pose, const Limb& moved) const;

  // How far the ends of the limb's bones are from where they were, scaled to a person of 1.75 m: squares,
  // summed.
  double moved_m2(const Limb& limb, std::span<const Vec3> joints, std::span<const Vec3> were) const;

  std::span<const Vec3> points() const { return sample_.view(); }
  std::span<const float> sigma_m() const { return sigma_m_; }  // empty, or one for each point

 private:
  class SeenLimb;

  Candidate judge(std::vector<float> pose, std::span<const Capsule> body, double seen) const;

  const Skeleton& skeleton_;
  const PoseScore& score_;
  EvidenceSample sample_;
  std::vector<float> sigma_m_;
  Rays rays_;
  ImageBounds image_;
  double scale_;
};

}  // namespace triptych::capsule_likelihood
