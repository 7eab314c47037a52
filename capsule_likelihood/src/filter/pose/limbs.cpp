#include <triptych/core/length.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>
#include <string>

#include "filter/pose/limbs.hpp"
#include "filter/samples/filter_layout.hpp"
#include "geometry/bounds.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr double min_bone = 0.1;  // of the height at rest: a long bone
constexpr double max_asymmetry =
    0.1;  // of the height at rest: between a joint and the mirror image of another

// A branch counts when it is at least this share of the body's reach long: fingers do not.
constexpr double min_branch = 0.15;

using detail::Rot;
using detail::Vec;

double length(const Vec3& v) {
  return triptych::length(triptych::length(double{v.x}, double{v.y}), double{v.z});
}

// A joint's position minus that of another.
Vec between(std::span<const Vec3> at, std::size_t from, std::size_t to) {
  return Vec(at[to]) - Vec(at[from]);
}

bool is_down(const Vec& bone) { return -bone.y > std::numbers::sqrt2 / 2 * length(bone); }

// In the plane of the front and the vertical.
Vec mirrored(const Vec& from_root, const Vec& front) {
  const Vec aside = cross({0, 1, 0}, front);
  return from_root - 2 * dot(from_root, aside) * aside;
}

bool mirror_each_other(const Limb& a, const Limb& b, std::span<const Vec3> at, const Vec& front,
                       double max_distance) {
  const auto are_near = [&](std::size_t i, std::size_t j) {
    return length(mirrored(between(at, 0, i), front) - between(at, 0, j)) <= max_distance;
  };
  bool near = !a.bones.empty() && a.bones.size() == b.bones.size();
  for (std::size_t k = 0; near && k < a.bones.size(); ++k)
    near = are_near(a.bones[k].joint, b.bones[k].joint) && are_near(a.bones[k].end, b.bones[k].end);
  return near;
}

void find_pairs(const Skeleton& skeleton, std::span<const Vec3> at, double max_distance,
                std::vector<Limb>& limbs) {
  const Vec front = front_of(skeleton);
  if (length(front) == 0) return;
  for (std::size_t a = 1; a < limbs.size(); ++a) {
    for (std::size_t b = a + 1; b < limbs.size() && limbs[a].other == 0; ++b) {
      if (limbs[b].other > 0 || !mirror_each_other(limbs[a], limbs[b], at, front, max_distance)) continue;
      limbs[a].other = b;
      limbs[b].other = a;
    }
  }
}

// Points the bones of a limb along those of another, whose joints were here.
void follow(const Skeleton& skeleton, std::vector<float>& pose, const Limb& limb, const Limb& other,
            std::span<const Vec3> at) {
  for (std::size_t k = 0; k < limb.bones.size(); ++k)
    aim(skeleton, pose, limb.bones[k], between(at, other.bones[k].joint, other.bones[k].end));
}

}  // namespace

Vec front_of(const Skeleton& skeleton) {
  const std::vector<Vec3> at = skeleton.joints(skeleton.rest_pose());
  Vec front;
  for (std::size_t j = 1; j < at.size(); ++j) {
    const Joint& joint = skeleton.joints()[j];
    std::string name = joint.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.find("toe") != std::string::npos)
      front = front + between(at, static_cast<std::size_t>(joint.parent), j);
  }
  front.y = 0;
  return unit_or(front, {});
}

Rot orientation_of(std::span<const float> pose) {
  return detail::rotation_of_quaternion({pose[3], pose[4], pose[5], pose[6]});
}

void set_orientation(std::vector<float>& pose, const Rot& orientation) {
  const std::array<double, 4> q = quaternion_of(orientation);
  std::transform(q.begin(), q.end(), pose.begin() + 3, [](double x) { return static_cast<float>(x); });
}

double height_at_rest(const Skeleton& skeleton) {
  return bounds_of(skeleton.capsules(skeleton.rest_pose())).y.length();
}

std::vector<double> reaches_of(const Skeleton& skeleton) {
  std::vector<double> reach(skeleton.joints().size());
  for (const BodyCapsule& body_capsule : skeleton.body_capsules()) {
    double& r = reach[static_cast<std::size_t>(body_capsule.joint)];
    const Capsule& c = body_capsule.capsule;
    r = std::max(r, std::max(length(c.a), length(c.b)) + double{c.radius_m});
  }
  for (std::size_t j = reach.size(); j-- > 1;) {
    const Joint& joint = skeleton.joints()[j];
    if (reach[j] <= 0) continue;  // no capsule there
    double& parent = reach[static_cast<std::size_t>(joint.parent)];
    parent = std::max(parent, length(joint.offset_m) + reach[j]);
  }
  return reach;
}

std::vector<int> units_of(const Skeleton& skeleton) {
  const std::vector<double> reach = reaches_of(skeleton);
  const auto joints = skeleton.joints();
  const auto is_branch = [&](std::size_t j) {
    return reach[j] > 0 && length(joints[j].offset_m) + reach[j] >= min_branch * reach[0];
  };
  std::vector<int> branches(joints.size());  // that start at a joint
  std::vector<bool> forks(joints.size());    // here or further on
  for (std::size_t j = joints.size(); j-- > 0;) {
    if (branches[j] > 1) forks[j] = true;
    if (j == 0) break;
    const auto parent = static_cast<std::size_t>(joints[j].parent);
    if (is_branch(j)) ++branches[parent];
    if (forks[j]) forks[parent] = true;
  }
  std::vector<int> units(joints.size());
  int count = 1;
  for (std::size_t j = 1; j < joints.size(); ++j) {
    const auto parent = static_cast<std::size_t>(joints[j].parent);
    units[j] = units[parent];
    if (units[parent] == 0 && forks[parent] && !forks[j] && is_branch(j) && count < max_units)
      units[j] = count++;
  }
  return units;
}

