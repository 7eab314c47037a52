// Rotations and frames of a skeleton's joints: the same bits on host and device. Every multiply-add is fused
// by name; files that include this are compiled with contraction off.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/core/portable_math.hpp>

#include <cmath>

#include "geometry/exact_math.hpp"

namespace triptych::capsule_likelihood::detail {

struct Mat3 {
  float m[9];  // row by row
};

// p_in_world = rotation * p_in_joint + position
struct Frame {
  Mat3 rotation;
  Vec3 position;
};

// The rotation of a quaternion of any length but 0.
TRIPTYCH_INLINE_HD Mat3 rotation_of(float w, float x, float y, float z) {
  const float s = exact::any_quotient(2.0f, fmaf(w, w, fmaf(x, x, fmaf(y, y, z * z))));
  const float sx = s * x, sy = s * y, sz = s * z;
  const float wx = w * sx, wy = w * sy, wz = w * sz;
  const float xx = x * sx, zz = z * sz;
  return {{1.0f - fmaf(y, sy, zz), fmaf(x, sy, -wz), fmaf(x, sz, wy),  //
           fmaf(x, sy, wz), 1.0f - fmaf(x, sx, zz), fmaf(y, sz, -wx),  //
           fmaf(x, sz, -wy), fmaf(y, sz, wx), 1.0f - fmaf(y, sy, xx)}};
}

// m times a rotation in the plane of columns P and Q: from P towards Q.
template <int P, int Q>
TRIPTYCH_INLINE_HD void rotate_columns(Mat3& m, CosSin angle) {
  TRIPTYCH_UNROLL
  for (int row = 0; row < 9; row += 3) {
    const float p = m.m[row + P], q = m.m[row + Q];
    const float sp = angle.sin * p, sq = angle.sin * q;
    m.m[row + P] = fmaf(angle.cos, p, sq);
    m.m[row + Q] = fmaf(angle.cos, q, -sp);
  }
}

// m times a rotation by radians about an axis: 0 x, 1 y, 2 z.
TRIPTYCH_INLINE_HD void rotate(Mat3& m, int axis, float radians) {
  const CosSin angle = portable_cos_sin_rad(radians);
  if (axis == 0) {
    rotate_columns<1, 2>(m, angle);
  } else if (axis == 1) {
    rotate_columns<2, 0>(m, angle);
  } else {
    rotate_columns<0, 1>(m, angle);
  }
}

TRIPTYCH_INLINE_HD Mat3 product(const Mat3& a, const Mat3& b) {
  Mat3 result = {};
  TRIPTYCH_UNROLL
  for (int r = 0; r < 3; ++r) {
    TRIPTYCH_UNROLL
    for (int c = 0; c < 3; ++c) {
      result.m[3 * r + c] =
          fmaf(a.m[3 * r], b.m[c], fmaf(a.m[3 * r + 1], b.m[3 + c], a.m[3 * r + 2] * b.m[6 + c]));
    }
  }
  return result;
}

TRIPTYCH_INLINE_HD Vec3 to_world(const Frame& frame, const Vec3& p) {
  const float* m = frame.rotation.m;
  return {fmaf(m[0], p.x, fmaf(m[1], p.y, fmaf(m[2], p.z, frame.position.x))),
          fmaf(m[3], p.x, fmaf(m[4], p.y, fmaf(m[5], p.z, frame.position.y))),
          fmaf(m[6], p.x, fmaf(m[7], p.y, fmaf(m[8], p.z, frame.position.z)))};
}

// A joint as the loops want it.
struct FlatJoint {
  Vec3 offset;
  int parent;
  int first_angle;
  int axes;  // how many rotations, then two bits for the axis of each, from bit 2 on
};

// What the angles of a joint do to its parent's frame.
TRIPTYCH_INLINE_HD Mat3 local_rotation(const FlatJoint& joint, const float* pose) {
  Mat3 rotation = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const int count = joint.axes & 3;
  for (int i = 0; i < count; ++i) {
    rotate(rotation, joint.axes >> (2 + 2 * i) & 3, pose[joint.first_angle + i]);
  }
  return rotation;
}

TRIPTYCH_INLINE_HD Frame root_frame(const FlatJoint& root, const float* pose) {
  const Frame ground = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {pose[0], pose[1], pose[2]}};
  return {rotation_of(pose[3], pose[4], pose[5], pose[6]), to_world(ground, root.offset)};
}

TRIPTYCH_INLINE_HD Frame child_frame(const Frame& parent, const FlatJoint& joint, const Mat3& local) {
  return {product(parent.rotation, local), to_world(parent, joint.offset)};
}

TRIPTYCH_INLINE_HD Capsule to_world(const Frame& frame, const Capsule& capsule) {
  return {to_world(frame, capsule.a), capsule.radius_m, to_world(frame, capsule.b)};
}

}  // namespace triptych::capsule_likelihood::detail
