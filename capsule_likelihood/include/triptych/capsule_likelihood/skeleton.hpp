// Skeleton: a tree of rigid bones with up to three rotations at each joint and a free root, with capsules on
// its joints; and its poses.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::capsule_likelihood {

enum class Axis { x, y, z };

// One rotation of a joint. The rotations of a joint are applied in the order of the list, each about an axis
// of the frame that the earlier ones have rotated: R = R(axis 0) R(axis 1) R(axis 2), as the channels of a
// BVH file.
struct Rotation {
  Axis axis = Axis::x;
  float lower_rad = -3.14159265f, upper_rad = 3.14159265f;  // limits; equal: fixed at that angle
};

struct Joint {
  std::string name;
  int parent = -1;  // before this joint in the list; -1: the root, joint 0
  Vec3 offset_m;    // from the parent's joint, in the parent's frame
  std::vector<Rotation>
      rotations;  // 0 to 3; those of the root are the order in which files hold its orientation
};

// A capsule that moves with a joint: its ends in that joint's frame.
struct BodyCapsule {
  int joint = 0;
  Capsule capsule;
};

// A pose is a list of floats: the root's position (3, metres), its orientation as a quaternion w x y z (4;
// normalised when used), then the angles of all other joints in radians,
// joint by joint, rotation by rotation.
class Skeleton {
 public:
  static constexpr int root_floats = 7;
  static constexpr std::size_t max_joints = 384;
  static constexpr float max_length_m = 1000;     // of a coordinate of an offset or a capsule, of a radius
  static constexpr float max_angle_rad = 10'000;  // of a limit; within it an angle keeps its precision

  // InvalidArgument, naming the joint, when it is no tree with parents first, has more than three rotations,
  // limits the wrong way round or beyond max_angle_rad, lengths beyond max_length_m or not finite, or a
  // capsule on a joint that is not there; when there is no joint or more than max_joints.
  Skeleton(std::vector<Joint> joints, std::vector<BodyCapsule> body_capsules);

  std::span<const Joint> joints() const { return joints_; }
  std::span<const BodyCapsule> body_capsules() const { return body_capsules_; }
  int joint_count() const { return static_cast<int>(joints_.size()); }
  int capsule_count() const { return static_cast<int>(body_capsules_.size()); }
  int pose_size() const { return pose_size_; }
  // Where the angles of a joint start in a pose; those of the root are not there: its orientation is.
  int first_angle(int joint) const;
  // Angles whose limits differ, without the root's.
  int free_angle_count() const;
  // -1 when there is none of that name.
  int find(std::string_view name) const;

  // Position 0, no rotation, every angle 0 or the nearest within its limits.
  std::vector<float> rest_pose() const;
  // Brings every angle of a pose within its limits. InvalidArgument when the pose has another size or an
  // angle is NaN; the pose is then unchanged.
  void clamp(std::span<float> pose) const;

  // Forward kinematics of one pose, with the bits of pose_cpu (kinematics.hpp): the positions of all joints,
  // and the capsules in the camera's frame. InvalidArgument when the pose has another size.
  std::vector<Vec3> joints(std::span<const float> pose) const;
  std::vector<Capsule> capsules(std::span<const float> pose) const;

 private:
  std::vector<Joint> joints_;
  std::vector<BodyCapsule> body_capsules_;
  std::vector<int> first_angle_;
  int pose_size_ = root_floats;
};

// A person of the given height, standing with the arms down, y up, facing -z (towards a camera that looks
// along +z), the left side at -x: 24 joints, 40 capsules. The root lies between the hip joints, 0.53 of the
// height above the ground. InvalidArgument unless the height is between 0.3 and 3 m.
Skeleton make_human(float height_m = 1.75f);

// How a person differs from the usual one of the same height: factors of lengths, and of all radii.
struct HumanShape {
  float height_m = 1.75f;  // of the usual person
  float thigh = 1, shin = 1, upper_arm = 1, forearm = 1, torso = 1;
  float shoulders = 1, hips = 1;  // widths
  float girth = 1;
};
// InvalidArgument when the height is out of range, or a factor not between 0.3 and 3.
Skeleton make_human(const HumanShape& shape);

}  // namespace triptych::capsule_likelihood
