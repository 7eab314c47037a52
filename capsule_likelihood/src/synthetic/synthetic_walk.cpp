// A walk of the built-in human from a few sines, and the placing of motions.
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/portable_math.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "body/check_poses.hpp"
#include "body/rotation.hpp"
#include "geometry/angle_units.hpp"

namespace triptych::capsule_likelihood {

namespace {

double sine(double radians) { return portable_cos_sin_rad(static_cast<float>(radians)).sin; }
double cosine(double radians) { return portable_cos_sin_rad(static_cast<float>(radians)).cos; }

class Walker {
 public:
  Walker(const Skeleton& human, const WalkOptions& options) : human_(human), options_(options) {}

  // The pose at a time; the root follows the path at height 0.
  std::vector<float> pose(double t) {
    pose_ = human_.rest_pose();
    const double phase = 2 * std::numbers::pi * options_.stride_hz * t;
    set_leg("left", phase);
    set_leg("right", phase + std::numbers::pi);
    set_arm("left", 1, phase + std::numbers::pi);
    set_arm("right", -1, phase);
    set("spine", 0, -4);
    set("spine", 2, 5 * sine(phase));
    set("chest", 2, -9 * sine(phase));
    set("neck", 0, 4 + 2 * sine(2 * phase));
    set("neck", 2, 4 * sine(phase) + 12 * sine(0.31 * phase));
    set_root(t, phase);
    human_.clamp(pose_);
    return pose_;
  }

 private:
  void set(const std::string& joint, int rotation, double degrees) {
    const int index = human_.find(joint);
    require(index > 0 && static_cast<std::size_t>(rotation) <
                             human_.joints()[static_cast<std::size_t>(index)].rotations.size(),
            "joint ", joint, " of the built-in human is missing: only that can be made to walk");
    pose_[static_cast<std::size_t>(human_.first_angle(index)) + static_cast<std::size_t>(rotation)] =
        static_cast<float>(degrees * rad_per_degree);
  }

  // The leg swings forwards around phase pi / 2; the knee bends most while it does.
  void set_leg(const std::string& side, double phase) {
    const double hip = 6 + 24 * sine(phase);
    const double swing = std::max(0.0, cosine(phase + 0.35));
    const double knee = 6 + 52 * swing * swing + 6 * std::max(0.0, sine(phase - 0.6));
    set(side + "_thigh", 0, hip);
    set(side + "_shin", 0, -knee);
    // The sole keeps to the ground, but the heel lifts at the end of a stance.
    set(side + "_foot", 0, 0.55 * (knee - hip) - 8 * std::max(0.0, -sine(phase)));
  }

  void set_arm(const std::string& side, double sign, double phase) {
    set(side + "_upper_arm", 0, 2 + 24 * sine(phase));
    set(side + "_upper_arm", 1, -8 * sign);
    set(side + "_forearm", 0, 24 + 14 * sine(phase));
    set(side + "_hand", 0, 8);
  }

  void set_root(double t, double phase) {
    // The heading changes at a constant rate: the path is an arc, or a line.
    const double turn = options_.turn_rad_per_s, speed = options_.speed_mps;
    const double first = options_.heading_rad, heading = first + turn * t;
    double x = speed * t * sine(first), z = -speed * t * cosine(first);
    if (std::abs(turn) > 1e-6) {
      x = speed / turn * (cosine(first) - cosine(heading));
      z = -speed / turn * (sine(heading) - sine(first));
    }
    const double sway = 0.015 * cosine(phase);
    pose_[0] = static_cast<float>(x + sway * cosine(heading));
    pose_[2] = static_cast<float>(z + sway * sine(heading));
    // Facing -z, a rotation by -heading about y faces +x for a positive heading.
    const detail::Rot root = detail::rotation_about(Axis::y, -heading + 5 * rad_per_degree * sine(phase)) *
                             detail::rotation_about(Axis::z, 2 * rad_per_degree * cosine(phase));
    const std::array<double, 4> q = detail::quaternion_of(root);
    for (std::size_t i = 0; i < 4; ++i) pose_[3 + i] = static_cast<float>(q[i]);
  }

