// Random poses and skeletons for the tests of kinematics, and forward kinematics in double precision.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "testing/random.hpp"

namespace triptych::capsule_likelihood::test {

// Rows of poses: positions within 3 m, orientations of any length from 0.5 to 2, angles within spread_rad.
inline std::vector<float> random_poses(const Skeleton& skeleton, std::int64_t rows, float spread_rad,
                                       std::uint64_t seed) {
  const auto size = static_cast<std::size_t>(skeleton.pose_size());
  std::vector<float> poses =
      triptych::test::random_values(rows * skeleton.pose_size(), -spread_rad, spread_rad, seed);
  const std::vector<float> others = triptych::test::random_values(rows * 8, -1.0f, 1.0f, seed + 1);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    float* pose = poses.data() + row * size;
    const float* other = others.data() + row * 8;
    for (int i = 0; i < 3; ++i) pose[i] = 3 * other[i];
    const float length = std::hypot(std::hypot(other[3], other[4]), std::hypot(other[5], other[6]));
    const float wanted = 1.25f + 0.75f * other[7];
    for (int i = 3; i < 7; ++i) pose[i] = length > 0.01f ? other[i] / length * wanted : 0.5f;
  }
  return poses;
}

// A tree whose joints hang on random joints before them, with 0 to 3 rotations about random axes.
inline Skeleton random_skeleton(int joints, int capsules, std::uint64_t seed) {
  PhiloxStream random(seed, 7);
  const auto vector = [&] {
    return Vec3{random.next_uniform() - 0.5f, random.next_uniform() - 0.5f, random.next_uniform() - 0.5f};
  };
  std::vector<Joint> tree;
  for (int i = 0; i < joints; ++i) {
    Joint joint{"joint" + std::to_string(i),
                i == 0 ? -1 : static_cast<int>(random.next() % static_cast<unsigned>(i)),
                vector(),
                {}};
    const int rotations = static_cast<int>(random.next() % 4);
    for (int k = 0; k < rotations; ++k) joint.rotations.push_back({static_cast<Axis>(random.next() % 3)});
    tree.push_back(std::move(joint));
  }
  std::vector<BodyCapsule> body_capsules(static_cast<std::size_t>(capsules));
  for (BodyCapsule& capsule : body_capsules) {
    capsule = {static_cast<int>(random.next() % static_cast<unsigned>(joints)),
               {vector(), random.next_uniform(), vector()}};
  }
  return {std::move(tree), std::move(body_capsules)};
}

struct Double3 {
  double x, y, z;
};

// A rotation as a quaternion and a position, in double: written from the definitions, not from the matrices.
struct DoubleFrame {
  std::array<double, 4> q;  // w x y z, unit
  Double3 position;

  Double3 to_world(const Vec3& p) const {
    const auto [w, x, y, z] = q;
    // v + 2 w (u x v) + 2 u x (u x v)
    const Double3 c = {y * p.z - z * p.y, z * p.x - x * p.z, x * p.y - y * p.x};
    const Double3 d = {y * c.z - z * c.y, z * c.x - x * c.z, x * c.y - y * c.x};
    return {position.x + p.x + 2 * (w * c.x + d.x), position.y + p.y + 2 * (w * c.y + d.y),
            position.z + p.z + 2 * (w * c.z + d.z)};
  }
};

inline std::array<double, 4> times(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

inline std::vector<DoubleFrame> double_frames(const Skeleton& skeleton, const float* pose) {
  std::vector<DoubleFrame> frames;
  for (int i = 0; i < skeleton.joint_count(); ++i) {
    const Joint& joint = skeleton.joints()[static_cast<std::size_t>(i)];
    if (i == 0) {
      const double length = std::sqrt(double{pose[3]} * pose[3] + double{pose[4]} * pose[4] +
                                      double{pose[5]} * pose[5] + double{pose[6]} * pose[6]);
      frames.push_back({{pose[3] / length, pose[4] / length, pose[5] / length, pose[6] / length},
                        {double{pose[0]} + joint.offset_m.x, double{pose[1]} + joint.offset_m.y,
                         double{pose[2]} + joint.offset_m.z}});
      continue;
    }
    const DoubleFrame& parent = frames[static_cast<std::size_t>(joint.parent)];
    DoubleFrame frame{parent.q, parent.to_world(joint.offset_m)};
    for (std::size_t k = 0; k < joint.rotations.size(); ++k) {
      const double half = 0.5 * pose[static_cast<std::size_t>(skeleton.first_angle(i)) + k];
      std::array<double, 4> turn = {std::cos(half), 0, 0, 0};
      turn[1 + static_cast<std::size_t>(joint.rotations[k].axis)] = std::sin(half);
      frame.q = times(frame.q, turn);
    }
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace triptych::capsule_likelihood::test
