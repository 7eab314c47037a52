#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "filter/filter_plan.hpp"
#include "filter/find_pose.hpp"
#include "filter/start_poses.hpp"
#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int headings = 8;

// The search goes on with fewer candidates from round to round. A body and the same body turned round fit a
// cloud about equally well until the limbs are found, so that candidates of both ways go on. The second round
// looks farther, for limbs that are far from the rest pose.
struct SearchRound {
  int tries;            // steps on the same cloud
  float spread_factor;  // of the first of them
  std::size_t kept;     // of each way, afterwards
};
constexpr SearchRound search_rounds[] = {{3, 4, 2}, {8, 8, 1}, {10, 4, 1}};

// Most people look towards the camera. A pose that does is preferred to one that looks away when it explains
// the cloud nearly as well: the log-likelihoods per point may differ by twice this.
constexpr double facing_bonus = 0.025;

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

// A pose of start_poses(), rotated about y, with the middle of its capsules at the middle of the cloud, a
// little behind the visible points.
std::vector<float> first_pose(const Skeleton& skeleton, std::vector<float> pose, const Extent& extent,
                              double heading) {
  pose[3] = static_cast<float>(std::cos(heading / 2));
  pose[5] = static_cast<float>(std::sin(heading / 2));
  std::vector<Capsule> body(static_cast<std::size_t>(skeleton.capsule_count()));
  pose_cpu(skeleton, {pose.data(), 1, skeleton.pose_size()}, {}, {body.data(), 1, skeleton.capsule_count()},
           1);
  std::vector<float> x, y, z;
  for (const Capsule& c : body) {
    for (const Vec3& end : {c.a, c.b}) {
      x.push_back(end.x);
      y.push_back(end.y - c.radius_m);
      y.push_back(end.y + c.radius_m);
      z.push_back(end.z);
    }
  }
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  pose[0] = static_cast<float>(extent.axes[0].middle - middle_of(x).middle);
  pose[1] = static_cast<float>((extent.axes[1].low + extent.axes[1].high - double{*low} - double{*high}) / 2);
  pose[2] = static_cast<float>(extent.axes[2].middle + 0.05 - middle_of(z).middle);
  return pose;
}

double dot_product(const Direction& a, const Direction& b) { return a[0] * b[0] + a[1] * b[1]; }

// A horizontal direction of the rest pose, as the root of a pose turns it.
Direction turned(const Direction& rest, std::span<const float> pose) {
  const double w = pose[3], x = pose[4], y = pose[5], z = pose[6];
  return {(1 - 2 * (y * y + z * z)) * rest[0] + 2 * (x * z + w * y) * rest[1],
          2 * (x * z - w * y) * rest[0] + (1 - 2 * (x * x + y * y)) * rest[1]};
}

struct Candidate {
  Estimate estimate;
  double score = -std::numeric_limits<double>::infinity();
};

// The best candidates, and the best of those that are turned the other way.
std::vector<Candidate> keep_both_ways(std::vector<Candidate> candidates, std::size_t kept) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  const Direction way = turned({0, 1}, candidates.front().estimate.pose);
  std::size_t same = 0, other = 0;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return ++(dot_product(turned({0, 1}, candidate.estimate.pose), way) < 0 ? other : same) > kept;
  });
  return candidates;
}

// Steps on the cloud from a pose; the best estimate replaces the candidate when it is better.
class Search {
 public:
  Search(FilterEngine& engine, const CloudView& cloud, bool seen_by_one_camera)
      : engine_(engine),
        cloud_(cloud),
        front_(seen_by_one_camera ? front_of(engine.skeleton()) : Direction{}),
        bonus_(facing_bonus * static_cast<double>(cloud.points.size())) {}

  void improve(Candidate& best, std::span<const float> from, int tries, float spread_factor) {
    engine_.start(from, spread_factor);
    for (int i = 0; i < tries; ++i) {
      Estimate estimate = engine_.step(cloud_);
      const double score = estimate.log_likelihood - bonus_ * turned(front_, estimate.pose)[1];
      if (score > best.score) best = {std::move(estimate), score};
    }
  }

  // A wide search may leave a limb far from its points. Each limb is tried once more at rest.
  void try_limbs_at_rest(Candidate& best) {
    const Skeleton& skeleton = engine_.skeleton();
    const std::vector<int> units = units_of(skeleton);
    const std::vector<float> rest = skeleton.rest_pose();
    for (int unit = 1; unit <= *std::max_element(units.begin(), units.end()); ++unit) {
      std::vector<float> pose = best.estimate.pose;
      for (std::size_t j = 1; j < units.size(); ++j) {
        const int first = skeleton.first_angle(static_cast<int>(j));
        if (units[j] == unit)
          std::copy_n(rest.begin() + first, skeleton.joints()[j].rotations.size(), pose.begin() + first);
      }
      improve(best, pose, 2, 1.5f);
    }
  }

 private:
  FilterEngine& engine_;
  const CloudView& cloud_;
  Direction front_;
  double bonus_;
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
  search.try_limbs_at_rest(candidates.front());
  engine.start(candidates.front().estimate.pose, 1.5f);
  return engine.step(cloud);
}

}  // namespace triptych::capsule_likelihood
