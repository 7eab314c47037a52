#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "filter/filter_plan.hpp"
#include "filter/start_poses.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Shares of the height at rest: a lower cloud may be that of a person who sits; of a thigh and a shin.
constexpr double max_sitting = 0.85, min_bone = 0.1;

double height_at_rest(const Skeleton& skeleton) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Capsule& c : skeleton.capsules(skeleton.rest_pose())) {
    low = std::min(low, double{std::min(c.a.y, c.b.y)} - double{c.radius_m});
    high = std::max(high, double{std::max(c.a.y, c.b.y)} + double{c.radius_m});
  }
  return high - low;
}

Vec3 minus(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

double dot(const Vec3& a, const Vec3& b) {
  return double{a.x} * double{b.x} + double{a.y} * double{b.y} + double{a.z} * double{b.z};
}

struct Leg {
  std::size_t hip, knee, ankle;
};

// Of each limb the first two long bones that follow each other downwards.
std::vector<Leg> legs_of(const Skeleton& skeleton, double height_m) {
  const std::vector<int> units = units_of(skeleton);
  const std::vector<Vec3> at = skeleton.joints(skeleton.rest_pose());
  const auto parent = [&](std::size_t j) { return static_cast<std::size_t>(skeleton.joints()[j].parent); };
  const auto is_long = [&](std::size_t j) {
    return double{at[parent(j)].y} - double{at[j].y} >= min_bone * height_m && units[parent(j)] > 0;
  };
  std::vector<Leg> legs;
  for (std::size_t j = 2; j < at.size(); ++j) {
    if (units[j] == 0 || !is_long(j) || skeleton.joints()[j].parent < 1) continue;
    const std::size_t knee = parent(j);
    if (skeleton.joints()[knee].parent >= 1 && is_long(knee) && at[j].y < at[0].y)
      legs.push_back({parent(knee), knee, j});
  }
  return legs;
}

// Turns a joint so that the bone from it to the joint `end` points along a direction, as far as its limits
// allow: one angle after the other, in steps of 5 degrees.
void aim(const Skeleton& skeleton, std::vector<float>& pose, std::size_t joint, std::size_t end,
         const Vec3& direction) {
  constexpr double step = std::numbers::pi / 36;
  const auto& rotations = skeleton.joints()[joint].rotations;
  const auto first = static_cast<std::size_t>(skeleton.first_angle(static_cast<int>(joint)));
  const auto reach = [&] {
    const std::vector<Vec3> at = skeleton.joints(pose);
    return dot(minus(at[end], at[joint]), direction);
  };
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t r = 0; r < rotations.size(); ++r) {
      float& angle = pose[first + r];
      float best = angle;
      double farthest = reach() + 1e-6;  // it stays unless another one is better
      const double lower = std::max(double{rotations[r].lower_rad}, -std::numbers::pi);
      const double upper = std::min(double{rotations[r].upper_rad}, std::numbers::pi);
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

// Thighs forward, shins down.
std::vector<float> sitting_pose(const Skeleton& skeleton, double height_m) {
  const Direction front = front_of(skeleton);
  std::vector<float> pose = skeleton.rest_pose();
  if (front == Direction{}) return {};
  const std::vector<Leg> legs = legs_of(skeleton, height_m);
  for (const Leg& leg : legs) {
    aim(skeleton, pose, leg.hip, leg.knee, {static_cast<float>(front[0]), 0, static_cast<float>(front[1])});
    aim(skeleton, pose, leg.knee, leg.ankle, {0, -1, 0});
  }
  return legs.empty() ? std::vector<float>{} : pose;
}

}  // namespace

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
  const double length = std::sqrt(front[0] * front[0] + front[1] * front[1]);
  return length > 0 ? Direction{front[0] / length, front[1] / length} : Direction{};
}

std::vector<std::vector<float>> start_poses(const Skeleton& skeleton, double height_m) {
  std::vector<std::vector<float>> poses = {skeleton.rest_pose()};
  const double at_rest = height_at_rest(skeleton);
  if (height_m >= max_sitting * at_rest) return poses;
  if (std::vector<float> sitting = sitting_pose(skeleton, at_rest); !sitting.empty())
    poses.push_back(std::move(sitting));
  return poses;
}

}  // namespace triptych::capsule_likelihood
