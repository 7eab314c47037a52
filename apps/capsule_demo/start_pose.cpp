#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/json.hpp>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "start_pose.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;
namespace fs = std::filesystem;

namespace {

using Quaternion = std::array<double, 4>;  // w x y z

Quaternion times(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Quaternion about(std::size_t axis, double angle_rad) {
  Quaternion q{std::cos(angle_rad / 2), 0, 0, 0};
  q[1 + axis] = std::sin(angle_rad / 2);
  return q;
}

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw ParseError(file.string(), 0, 0, what);
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

double finite(const Json& value, const std::string& key, const fs::path& file) {
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    fail(file, quoted(key) + " must be a number");
  return value.get<double>();
}

// {"x": 10, "z": 5} in radians.
std::array<double, 3> by_axis(const Json& json, const std::string& key, const fs::path& file) {
  if (!json.is_object())
    fail(file, quoted(key) + " must be an object of degrees by axis, such as {\"x\": 20}");
  std::array<double, 3> angles{};
  for (const auto& [axis, value] : json.items()) {
    if (axis != "x" && axis != "y" && axis != "z")
      fail(file, quoted(key) + " has no axis " + quoted(axis) + ": expected x, y or z");
    angles[static_cast<std::size_t>(axis[0] - 'x')] = finite(value, key, file) * std::numbers::pi / 180;
  }
  return angles;
}

void set_angles(std::vector<float>& pose, const Skeleton& skeleton, const Json& json, const fs::path& file) {
  if (!json.is_object()) fail(file, "'angles_deg' must be an object of joints");
  for (const auto& [name, value] : json.items()) {
    const int joint = skeleton.find(name);
    if (joint < 1)
      fail(file, joint == 0 ? "the root " + quoted(name) + " is rotated by 'turn_deg'"
                            : "the skeleton has no joint " + quoted(name));
    by_axis(value, name, file);
    const auto& rotations = skeleton.joints()[static_cast<std::size_t>(joint)].rotations;
    for (const auto& [axis, degrees] : value.items()) {
      bool known = false;
      for (std::size_t r = 0; r < rotations.size(); ++r) {
        if (static_cast<int>(rotations[r].axis) != axis[0] - 'x') continue;
        pose[static_cast<std::size_t>(skeleton.first_angle(joint)) + r] =
            static_cast<float>(degrees.get<double>() * std::numbers::pi / 180);
        known = true;
      }
      if (!known) fail(file, "the joint " + quoted(name) + " does not rotate about " + axis);
    }
  }
}

}  // namespace

std::vector<float> start_from_bvh(const fs::path& file, const Skeleton& skeleton) {
  const Bvh bvh = read_bvh(file);
  if (bvh.frame_count() == 0) throw Error(file.string() + " holds no motion to start from: it has 0 frames");
  try {
    const Motion motion = poses_of(bvh, skeleton, guess_scale(bvh).metres_per_unit);
    return {motion.pose(0).begin(), motion.pose(0).end()};
  } catch (const InvalidArgument& error) {
    throw Error("cannot start from " + file.string() + ": " + error.what());
  }
}

std::vector<float> start_from_json(const fs::path& file, const Skeleton& skeleton) {
  const Json json = read_json(file);
  if (!json.is_object()) fail(file, "a pose is an object with place_m, turn_deg and angles_deg");
  std::vector<float> pose = skeleton.rest_pose();
  for (const auto& [key, value] : json.items()) {
    if (key != "place_m" && key != "turn_deg" && key != "angles_deg")
      fail(file, "a pose has no '" + key + "': expected place_m, turn_deg and angles_deg");
  }
  if (!json.contains("place_m") || !json["place_m"].is_array() || json["place_m"].size() != 3)
    fail(file, "'place_m' must be there, with x, y and z of the root in metres");
  for (std::size_t i = 0; i < 3; ++i) {
    constexpr double limit_m = 1000;
    const double place_m = finite(json["place_m"][i], "place_m", file);
    if (!(std::abs(place_m) <= limit_m)) fail(file, "'place_m' is more than a kilometre from the camera");
    pose[i] = static_cast<float>(place_m);
  }
  if (json.contains("turn_deg")) {
    const auto turn = by_axis(json["turn_deg"], "turn_deg", file);
    const Quaternion q = times(times(about(1, turn[1]), about(0, turn[0])), about(2, turn[2]));
    for (std::size_t i = 0; i < 4; ++i) pose[3 + i] = static_cast<float>(q[i]);
  }
  if (json.contains("angles_deg")) set_angles(pose, skeleton, json["angles_deg"], file);
  skeleton.clamp(pose);
  return pose;
}

}  // namespace triptych::capsule_demo
