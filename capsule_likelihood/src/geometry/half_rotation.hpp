// Half rotations: the vectors h of quaternions (1, h), composed by rational functions, the same bits
// on host and device.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/core/portable_math.hpp>

#include <cmath>

namespace triptych::capsule_likelihood {

struct HalfRotation {
  float x, y, z;
};

// The half rotation of a times b: (1, a) (1, b) as quaternions, scaled to a real part of 1.
// Rotations by almost 180 degrees, where that part vanishes, are limited.
TRIPTYCH_INLINE_HD HalfRotation compose(HalfRotation a, HalfRotation b) {
  float w = fmaf(-a.x, b.x, fmaf(-a.y, b.y, fmaf(-a.z, b.z, 1.0f)));
  if (fabsf(w) < 1e-3f) w = w < 0 ? -1e-3f : 1e-3f;
  const float x = fmaf(a.y, b.z, fmaf(-a.z, b.y, a.x + b.x));
  const float y = fmaf(a.z, b.x, fmaf(-a.x, b.z, a.y + b.y));
  const float z = fmaf(a.x, b.y, fmaf(-a.y, b.x, a.z + b.z));
  return {x / w, y / w, z / w};
}

// q (1, half), normalised.
TRIPTYCH_INLINE_HD void rotated(const float* q, HalfRotation half, float* result) {
  const float w = fmaf(-q[1], half.x, fmaf(-q[2], half.y, fmaf(-q[3], half.z, q[0])));
  const float x = fmaf(q[0], half.x, fmaf(q[2], half.z, fmaf(-q[3], half.y, q[1])));
  const float y = fmaf(q[0], half.y, fmaf(q[3], half.x, fmaf(-q[1], half.z, q[2])));
  const float z = fmaf(q[0], half.z, fmaf(q[1], half.y, fmaf(-q[2], half.x, q[3])));
  const float length = portable_sqrt(fmaf(w, w, fmaf(x, x, fmaf(y, y, z * z))));
  result[0] = w / length;
  result[1] = x / length;
  result[2] = y / length;
  result[3] = z / length;
}

// The half rotation h for which q (1, h), normalised, is the orientation r or -r. Rotations by almost 180
// degrees are limited.
TRIPTYCH_INLINE_HD HalfRotation half_rotation_between(const float* q, const float* r) {
  float w = q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3];
  if (fabsf(w) < 1e-3f) w = w < 0 ? -1e-3f : 1e-3f;
  return {(q[0] * r[1] - q[1] * r[0] - q[2] * r[3] + q[3] * r[2]) / w,
          (q[0] * r[2] + q[1] * r[3] - q[2] * r[0] - q[3] * r[1]) / w,
          (q[0] * r[3] - q[1] * r[2] + q[2] * r[1] - q[3] * r[0]) / w};
}

}  // namespace triptych::capsule_likelihood
