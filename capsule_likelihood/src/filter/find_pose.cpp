#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "filter/filter_plan.hpp"
#include "filter/find_pose.hpp"
#include "filter/limb_search.hpp"
#include "filter/limbs.hpp"
#include "filter/pose_score.hpp"
#include "filter/start_poses.hpp"
#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Rot;
using detail::Vec;

constexpr int headings = 8;
constexpr std::size_t limb_poses = 3;  // of LimbSearch

// The search goes on with fewer candidates from round to round. A body and the same body turned round fit a
// cloud about equally well until the limbs are found, so that candidates of both ways go on. The second round
// looks farther, for limbs that are far from the rest pose.
struct SearchRound {
  int tries;            // steps on the same cloud
  float spread_factor;  // of the first of them
  std::size_t kept;     // of each way, afterwards
};
constexpr SearchRound search_rounds[] = {{3, 4, 2}, {8, 8, 1}, {10, 4, 1}};

// Candidates are compared by PoseScore and by this: most people look towards the camera. A pose that
// does is preferred to one that looks away when it explains the cloud nearly as well: the scores may differ
// by twice this.
constexpr double facing_bonus = 0.025;
// A limb that the body hides may be anywhere there. It is the mirror image of the other limb when that costs
// no more than this and is hidden as well.
constexpr double mirrored_bonus = 0.06;

// The probability that the body looks the way that was chosen: a logistic function of how much higher its
// score is than that of the same body turned round. Fitted to searches in rendered poses and depth images
// (docs/method.md).
constexpr double even_difference = 0.015, difference_scale = 0.015;

struct Middle {
  double low, middle, high;
};

// Where most values lie: the 3rd, 50th and 97th of 100.
Middle middle_of(std::vector<float> values) {
  const auto at = [&](double share) {
    const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + k, values.end());
    return double{values[static_cast<std::size_t>(k)]};
  };
  return {at(0.03), at(0.5), at(0.97)};
}

struct Extent {
  std::array<Middle, 3> axes;  // x y z
};

// From the lowest to the highest of some spheres along an axis.
struct Interval {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(float centre, float radius) {
    low = std::min(low, double{centre} - double{radius});
    high = std::max(high, double{centre} + double{radius});
  }
  double middle() const { return (low + high) / 2; }
  double length() const { return high - low; }
};

Extent extent_of(std::span<const Vec3> points) {
  std::array<std::vector<float>, 3> values;
  for (const Vec3& p : points) {
    if (!is_finite(p)) continue;
    values[0].push_back(p.x);
    values[1].push_back(p.y);
    values[2].push_back(p.z);
  }
  require(!values[0].empty(), "no pose can be found in ", points.size(), " points, none of which is finite");
  return {{middle_of(values[0]), middle_of(values[1]), middle_of(values[2])}};
}

// A pose of start_poses(), then rotated about y, with the middle of its capsules at the middle of the cloud,
// a little behind the visible points. A body that is deeper than it is high lies, and its points crowd where
// it is near: then the middle is that between both ends.
std::vector<float> first_pose(const Skeleton& skeleton, std::vector<float> pose, const Extent& extent,
                              double heading) {
  set_orientation(pose, detail::rotation_about(Axis::y, heading) * orientation_of(pose));
  std::vector<Capsule> body(static_cast<std::size_t>(skeleton.capsule_count()));
  pose_cpu(skeleton, {pose.data(), 1, skeleton.pose_size()}, {}, {body.data(), 1, skeleton.capsule_count()},
           1);
  std::vector<float> x, z;
  Interval height, depth;
  for (const Capsule& c : body) {
    for (const Vec3& end : {c.a, c.b}) {
      x.push_back(end.x);
      z.push_back(end.z);
      height.add(end.y, c.radius_m);
      depth.add(end.z, c.radius_m);
    }
  }
  const Middle& along_z = extent.axes[2];
  pose[0] = static_cast<float>(extent.axes[0].middle - middle_of(x).middle);
  pose[1] = static_cast<float>((extent.axes[1].low + extent.axes[1].high) / 2 - height.middle());
  pose[2] =
      static_cast<float>(depth.length() > height.length() ? (along_z.low + along_z.high) / 2 - depth.middle()
                                                          : along_z.middle + 0.05 - middle_of(z).middle);
  return pose;
}

