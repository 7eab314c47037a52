#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "filter/find_pose.hpp"
#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int headings = 8;
constexpr int first_tries = 3,
              last_tries = 12;   // steps on the same cloud: for every heading, and for the best ones
constexpr std::size_t kept = 3;  // headings that are tried further
constexpr float widen = 4;       // of the spreads, at first

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

}  // namespace

Estimate find_pose(FilterEngine& engine, const CloudView& cloud) {
  const Extent extent = extent_of(cloud.points);
  std::vector<Estimate> candidates;
  candidates.reserve(headings);
  const auto follow = [&](std::span<const float> pose, float wide, int tries) {
    engine.start(pose, wide);
    Estimate best;
    for (int i = 0; i < tries; ++i) {
      Estimate estimate = engine.step(cloud);
      if (i == 0 || estimate.log_likelihood > best.log_likelihood) best = std::move(estimate);
    }
    return best;
  };
  for (int h = 0; h < headings; ++h)
    candidates.push_back(follow(first_pose(engine.skeleton(), extent, 2 * std::numbers::pi * h / headings),
                                widen, first_tries));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Estimate& a, const Estimate& b) { return a.log_likelihood > b.log_likelihood; });
  candidates.resize(std::min(candidates.size(), kept));
  Estimate best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Estimate estimate = follow(candidates[i].pose, widen, last_tries);
    if (i == 0 || estimate.log_likelihood > best.log_likelihood) best = std::move(estimate);
  }
  engine.start(best.pose, 1.5f);
  return engine.step(cloud);
}

}  // namespace triptych::capsule_likelihood
