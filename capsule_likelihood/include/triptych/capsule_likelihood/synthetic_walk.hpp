// Motions without a file, and their position in front of the camera.
#pragma once

#include <triptych/capsule_likelihood/motion.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

namespace triptych::capsule_likelihood {

struct WalkOptions {
  int frames = 150;           // at most 10^6
  double rate_hz = 30;        // at most 10^6
  float speed_mps = 0.8f;     // along the path
  float stride_hz = 0.85f;    // full strides (two steps) per second
  float heading_rad = -0.5f;  // at first: 0 is towards the camera (-z), positive turns to +x
  float turn_rad_per_s = 0.2f;
};

// The built-in human (made by make_human, any height) walking, its feet on the ground y = 0, from x = z = 0.
// Legs, arms, spine and head move; all angles stay within their limits. InvalidArgument when an option is out
// of range or the skeleton has other joints.
Motion make_walk(const Skeleton& human, const WalkOptions& options = {});

struct ViewOptions {
  float distance_m = 3;  // of the root from the camera, along z, on average
  float nearest_m = 2;   // the motion is moved away until its root is never nearer than this
  float yaw_rad = 0;  // rotates the motion about y first: pi for motions that face +z, as most BVH files do
};

// Rotates and shifts a motion in place, as a whole: the range of its root is centred at x = 0 and y = 0 and
// lies at the wanted distance. InvalidArgument when the poses do not fit the skeleton or are not finite, when
// their roots or the distances are beyond 1000 km, or the yaw is not finite; the motion is then unchanged.
void place_in_view(const Skeleton& skeleton, Motion& motion, const ViewOptions& options = {});

}  // namespace triptych::capsule_likelihood
