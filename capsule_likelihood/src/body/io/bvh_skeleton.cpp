// Skeletons and poses from BVH files, and back.
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "body/check_poses.hpp"
#include "body/io/body_parts.hpp"
#include "body/io/bvh_body.hpp"
#include "body/io/check_bvh.hpp"
#include "body/rotation.hpp"
#include "geometry/angle_units.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Where the channels of each joint start in a frame.
std::vector<int> first_channels(const Bvh& bvh) {
  std::vector<int> first;
  int next = 0;
  for (const BvhJoint& joint : bvh.joints) {
    first.push_back(next);
    next += static_cast<int>(joint.channels.size());
  }
  return first;
}

// Joints other than the root must stay at their offset from the parent, to a thousandth of the body's size.
void check_positions(const Bvh& bvh) {
  const double allowed = 1e-3 * detail::zero_body(bvh, 1.0).size_m;
  const std::vector<int> first = first_channels(bvh);
  for (int frame = 0; frame < bvh.frame_count(); ++frame) {
    const std::span<const double> values = bvh.frame(frame);
    for (std::size_t i = 1; i < bvh.joints.size(); ++i) {
      const BvhJoint& joint = bvh.joints[i];
      for (std::size_t k = 0; k < joint.channels.size(); ++k) {
        if (is_rotation(joint.channels[k])) continue;
        const double value = values[static_cast<std::size_t>(first[i]) + k];
        const double offset = joint.offset[static_cast<std::size_t>(axis_of(joint.channels[k]))];
        require(std::abs(value - offset) <= allowed, "joint ", joint.name,
                " moves against its parent: in frame ", frame, " a position is ", value, ", its offset is ",
                offset, "; bones here are rigid, and only the root may move");
      }
    }
  }
}

std::vector<Rotation> rotations_of(const BvhJoint& joint) {
  std::vector<Rotation> rotations;
  for (const BvhChannel channel : joint.channels) {
    if (is_rotation(channel)) rotations.push_back({static_cast<Axis>(axis_of(channel))});
  }
  return rotations;
}

void check_same_joints(const Bvh& bvh, const Skeleton& skeleton) {
  require(bvh.joints.size() == skeleton.joints().size(), "a motion of ", bvh.joints.size(),
          " joints does not fit a skeleton of ", skeleton.joints().size());
  for (std::size_t i = 0; i < bvh.joints.size(); ++i) {
    const std::vector<Rotation> in_file = rotations_of(bvh.joints[i]);
    const Joint& joint = skeleton.joints()[i];
    const bool same = bvh.joints[i].parent == joint.parent && in_file.size() == joint.rotations.size() &&
                      std::ranges::equal(in_file, joint.rotations, {}, &Rotation::axis, &Rotation::axis);
    require(same, "joint ", bvh.joints[i].name, " of the motion does not match joint ", joint.name,
            " of the skeleton");
  }
}

// The angle plus the multiple of a whole turn that is nearest to the one before.
double unwrapped(double angle, double before) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle - turn * std::round((angle - before) / turn);
}

}  // namespace

BvhScale guess_scale(const Bvh& bvh) {
  detail::check_bvh(bvh);
  struct Unit {
    double metres;
    const char* name;
  };
  constexpr std::array<Unit, 7> units = {{{1, "metre"},
                                          {0.1, "decimetre"},
                                          {0.01, "centimetre"},
                                          {0.001, "millimetre"},
                                          {0.0254, "inch"},
                                          {0.3048, "foot"},
                                          {cmu_metres_per_unit, "inch / 0.45 (as CMU)"}}};
  constexpr double usual_m = 1.65, smallest_m = 1.2, largest_m = 2.3;
  const double size = detail::zero_body(bvh, 1.0).size_m;
  if (!(size > 0)) return {1, 0, "metre (the body has no size)"};
  const Unit& best = *std::ranges::min_element(
      units, {}, [&](const Unit& unit) { return std::abs(std::log(size * unit.metres / usual_m)); });
  if (size * best.metres >= smallest_m && size * best.metres <= largest_m) {
    return {best.metres, size * best.metres, best.name};
  }
  return {usual_m / size, usual_m, "unknown (the body is taken to be 1.65 m)"};
}

