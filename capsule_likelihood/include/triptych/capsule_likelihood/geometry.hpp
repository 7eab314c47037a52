// Points and capsules in metres. The camera's frame is x right, y up or down as the data have it, z forward.
#pragma once

#include <triptych/core/host_device.hpp>

namespace triptych::capsule_likelihood {

struct Vec3 {
  float x = 0, y = 0, z = 0;
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

// All points within radius_m of the segment from a to b; a == b is a sphere. Seven floats in the order of the
// paper's arrays.
struct Capsule {
  Vec3 a;
  float radius_m = 0;
  Vec3 b;
  friend bool operator==(const Capsule&, const Capsule&) = default;
};
static_assert(sizeof(Capsule) == 7 * sizeof(float));

}  // namespace triptych::capsule_likelihood
