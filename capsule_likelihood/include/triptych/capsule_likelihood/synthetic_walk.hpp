// Motions without a file, and their place before the camera.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/matrix_view.hpp>

#include <vector>

namespace triptych::capsule_likelihood {

struct WalkOptions {
  int frames = 150;
  double rate_hz = 30;
  float speed_mps = 0.8f;     // along the path
  float stride_hz = 0.85f;    // full strides (two steps) a second
  float heading_rad = -0.5f;  // at first: 0 is towards the camera (-z), positive turns to +x
  float turn_rad_per_s = 0.2f;
};

// The built-in human (made by make_human, any height) walking, its feet on the ground y = 0, from x = z = 0:
// a pose in each row. Legs, arms, spine and head move; all angles stay within their limits. InvalidArgument
// when an option makes no sense or the skeleton has other joints.
std::vector<float> make_walk(const Skeleton& human, const WalkOptions& options = {});

struct ViewOptions {
  float distance_m = 3;  // of the root from the camera, along z, on average
  float nearest_m = 2;   // the whole motion is moved away until its root is nowhere nearer
  float turn_rad = 0;    // about y, first: pi for motions that face +z, as most BVH files do
};

// Turns and shifts a motion as a whole, so that its root is at x = 0 and y = 0 in the middle of its range and
// at the wanted distances. poses: a pose in each row, changed in place.
void place_in_view(const Skeleton& skeleton, MatrixView<float> poses, const ViewOptions& options = {});

}  // namespace triptych::capsule_likelihood
