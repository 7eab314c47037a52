// Poses as a BVH motion.
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/core/error.hpp>

#include <cmath>
#include <optional>

#include "body/check_poses.hpp"
#include "body/io/check_bvh.hpp"
#include "body/rotation.hpp"
#include "geometry/angle_units.hpp"

namespace triptych::capsule_likelihood {

namespace {

BvhChannel rotation_channel(Axis axis) {
  return static_cast<BvhChannel>(static_cast<int>(BvhChannel::x_rotation) + static_cast<int>(axis));
}

std::array<Axis, 3> root_axes(const Joint& root) {
  if (root.rotations.size() == 3) {
    const std::array<Axis, 3> axes = {root.rotations[0].axis, root.rotations[1].axis, root.rotations[2].axis};
    if (axes[0] != axes[1] && axes[1] != axes[2] && axes[0] != axes[2]) return axes;
  }
  return {Axis::z, Axis::y, Axis::x};
}

// Parents first, each joint's descendants right after it.
std::vector<int> tree_order(const Skeleton& skeleton) {
  std::vector<std::vector<int>> children(static_cast<std::size_t>(skeleton.joint_count()));
  for (int i = 1; i < skeleton.joint_count(); ++i) {
    children[static_cast<std::size_t>(skeleton.joints()[static_cast<std::size_t>(i)].parent)].push_back(i);
  }
  std::vector<int> order, waiting = {0};
  while (!waiting.empty()) {
    const int joint = waiting.back();
    waiting.pop_back();
    order.push_back(joint);
    const std::vector<int>& next = children[static_cast<std::size_t>(joint)];
    waiting.insert(waiting.end(), next.rbegin(), next.rend());
  }
  return order;
}

// The end of a joint's capsules that is farthest from it.
detail::Vec far_end(const Skeleton& skeleton, int joint) {
  detail::Vec farthest;
  for (const BodyCapsule& body_capsule : skeleton.body_capsules()) {
    if (body_capsule.joint != joint) continue;
    for (const Vec3& end : {body_capsule.capsule.a, body_capsule.capsule.b}) {
      if (length(detail::Vec(end)) > length(farthest)) farthest = detail::Vec(end);
    }
  }
  return farthest;
}

// A channel twice cannot stand in a file.
void check_axes(const Joint& joint) {
  for (std::size_t i = 0; i < joint.rotations.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      require(joint.rotations[i].axis != joint.rotations[k].axis, "joint ", joint.name,
              " rotates twice about one axis, which BVH cannot hold");
    }
  }
}

}  // namespace

Bvh to_bvh(const Skeleton& skeleton, const Motion& motion, double metres_per_unit) {
  detail::check_poses(skeleton, motion);
  require(metres_per_unit >= 1e-9 && metres_per_unit <= 1e9, "a unit of ", metres_per_unit,
          " m is out of range: 10^-9 to 10^9 m are possible");
  const double units = 1 / metres_per_unit;
  const std::vector<int> order = tree_order(skeleton);
  std::vector<int> position_in_file(order.size());
  std::vector<bool> has_child(order.size(), false);
  for (const Joint& joint : skeleton.joints()) {
    if (joint.parent >= 0) has_child[static_cast<std::size_t>(joint.parent)] = true;
  }
  const std::array<Axis, 3> axes = root_axes(skeleton.joints()[0]);

  Bvh bvh;
  bvh.frame_time_s = motion.frame_time_s;
  for (const int index : order) {
    const Joint& joint = skeleton.joints()[static_cast<std::size_t>(index)];
    check_axes(joint);
    position_in_file[static_cast<std::size_t>(index)] = static_cast<int>(bvh.joints.size());
    const detail::Vec offset = units * detail::Vec(joint.offset_m);
    BvhJoint to;
    to.name = joint.name;
    to.parent = joint.parent < 0 ? -1 : position_in_file[static_cast<std::size_t>(joint.parent)];
    to.offset = {offset.x, offset.y, offset.z};
    if (index == 0) {
      to.channels = {BvhChannel::x_position, BvhChannel::y_position, BvhChannel::z_position};
      for (const Axis axis : axes) to.channels.push_back(rotation_channel(axis));
    } else {
      for (const Rotation& rotation : joint.rotations) to.channels.push_back(rotation_channel(rotation.axis));
    }
    if (!has_child[static_cast<std::size_t>(index)]) {
      const detail::Vec end = units * far_end(skeleton, index);
      to.end_sites.push_back({end.x, end.y, end.z});
    }
    bvh.joints.push_back(std::move(to));
  }

  for (std::int64_t frame = 0; frame < motion.size(); ++frame) {
    const std::span<const float> pose = motion.pose(frame);
    for (std::size_t i = 0; i < 3; ++i) bvh.motion.push_back(pose[i] * units);
    const detail::Rot root = detail::rotation_of_quaternion({pose[3], pose[4], pose[5], pose[6]});
    for (const double angle : detail::angles_of(root, axes)) bvh.motion.push_back(angle * degrees_per_rad);
    for (const int index : order) {
      if (index == 0) continue;
      const auto first = static_cast<std::size_t>(skeleton.first_angle(index));
      const std::size_t count = skeleton.joints()[static_cast<std::size_t>(index)].rotations.size();
      for (std::size_t k = 0; k < count; ++k) bvh.motion.push_back(pose[first + k] * degrees_per_rad);
    }
  }
  detail::check_bvh(bvh);
  return bvh;
}

}  // namespace triptych::capsule_likelihood