// Where the body's own z axis points.
Vec way_of(const Estimate& estimate) { return orientation_of(estimate.pose) * Vec(0, 0, 1); }

struct Candidate {
  Estimate estimate;
  double score = -std::numeric_limits<double>::infinity();
};

void sort_by_score(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
}

bool look_the_same_way(const Candidate& a, const Candidate& b) {
  return dot(way_of(a.estimate), way_of(b.estimate)) >= 0;
}

// The best candidates, and the best of those that are turned the other way.
std::vector<Candidate> keep_both_ways(std::vector<Candidate> candidates, std::size_t kept) {
  sort_by_score(candidates);
  const Candidate best = candidates.front();
  std::size_t same = 0, other = 0;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return ++(look_the_same_way(candidate, best) ? same : other) > kept;
  });
  return candidates;
}

// Steps on the cloud from a pose; the best estimate replaces the candidate when it is better.
class Search {
 public:
  Search(FilterEngine& engine, const CloudView& cloud, bool seen_by_one_camera)
      : engine_(engine),
        cloud_(cloud),
        limbs_(limbs_of(engine.skeleton())),
        front_(front_of(engine.skeleton())),
        score_(engine.skeleton(), limbs_),
        bonus_(seen_by_one_camera ? facing_bonus : 0) {
    if (seen_by_one_camera) limb_search_.emplace(engine.skeleton(), score_, engine.sensor(), cloud);
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  void improve(Candidate& best, std::span<const float> from, int tries, float spread_factor) {
    engine_.start(from, spread_factor);
    for (int i = 0; i < tries; ++i) {
      Estimate estimate = engine_.step(cloud_);
      const double score = score_of(estimate);
      if (score > best.score) best = {std::move(estimate), score};
    }
  }

  // A wide search may leave a limb far from its points. Each is searched for once more.
  void try_limbs(Candidate& best) {
    for (const Limb& limb : std::span(limbs_).subspan(1)) {
      for (const std::vector<float>& pose : poses_of(limb, best.estimate.pose)) improve(best, pose, 2, 1.5f);
    }
  }

  // The left and the right limb of a pair may have each other's points.
  void try_limbs_exchanged(Candidate& best) {
    for (std::size_t limb = 1; limb < limbs_.size(); ++limb) {
      if (limb < limbs_[limb].other)
        improve(best, with_limbs_exchanged(engine_.skeleton(), limbs_, limb, best.estimate.pose), 3, 1.5f);
    }
  }

  void refine(Candidate& best) {
    try_limbs(best);
    try_limbs_exchanged(best);
    const std::vector<float> pose = best.estimate.pose;
    improve(best, pose, 8, 1.5f);
  }

  // The same limbs seen from behind, which fit the cloud nearly as well. other: the best that looks the other
  // way, if there is one. The probability that the way of the better one is right.
  double try_turned_round(Candidate& best, Candidate other) {
    improve(other, turned_round(engine_.skeleton(), limbs_, best.estimate.pose), 4, 2);
    try_limbs(other);
    for (Candidate* one : {&best, &other}) {
      const std::vector<float> pose = one->estimate.pose;
      improve(*one, pose, 4, 1);
    }
    if (other.score > best.score) std::swap(best, other);
    if (length(front_) == 0) return 1;
    return 1 / (1 + std::exp((even_difference - (best.score - other.score)) / difference_scale));
  }

  // A limb that no point shows is more likely to do what the other one does than anything else.
  void try_limbs_mirrored(Candidate& best) {
    // The best of as few steps: that of many is better by chance.
    Candidate again;
    const std::vector<float> pose = best.estimate.pose;
    improve(again, pose, 4, 1);
    const double least = again.score - mirrored_bonus, seen = again.estimate.evidence.body_seen;
    for (std::size_t limb = 1; limb < limbs_.size(); ++limb) {
      if (limbs_[limb].other == 0) continue;
      Candidate mirrored;
      improve(mirrored, with_limb_mirrored(engine_.skeleton(), limbs_, limb, best.estimate.pose), 4, 1);
      if (mirrored.score > least && mirrored.estimate.evidence.body_seen >= seen) best = std::move(mirrored);
    }
  }

 private:
  double score_of(const Estimate& estimate) const {
    const double points = static_cast<double>(std::max<std::int64_t>(1, estimate.points.used));
    return score_.of(estimate.pose, estimate.log_likelihood / points, estimate.evidence.body_seen) -
           bonus_ * (orientation_of(estimate.pose) * front_).z;
  }

  // Where a limb may be, the rest of the body as it is.
  std::vector<std::vector<float>> poses_of(const Limb& limb, const std::vector<float>& pose) const {
    if (limb_search_ && !limb.bones.empty()) return limb_search_->best_poses(pose, limb, limb_poses);
    std::vector<float> at_rest = pose;
    put_at_rest(engine_.skeleton(), at_rest, limb);
    if (limb.bones.empty()) return {at_rest};
    std::vector<std::vector<float>> poses;
    for (const Vec& direction : directions_of(limb, at_rest)) {
      poses.push_back(at_rest);
      aim(engine_.skeleton(), poses.back(), limb.bones[0], direction);
    }
    return poses;
  }

  // Where the first bone of a limb may point: a leg down or forward, an arm also up or aside, as the body
  // sees it.
  std::vector<Vec> directions_of(const Limb& limb, std::span<const float> pose) const {
    const Skeleton& skeleton = engine_.skeleton();
    std::vector<Vec> directions = {{0, -1, 0}};
    if (length(front_) > 0) directions.push_back(front_);
    if (!limb.is_leg) {
      directions.emplace_back(0, 1, 0);
      const Vec shoulder(skeleton.joints(skeleton.rest_pose())[limb.bones[0].joint]);
      const Vec aside = cross({0, 1, 0}, front_);
      if (length(front_) > 0) directions.push_back(dot(shoulder, aside) > 0 ? aside : -1 * aside);
    }
    const Rot orientation = orientation_of(pose);
    for (Vec& direction : directions) direction = orientation * direction;
    return directions;
  }

  FilterEngine& engine_;
  const CloudView& cloud_;
  std::vector<Limb> limbs_;
  Vec front_;
  PoseScore score_;
  double bonus_;
  std::optional<LimbSearch> limb_search_;  // for one camera
};

}  // namespace