  const Skeleton& human_;
  WalkOptions options_;
  std::vector<float> pose_;
};

}  // namespace

Motion make_walk(const Skeleton& human, const WalkOptions& options) {
  constexpr int max_frames = 1'000'000;
  require(options.frames >= 0 && options.frames <= max_frames, "a walk cannot have ", options.frames,
          " frames: 0 to ", max_frames, " are possible");
  require(options.rate_hz > 0 && options.rate_hz <= 1e6, "a rate of ", options.rate_hz,
          " Hz is out of range: above 0 to 10^6 Hz are possible");
  const double seconds = options.frames / options.rate_hz;
  for (const float value :
       {options.speed_mps, options.stride_hz, options.heading_rad, options.turn_rad_per_s}) {
    require(std::isfinite(value) && std::abs(value) * seconds < 1000, "the walk goes on for too long, or ",
            value, " is out of range");
  }
  Walker walker(human, options);
  Motion motion{.pose_size = human.pose_size(), .frame_time_s = 1 / options.rate_hz};
  for (int frame = 0; frame < options.frames; ++frame) motion.push_back(walker.pose(frame / options.rate_hz));
  // The lowest sole is on the ground.
  for (int frame = 0; frame < options.frames; ++frame) {
    const std::span<float> pose = motion.pose(frame);
    float lowest = std::numeric_limits<float>::max();
    for (const Capsule& c : human.capsules(pose)) {
      lowest = std::min(lowest, std::min(c.a.y, c.b.y) - c.radius_m);
    }
    pose[1] -= lowest;
  }
  return motion;
}

void place_in_view(const Skeleton& skeleton, Motion& motion, const ViewOptions& options) {
  detail::check_poses(skeleton, motion);
  require(std::abs(options.distance_m) <= max_position_m && std::abs(options.nearest_m) <= max_position_m,
          "a distance of the view, ", options.distance_m, " or ", options.nearest_m,
          " m, is not finite or farther than 1000 km");
  require(std::isfinite(options.yaw_rad), "the yaw of the view is not finite");
  const MatrixView<float> poses = motion.view();
  if (poses.rows() == 0) return;
  const detail::Rot yaw = detail::rotation_about(Axis::y, options.yaw_rad);
  const detail::Vec offset(skeleton.joints()[0].offset_m);
  constexpr double far = std::numeric_limits<double>::max();
  detail::Vec low(far, far, far), high(-far, -far, -far);
  double sum_z = 0;
  std::vector<detail::Vec> positions;
  for (std::int64_t row = 0; row < poses.rows(); ++row) {
    const std::span<float> pose = poses.row(row);
    const detail::Vec position = yaw * (detail::Vec(pose[0], pose[1], pose[2]) + offset);
    low = {std::min(low.x, position.x), std::min(low.y, position.y), std::min(low.z, position.z)};
    high = {std::max(high.x, position.x), std::max(high.y, position.y), std::max(high.z, position.z)};
    sum_z += position.z;
    positions.push_back(position);
    const detail::Rot rotated = yaw * detail::rotation_of_quaternion({pose[3], pose[4], pose[5], pose[6]});
    const std::array<double, 4> q = detail::quaternion_of(rotated);
    double same = 0;
    if (row > 0) {
      for (std::size_t i = 0; i < 4; ++i) same += q[i] * poses(row - 1, static_cast<std::int64_t>(3 + i));
    }
    for (std::size_t i = 0; i < 4; ++i) pose[3 + i] = static_cast<float>(same < 0 ? -q[i] : q[i]);
  }
  const double mean_z = sum_z / static_cast<double>(poses.rows());
  const detail::Vec shift(-0.5 * (low.x + high.x), -0.5 * (low.y + high.y),
                          std::max(options.distance_m - mean_z, options.nearest_m - low.z));
  for (std::int64_t row = 0; row < poses.rows(); ++row) {
    const detail::Vec position = positions[static_cast<std::size_t>(row)] + shift - offset;
    poses(row, 0) = static_cast<float>(position.x);
    poses(row, 1) = static_cast<float>(position.y);
    poses(row, 2) = static_cast<float>(position.z);
  }
}

}  // namespace triptych::capsule_likelihood
