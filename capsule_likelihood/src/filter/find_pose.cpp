#include <algorithm>
#include <utility>

#include "filter/find_pose.hpp"
#include "filter/pose/candidate.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/pose/pose_score.hpp"
#include "filter/pose/start_poses.hpp"
#include "filter/search/fit_search.hpp"
#include "filter/step_search.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Steps of the filter on the whole cloud, from the pose that was found by fits to a sample of it: the best of
// these counts.
constexpr int wide_steps = 8, narrow_steps = 4;

}  // namespace

Estimate find_pose(FilterEngine& engine, const CloudView& cloud, bool seen_by_one_camera) {
  const Skeleton& skeleton = engine.skeleton();
  const std::vector<std::vector<float>> starts = starts_in(skeleton, cloud.points);
  FoundPose found;
  if (seen_by_one_camera) {
    found = search_by_fits(skeleton, engine.sensor(), cloud, starts, engine.threads());
    const PoseScore score(skeleton, limbs_of(skeleton));
    Candidate best{found.pose};
    improve_by_steps(engine, cloud, score, best, wide_steps, uncertain_start);
    improve_by_steps(engine, cloud, score, best, narrow_steps, 1);
    found.pose = std::move(best.pose);
  } else {
    found = search_by_steps(engine, cloud, starts);
  }
  engine.start(found.pose, uncertain_start);
  Estimate estimate = engine.step(cloud);
  estimate.evidence.way = found.way;
  return estimate;
}

}  // namespace triptych::capsule_likelihood