std::vector<Limb> limbs_of(const Skeleton& skeleton) {
  const double height = height_at_rest(skeleton);
  const std::vector<int> units = units_of(skeleton);
  const std::vector<Vec3> at = skeleton.joints(skeleton.rest_pose());
  std::vector<Limb> limbs(static_cast<std::size_t>(*std::max_element(units.begin(), units.end())) + 1);
  for (std::size_t j = 1; j < units.size(); ++j) {
    const auto parent = static_cast<std::size_t>(skeleton.joints()[j].parent);
    if (units[j] == 0) continue;
    Limb& limb = limbs[static_cast<std::size_t>(units[j])];
    limb.joints.push_back(j);
    if (units[parent] != units[j]) continue;
    const Vec bone = between(at, parent, j);
    if (length(bone) < min_bone * height) continue;
    if (limb.bones.empty()) limb.is_leg = at[j].y < at[0].y && is_down(bone);
    limb.bones.push_back({parent, j});
  }
  find_pairs(skeleton, at, max_asymmetry * height, limbs);
  return limbs;
}

std::vector<std::size_t> capsules_of(const Skeleton& skeleton, const Limb& limb) {
  std::vector<std::size_t> capsules;
  for (std::size_t k = 0; k < skeleton.body_capsules().size(); ++k) {
    const auto joint = static_cast<std::size_t>(skeleton.body_capsules()[k].joint);
    if (std::find(limb.joints.begin(), limb.joints.end(), joint) != limb.joints.end()) capsules.push_back(k);
  }
  return capsules;
}

bool is_vertical(const Skeleton& skeleton, const std::vector<float>& pose, const Bone& bone) {
  const std::vector<Vec3> at = skeleton.joints(pose);
  const Vec direction = between(at, bone.joint, bone.end);
  return is_down(direction) || is_down(-1 * direction);
}

void aim(const Skeleton& skeleton, std::vector<float>& pose, const Bone& bone, const Vec& direction) {
  constexpr double coarse = std::numbers::pi / 12, fine = std::numbers::pi / 60;
  const auto& rotations = skeleton.joints()[bone.joint].rotations;
  const auto first = static_cast<std::size_t>(skeleton.first_angle(static_cast<int>(bone.joint)));
  const auto reach = [&] {
    const std::vector<Vec3> at = skeleton.joints(pose);
    return dot(between(at, bone.joint, bone.end), direction);
  };
  // One angle after the other: first the whole range in large steps, then near the best in small ones.
  for (const double step : {coarse, fine}) {
    for (std::size_t r = 0; r < rotations.size(); ++r) {
      float& angle = pose[first + r];
      float best = angle;
      double farthest = reach() + 1e-6;  // it stays unless another one is better
      const double range = step == coarse ? std::numbers::pi : coarse, middle = step == coarse ? 0 : angle;
      const double lower = std::max(double{rotations[r].lower_rad}, middle - range);
      const double upper = std::min(double{rotations[r].upper_rad}, middle + range);
      for (double tried = lower; tried <= upper; tried += step) {
        angle = static_cast<float>(tried);
        if (const double far = reach(); far > farthest) {
          farthest = far + 1e-6;
          best = angle;
        }
      }
      angle = best;
    }
  }
}

void put_at_rest(const Skeleton& skeleton, std::vector<float>& pose, const Limb& limb) {
  const std::vector<float> rest = skeleton.rest_pose();
  for (const std::size_t j : limb.joints) {
    const int first = skeleton.first_angle(static_cast<int>(j));
    std::copy_n(rest.begin() + first, skeleton.joints()[j].rotations.size(), pose.begin() + first);
  }
}

std::vector<float> with_limbs_exchanged(const Skeleton& skeleton, const std::vector<Limb>& limbs,
                                        std::size_t limb, const std::vector<float>& pose) {
  const std::vector<Vec3> at = skeleton.joints(pose);
  std::vector<float> exchanged = pose;
  for (const std::size_t one : {limb, limbs[limb].other}) {
    put_at_rest(skeleton, exchanged, limbs[one]);
    follow(skeleton, exchanged, limbs[one], limbs[limbs[one].other], at);
  }
  return exchanged;
}

std::vector<float> with_limb_mirrored(const Skeleton& skeleton, const std::vector<Limb>& limbs,
                                      std::size_t limb, const std::vector<float>& pose) {
  const std::vector<Vec3> at = skeleton.joints(pose);
  const Limb &one = limbs[limb], &other = limbs[one.other];
  const Vec across = unit_or(between(at, other.bones[0].joint, one.bones[0].joint), {});
  std::vector<float> mirrored = pose;
  put_at_rest(skeleton, mirrored, one);
  for (std::size_t k = 0; k < one.bones.size(); ++k) {
    const Vec bone = between(at, other.bones[k].joint, other.bones[k].end);
    aim(skeleton, mirrored, one.bones[k], bone - 2 * dot(bone, across) * across);
  }
  return mirrored;
}

std::vector<float> turned_round(const Skeleton& skeleton, const std::vector<Limb>& limbs,
                                const std::vector<float>& pose) {
  const std::vector<Vec3> at = skeleton.joints(pose);
  std::vector<float> turned = pose;
  set_orientation(turned, orientation_of(pose) * detail::rotation_about(Axis::y, std::numbers::pi));
  for (std::size_t limb = 1; limb < limbs.size(); ++limb) {
    if (limbs[limb].other == 0) continue;
    put_at_rest(skeleton, turned, limbs[limb]);
    follow(skeleton, turned, limbs[limb], limbs[limbs[limb].other], at);
  }
  return turned;
}

}  // namespace triptych::capsule_likelihood
