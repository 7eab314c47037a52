#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "filter/find_pose.hpp"
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

// The rest pose, rotated about y, with the middle of its capsules at the middle of the cloud, a little behind
// the visible points.
std::vector<float> first_pose(const Skeleton& skeleton, const Extent& extent, double heading) {
  std::vector<float> pose = skeleton.rest_pose();
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

using Direction = std::array<double, 2>;  // x and z: seen from above

double dot_product(const Direction& a, const Direction& b) { return a[0] * b[0] + a[1] * b[1]; }

// Where the body looks at rest: from the feet to the toes. {0, 0} when no joint is called toe.
Direction front_of(const Skeleton& skeleton) {
  const std::vector<Vec3> positions = skeleton.joints(skeleton.rest_pose());
  Direction front = {};
  for (std::size_t j = 1; j < positions.size(); ++j) {
    const Joint& joint = skeleton.joints()[j];
    std::string name = joint.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.find("toe") == std::string::npos) continue;
    const Vec3& foot = positions[static_cast<std::size_t>(joint.parent)];
    front[0] += double{positions[j].x} - double{foot.x};
    front[1] += double{positions[j].z} - double{foot.z};
  }
  const double length = std::sqrt(dot_product(front, front));
  return length > 0 ? Direction{front[0] / length, front[1] / length} : Direction{};
}

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

}  // namespace

Estimate find_pose(FilterEngine& engine, const CloudView& cloud, bool seen_by_one_camera) {
  const Extent extent = extent_of(cloud.points);
  const Direction front = seen_by_one_camera ? front_of(engine.skeleton()) : Direction{};
  const double bonus = facing_bonus * static_cast<double>(cloud.points.size());
  std::vector<Candidate> candidates(headings);
  for (int h = 0; h < headings; ++h)
    candidates[static_cast<std::size_t>(h)].estimate.pose =
        first_pose(engine.skeleton(), extent, 2 * std::numbers::pi * h / headings);
  for (const SearchRound& round : search_rounds) {
    for (Candidate& best : candidates) {
      engine.start(best.estimate.pose, round.spread_factor);
      for (int i = 0; i < round.tries; ++i) {
        Estimate estimate = engine.step(cloud);
        const double score = estimate.log_likelihood - bonus * turned(front, estimate.pose)[1];
        if (score > best.score) best = {std::move(estimate), score};
      }
    }
    candidates = keep_both_ways(std::move(candidates), round.kept);
  }
  engine.start(candidates.front().estimate.pose, 1.5f);
  return engine.step(cloud);
}

}  // namespace triptych::capsule_likelihood