Skeleton make_skeleton(const Bvh& bvh, const BvhSkeletonOptions& options) {
  detail::check_bvh(bvh);
  require(options.metres_per_unit >= 0 && std::isfinite(options.metres_per_unit), "a unit of ",
          options.metres_per_unit, " m is out of range");
  check_positions(bvh);
  const double scale =
      options.metres_per_unit > 0 ? options.metres_per_unit : guess_scale(bvh).metres_per_unit;
  const detail::ZeroBody body = detail::zero_body(bvh, scale);
  require(body.size_m <= double{Skeleton::max_length_m}, "with a unit of ", scale, " m the body is ",
          body.size_m, " m large: at most ", Skeleton::max_length_m, " m are possible");
  const bool fix = options.fixed_at_frame >= 0;
  const std::vector<int> first = first_channels(bvh);
  std::span<const double> fixed_at;
  if (fix && bvh.frame_count() > 0) fixed_at = bvh.frame(options.fixed_at_frame);
  std::vector<Joint> joints;
  for (std::size_t i = 0; i < bvh.joints.size(); ++i) {
    const BvhJoint& from = bvh.joints[i];
    Joint joint{from.name, from.parent, (scale * detail::Vec(from.offset)).to_float(), rotations_of(from)};
    detail::set_limits(body, static_cast<int>(i), joint.rotations);
    if (i > 0 && fix && detail::is_fixed_by_default(body, static_cast<int>(i))) {
      std::size_t rotation = 0;
      for (std::size_t k = 0; k < from.channels.size(); ++k) {
        if (!is_rotation(from.channels[k])) continue;
        const auto channel = static_cast<std::size_t>(first[i]) + k;
        const double angle = fixed_at.empty() ? 0.0 : fixed_at[channel] * rad_per_degree;
        joint.rotations[rotation].lower_rad = joint.rotations[rotation].upper_rad = static_cast<float>(angle);
        ++rotation;
      }
    }
    joints.push_back(std::move(joint));
  }
  return {std::move(joints), detail::make_body_capsules(body)};
}

Motion poses_of(const Bvh& bvh, const Skeleton& skeleton, double metres_per_unit) {
  check_same_joints(bvh, skeleton);
  detail::check_bvh(bvh);
  require(metres_per_unit > 0 && std::isfinite(metres_per_unit), "a unit of ", metres_per_unit,
          " m is not above 0");
  check_positions(bvh);
  const auto size = static_cast<std::size_t>(skeleton.pose_size());
  Motion motion{.pose_size = skeleton.pose_size()};
  motion.frame_time_s = bvh.frame_time_s;
  motion.values.reserve(static_cast<std::size_t>(bvh.frame_count()) * size);
  std::vector<double> before(size, 0.0), pose(size, 0.0);
  before[3] = 1;
  for (int frame = 0; frame < bvh.frame_count(); ++frame) {
    const std::span<const double> values = bvh.frame(frame);
    std::size_t at = 0, angle = Skeleton::root_floats;
    detail::Rot root = detail::identity;
    pose[0] = pose[1] = pose[2] = 0;
    for (std::size_t i = 0; i < bvh.joints.size(); ++i) {
      for (const BvhChannel channel : bvh.joints[i].channels) {
        const double value = values[at++];
        if (is_rotation(channel)) {
          if (i == 0) {
            root = root * detail::rotation_about(static_cast<Axis>(axis_of(channel)), value * rad_per_degree);
          } else {
            pose[angle] = unwrapped(value * rad_per_degree, before[angle]);
            ++angle;
          }
        } else if (i == 0) {
          const double metres = value * metres_per_unit;
          require(std::abs(metres) <= double{max_position_m}, "with a unit of ", metres_per_unit,
                  " m the root is in frame ", frame, " at ", metres, " m, farther than 1000 km");
          pose[static_cast<std::size_t>(axis_of(channel))] = metres;
        }
      }
    }
    const std::array<double, 4> q = detail::quaternion_of(root);
    double cosine = 0;
    for (std::size_t k = 0; k < 4; ++k) cosine += q[k] * before[3 + k];
    for (std::size_t k = 0; k < 4; ++k) pose[3 + k] = cosine < 0 ? -q[k] : q[k];
    for (const double value : pose) motion.values.push_back(static_cast<float>(value));
    before = pose;
  }
  return motion;
}

}  // namespace triptych::capsule_likelihood
