#include <algorithm>
#include <cmath>
#include <utility>

#include "filter/pose/pose_score.hpp"
#include "filter/pose/start_poses.hpp"

namespace triptych::capsule_likelihood {

namespace {

// A limb in empty space costs the likelihood nothing: the share of the body that the cloud shows counts, too.
constexpr double seen_weight = 2;
// Most people look towards the camera. A pose that does is preferred to one that looks away when it explains
// the cloud nearly as well: the scores may differ by twice this.
constexpr double facing_bonus = 0.025;

detail::Rot rotation_of(std::span<const Axis> axes, std::span<const float> angles) {
  return detail::rotation_of_angles(axes, std::vector<double>(angles.begin(), angles.end()));
}

// Of a rotation, 0 to pi.
double angle_of(const detail::Rot& r) {
  return std::acos(std::clamp((r[0] + r[4] + r[8] - 1) / 2, -1.0, 1.0));
}

}  // namespace

PoseScore::PoseScore(const Skeleton& skeleton, const std::vector<Limb>& limbs, bool prefers_camera)
    : front_(front_of(skeleton)), facing_bonus_(prefers_camera ? facing_bonus : 0) {
  const std::vector<float> standing = standing_pose(skeleton);
  for (const Limb& limb : limbs) {
    for (const std::size_t j : limb.joints) {
      Joint joint{static_cast<std::size_t>(skeleton.first_angle(static_cast<int>(j))), {}, {}};
      for (const Rotation& rotation : skeleton.joints()[j].rotations) joint.axes.push_back(rotation.axis);
      joint.to_standing = transposed(
          rotation_of(joint.axes, std::span(standing).subspan(joint.first_angle, joint.axes.size())));
      joints_.push_back(std::move(joint));
    }
  }
}

double PoseScore::of(std::span<const float> pose, double log_likelihood_per_point, double body_seen) const {
  return log_likelihood_per_point + seen_weight * body_seen - bend_weight * bend(pose) -
         facing_bonus_ * (orientation_of(pose) * front_).z;
}

double PoseScore::bend(std::span<const float> pose) const {
  double sum = 0;
  for (const Joint& joint : joints_) {
    const double angle = angle_of(
        joint.to_standing * rotation_of(joint.axes, pose.subspan(joint.first_angle, joint.axes.size())));
    sum += angle * angle;
  }
  return sum;
}

}  // namespace triptych::capsule_likelihood
