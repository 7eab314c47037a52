#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <numbers>

#include "filter/evidence/confidence.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/pose/start_poses.hpp"
#include "geometry/bounds.hpp"
#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

std::vector<float> standing_pose(const Skeleton& skeleton) {
  std::vector<float> pose = skeleton.rest_pose();
  for (const Limb& limb : limbs_of(skeleton)) {
    if (!limb.bones.empty() && !is_vertical(skeleton, pose, limb.bones[0]))
      aim(skeleton, pose, limb.bones[0], {0, -1, 0});
  }
  return pose;
}

namespace {

using detail::Vec;

// Shares of the height at rest: a lower cloud may be that of a person who sits, or who lies.
constexpr double max_sitting = 0.85, max_lying = 0.4;

// Standing, with the arms aside or forward. Empty for a body without a pair of arms or without a front.
std::vector<float> pose_with_arms(const Skeleton& skeleton, bool forward) {
  const Vec front = front_of(skeleton), aside = cross({0, 1, 0}, front);
  std::vector<float> pose = standing_pose(skeleton);
  bool has_arms = false;
  for (const Limb& limb : limbs_of(skeleton)) {
    if (limb.is_leg || limb.other == 0) continue;
    has_arms = true;
    const Vec shoulder(skeleton.joints(skeleton.rest_pose())[limb.bones[0].joint]);
    aim(skeleton, pose, limb.bones[0], forward ? front : dot(shoulder, aside) > 0 ? aside : -1 * aside);
  }
  return has_arms ? pose : std::vector<float>{};
}

// Thighs forward, shins down. Empty for a body without legs or without a front.
std::vector<float> sitting_pose(const Skeleton& skeleton) {
  const Vec front = front_of(skeleton);
  std::vector<float> pose = standing_pose(skeleton);
  bool has_legs = false;
  for (const Limb& limb : limbs_of(skeleton)) {
    if (!limb.is_leg || limb.bones.size() < 2) continue;
    has_legs = true;
    aim(skeleton, pose, limb.bones[0], front);
    aim(skeleton, pose, limb.bones[1], {0, -1, 0});
  }
  return has_legs && length(front) > 0 ? pose : std::vector<float>{};
}

// The front up, or down.
std::vector<float> lying_pose(const Skeleton& skeleton, double up) {
  std::vector<float> pose = standing_pose(skeleton);
  set_orientation(pose, rotation_between(unit_or(front_of(skeleton), {0, 0, 1}), {0, up, 0}));
  return pose;
}

}  // namespace

std::vector<std::vector<float>> start_poses(const Skeleton& skeleton, double height_m) {
  const double share = height_m / height_at_rest(skeleton);
  std::vector<std::vector<float>> poses = {standing_pose(skeleton)};
  if (share >= max_lying) {
    for (const bool forward : {false, true}) poses.push_back(pose_with_arms(skeleton, forward));
  }
  if (share < max_sitting) poses.push_back(sitting_pose(skeleton));
  if (share < max_lying) {
    poses.push_back(lying_pose(skeleton, 1));
    poses.push_back(lying_pose(skeleton, -1));
  }
  std::erase_if(poses, [](const std::vector<float>& pose) { return pose.empty(); });
  return poses;
}

namespace {

constexpr int headings = 8;
constexpr double crowd_m = 0.15;  // of a body of 1.75 m: points so near are neighbours

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

// A sample of the points without outliers, floor and wall: those that have few others near them.
std::vector<Vec3> crowd_of(std::span<const Vec3> points, double near_m) {
  std::vector<Vec3> sample;
  const EvidenceSample even = EvidenceSample::of(points);
  for (const Vec3& p : even.view())
    if (is_finite(p)) sample.push_back(p);
  if (sample.empty()) std::copy_if(points.begin(), points.end(), std::back_inserter(sample), is_finite);
  require(!sample.empty(), "no pose can be found in ", points.size(), " points, none of which is finite");
  std::vector<float> neighbours;
  for (const Vec3& p : sample) {
    neighbours.push_back(static_cast<float>(std::count_if(
        sample.begin(), sample.end(), [&](const Vec3& q) { return length(Vec(p) - Vec(q)) < near_m; })));
  }
  // The far end of a person who lies along the view has few points, too: more than these.
  const double few = middle_of(neighbours).middle / 8;
  std::vector<Vec3> crowd;
  for (std::size_t i = 0; i < sample.size(); ++i)
    if (double{neighbours[i]} >= few) crowd.push_back(sample[i]);
  return crowd;
}

Extent extent_of(std::span<const Vec3> points) {
  std::array<std::vector<float>, 3> values;
  for (const Vec3& p : points) {
    values[0].push_back(p.x);
    values[1].push_back(p.y);
    values[2].push_back(p.z);
  }
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
  for (const Capsule& c : body) {
    for (const Vec3& end : {c.a, c.b}) {
      x.push_back(end.x);
      z.push_back(end.z);
    }
  }
  const Bounds3 bounds = bounds_of(body);
  const Interval &height = bounds.y, &depth = bounds.z;
  const Middle& along_z = extent.axes[2];
  pose[0] = static_cast<float>(extent.axes[0].middle - middle_of(x).middle);
  pose[1] = static_cast<float>((extent.axes[1].low + extent.axes[1].high) / 2 - height.middle());
  pose[2] =
      static_cast<float>(depth.length() > height.length() ? (along_z.low + along_z.high) / 2 - depth.middle()
                                                          : along_z.middle + 0.05 - middle_of(z).middle);
  return pose;
}

}  // namespace

std::vector<std::vector<float>> starts_in(const Skeleton& skeleton, std::span<const Vec3> points) {
  const Extent extent = extent_of(crowd_of(points, crowd_m * body_scale(skeleton)));
  std::vector<std::vector<float>> starts;
  for (const std::vector<float>& pose : start_poses(skeleton, extent.axes[1].high - extent.axes[1].low)) {
    for (int h = 0; h < headings; ++h)
      starts.push_back(first_pose(skeleton, pose, extent, 2 * std::numbers::pi * h / headings));
  }
  return starts;
}

}  // namespace triptych::capsule_likelihood
