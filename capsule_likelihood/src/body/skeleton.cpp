// The checks of a skeleton, and what follows from its joints.
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace triptych::capsule_likelihood {

namespace {

// False also for NaN.
bool is_within(float x, float most) { return std::abs(x) <= most; }
bool is_length(const Vec3& v) {
  return is_within(v.x, Skeleton::max_length_m) && is_within(v.y, Skeleton::max_length_m) &&
         is_within(v.z, Skeleton::max_length_m);
}

void check_joint(const Joint& joint, int index) {
  require(index == 0 ? joint.parent == -1 : joint.parent >= 0 && joint.parent < index, "joint ", index, " (",
          joint.name, ") has parent ", joint.parent, ": the first joint is the root, with parent -1, and ",
          "every other one comes after its parent");
  require(is_length(joint.offset_m), "joint ", joint.name, " has an offset that is not finite or beyond ",
          Skeleton::max_length_m, " m");
  require(joint.rotations.size() <= 3, "joint ", joint.name, " has ", joint.rotations.size(),
          " rotations: at most 3 are possible");
  for (const Rotation& rotation : joint.rotations) {
    require(rotation.axis == Axis::x || rotation.axis == Axis::y || rotation.axis == Axis::z, "joint ",
            joint.name, " has a rotation about no axis");
    require(is_within(rotation.lower_rad, Skeleton::max_angle_rad) &&
                is_within(rotation.upper_rad, Skeleton::max_angle_rad),
            "joint ", joint.name, " has a limit that is not finite or beyond ", Skeleton::max_angle_rad,
            " rad");
    require(rotation.lower_rad <= rotation.upper_rad, "joint ", joint.name, " has a lower limit of ",
            rotation.lower_rad, " rad, above its upper one of ", rotation.upper_rad, " rad");
  }
}

void check_body_capsule(const BodyCapsule& body_capsule, std::size_t index, std::span<const Joint> joints) {
  require(body_capsule.joint >= 0 && static_cast<std::size_t>(body_capsule.joint) < joints.size(), "capsule ",
          index, " is on joint ", body_capsule.joint, ", which is not there");
  const Joint& joint = joints[static_cast<std::size_t>(body_capsule.joint)];
  require(is_length(body_capsule.capsule.a) && is_length(body_capsule.capsule.b), "capsule ", index,
          " on joint ", joint.name, " has an end that is not finite or beyond ", Skeleton::max_length_m,
          " m");
  const float radius_m = body_capsule.capsule.radius_m;
  require(radius_m >= 0 && radius_m <= Skeleton::max_length_m, "capsule ", index, " on joint ", joint.name,
          " has a radius of ", radius_m, " m: 0 to ", Skeleton::max_length_m, " m are possible");
}

}  // namespace

Skeleton::Skeleton(std::vector<Joint> joints, std::vector<BodyCapsule> body_capsules)
    : joints_(std::move(joints)), body_capsules_(std::move(body_capsules)) {
  require(!joints_.empty(), "a skeleton needs at least one joint");
  require(joints_.size() <= max_joints, "a skeleton of ", joints_.size(), " joints is too large: at most ",
          max_joints, " are possible");
  for (std::size_t i = 0; i < joints_.size(); ++i) check_joint(joints_[i], static_cast<int>(i));
  for (std::size_t i = 0; i < body_capsules_.size(); ++i) check_body_capsule(body_capsules_[i], i, joints_);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    first_angle_.push_back(pose_size_);
    if (i > 0) pose_size_ += static_cast<int>(joints_[i].rotations.size());
  }
}

int Skeleton::first_angle(int joint) const {
  require(joint >= 0 && joint < joint_count(), "joint ", joint, " is not one of ", joint_count());
  return first_angle_[static_cast<std::size_t>(joint)];
}

int Skeleton::free_angle_count() const {
  int count = 0;
  for (std::size_t i = 1; i < joints_.size(); ++i) {
    for (const Rotation& rotation : joints_[i].rotations) count += rotation.lower_rad < rotation.upper_rad;
  }
  return count;
}

int Skeleton::find(std::string_view name) const {
  const auto found = std::ranges::find(joints_, name, &Joint::name);
  return found == joints_.end() ? -1 : static_cast<int>(found - joints_.begin());
}

std::vector<float> Skeleton::rest_pose() const {
  std::vector<float> pose(static_cast<std::size_t>(pose_size_), 0.0f);
  pose[3] = 1.0f;
  clamp(pose);
  return pose;
}

void Skeleton::clamp(std::span<float> pose) const {
  require(pose.size() == static_cast<std::size_t>(pose_size_), "a pose of ", pose.size(),
          " numbers does not fit a skeleton that needs ", pose_size_);
  for (std::size_t i = root_floats; i < pose.size(); ++i)
    require(!std::isnan(pose[i]), "number ", i, " of a pose, an angle, is not a number");
  std::size_t angle = root_floats;
  for (std::size_t i = 1; i < joints_.size(); ++i) {
    for (const Rotation& rotation : joints_[i].rotations) {
      pose[angle] = std::clamp(pose[angle], rotation.lower_rad, rotation.upper_rad);
      ++angle;
    }
  }
}

}  // namespace triptych::capsule_likelihood
