#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "body/io/check_bvh.hpp"

namespace triptych::capsule_likelihood::detail {

namespace {

bool is_length(double x) { return std::abs(x) <= max_bvh_length; }

void check_joint(const BvhJoint& joint, int index) {
  require(index == 0 ? joint.parent == -1 : joint.parent >= 0 && joint.parent < index, "joint ", index, " (",
          joint.name, ") of a BVH has parent ", joint.parent,
          ": the first joint is the root, with parent -1, and every other one comes after its parent");
  const auto offset_fits = [](const std::array<double, 3>& offset) {
    return std::ranges::all_of(offset, is_length);
  };
  require(offset_fits(joint.offset) && std::ranges::all_of(joint.end_sites, offset_fits), "joint ",
          joint.name, " of a BVH has an offset that is not finite or beyond ", max_bvh_length);
  for (auto channel = joint.channels.begin(); channel != joint.channels.end(); ++channel) {
    require(*channel >= BvhChannel::x_position && *channel <= BvhChannel::z_rotation, "joint ", joint.name,
            " of a BVH has an unknown channel, ", static_cast<int>(*channel));
    require(std::find(joint.channels.begin(), channel, *channel) == channel, "joint ", joint.name,
            " of a BVH has a channel twice");
  }
}

}  // namespace

bool is_bvh_time(double frame_time_s) { return frame_time_s >= 1e-6 && frame_time_s <= 1e6; }

bool is_bvh_value(BvhChannel channel, double value) {
  return std::abs(value) <= (is_rotation(channel) ? max_bvh_degrees : max_bvh_length);
}

void check_bvh(const Bvh& bvh) {
  require(!bvh.joints.empty(), "a BVH needs at least one joint");
  require(bvh.joints.size() <= Skeleton::max_joints, "a BVH of ", bvh.joints.size(),
          " joints is too large: at most ", Skeleton::max_joints, " are possible");
  for (std::size_t i = 0; i < bvh.joints.size(); ++i) check_joint(bvh.joints[i], static_cast<int>(i));
  require(is_bvh_time(bvh.frame_time_s), "a frame time of ", bvh.frame_time_s,
          " s is out of range: 10^-6 to 10^6 s are possible");
  std::vector<BvhChannel> channels;
  for (const BvhJoint& joint : bvh.joints)
    channels.insert(channels.end(), joint.channels.begin(), joint.channels.end());
  require(channels.empty() ? bvh.motion.empty() : bvh.motion.size() % channels.size() == 0, "a motion of ",
          bvh.motion.size(), " numbers has no whole frames of ", channels.size(), " channels");
  for (std::size_t i = 0; i < bvh.motion.size(); ++i) {
    const BvhChannel channel = channels[i % channels.size()];
    require(is_bvh_value(channel, bvh.motion[i]), "in frame ", i / channels.size(), " of a BVH a channel is ",
            bvh.motion[i], is_rotation(channel) ? " degrees" : " units", ", which is out of range");
  }
}

}  // namespace triptych::capsule_likelihood::detail
