#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <utility>

#include "body/rotation.hpp"
#include "filter/evidence/confidence.hpp"
#include "filter/evidence/host_cloud.hpp"
#include "filter/fit/surface_fit.hpp"
#include "filter/pose/candidate.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/pose/pose_score.hpp"
#include "filter/search/heading_recovery.hpp"
#include "filter/search/limb_search.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Points of the person may be as far from a wrong pose as this, of a person of 1.75 m.
constexpr double near_pose_m = 0.7;
constexpr std::size_t min_points_near_pose = 100;  // fewer prove nothing
constexpr double min_turn_gain = 0.1;  // of the score; in trials a right pose lost by 0.01 at most

}  // namespace

std::vector<float> turned_if_better(const Skeleton& skeleton, const SensorModel& sensor,
                                    const CloudView& cloud, std::span<const float> pose, int threads) {
  const HostCloud sample = fit_sample(cloud);
  const HostCloud near =
      points_near(skeleton.capsules(pose), sample.view(), near_pose_m * body_scale(skeleton));
  if (near.points.size() < min_points_near_pose) return {};
  const std::vector<Limb> limbs = limbs_of(skeleton);
  const PoseScore score(skeleton, limbs);
  const LimbSearch search(skeleton, score, sensor, near.view(), ImageBounds::of(sample.points, sensor));
  const SurfaceFit fit(skeleton, search.points(), search.sigma_m(), sensor);

  // Turned round with the angles of its limbs, or with each limb where that of the other side was.
  const std::vector<float> kept(pose.begin(), pose.end());
  std::vector<float> with_its_angles = kept;
  set_orientation(with_its_angles, orientation_of(kept) * detail::rotation_about(Axis::y, std::numbers::pi));
  const std::array starts{kept, with_its_angles, turned_round(skeleton, limbs, kept)};
  std::array<Candidate, 3> fitted;
  parallel_for(0, std::ssize(starts), threads, [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    fitted[k] = search.judge(fit.fit(starts[k]));
  });
  Candidate& turned = fitted[1].score >= fitted[2].score ? fitted[1] : fitted[2];
  const double least = std::max(search.judge(kept).score, fitted[0].score) + min_turn_gain;
  if (!(turned.score > least)) return {};
  return std::move(turned.pose);
}

}  // namespace triptych::capsule_likelihood