Estimate find_pose(FilterEngine& engine, const CloudView& cloud, bool seen_by_one_camera) {
  const Extent extent = extent_of(cloud.points);
  Search search(engine, cloud, seen_by_one_camera);
  std::vector<Candidate> candidates;
  for (const std::vector<float>& pose :
       start_poses(engine.skeleton(), extent.axes[1].high - extent.axes[1].low)) {
    for (int h = 0; h < headings; ++h) {
      candidates.emplace_back();
      candidates.back().estimate.pose =
          first_pose(engine.skeleton(), pose, extent, 2 * std::numbers::pi * h / headings);
    }
  }
  for (const SearchRound& round : search_rounds) {
    for (Candidate& best : candidates) {
      const std::vector<float> pose = best.estimate.pose;
      search.improve(best, pose, round.tries, round.spread_factor);
    }
    candidates = keep_both_ways(std::move(candidates), round.kept);
  }
  for (Candidate& candidate : candidates) search.refine(candidate);
  sort_by_score(candidates);
  Candidate best = candidates.front(), other;
  for (Candidate& candidate : candidates) {
    if (candidate.score > other.score && !look_the_same_way(candidate, best)) other = std::move(candidate);
  }
  const double way = search.try_turned_round(best, std::move(other));
  search.try_limbs_mirrored(best);
  engine.start(best.estimate.pose, 1.5f);
  Estimate estimate = engine.step(cloud);
  estimate.evidence.way = way;
  return estimate;
}

}  // namespace triptych::capsule_likelihood
