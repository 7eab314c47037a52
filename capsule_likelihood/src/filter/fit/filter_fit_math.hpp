// Where the samples' centre is when an estimate has been fitted: the same bits on host and device.
#pragma once

#include <triptych/core/host_device.hpp>

#include "filter/samples/filter_layout.hpp"
#include "geometry/half_rotation.hpp"

namespace triptych::capsule_likelihood {

// Dimension d of the centre whose pose this is.
TRIPTYCH_INLINE_HD float centre_of_pose(const float* pose, const FilterFrame& frame, int d) {
  if (d >= root_dims) return pose[d + 1];
  if (d >= 3) return pose[d - 3];
  const HalfRotation half = half_rotation_between(frame.reference, pose + 3);
  return 2 * (d == 0 ? half.x : d == 1 ? half.y : half.z);
}

}  // namespace triptych::capsule_likelihood
