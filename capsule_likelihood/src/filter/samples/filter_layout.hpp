// The data of the filter's functions, on host and device.
//
// A sample is a row of dims floats: the root's rotation (3), its position (3, metres), then the angles
// (radians). The rotation t is relative to the frame's reference orientation q: the orientation is q (1, t/2)
// / |(1, t/2)|, a rational map without trigonometry that agrees with the rotation vector t up to terms of
// third order. A row of poses is the input of kinematics: position, quaternion, angles.
#pragma once

#include <triptych/core/host_device.hpp>

#include <cstdint>
#include <span>

namespace triptych::capsule_likelihood {

inline constexpr int max_units = 16;
inline constexpr int root_dims = 6;
inline constexpr int dims_per_block = 4;  // the normal numbers of one Philox block

// One dimension. unit: the part of the body that it belongs to (0: the trunk). Equal limits: fixed.
struct FilterDimension {
  float spread = 0;  // of the motion between frames about the prediction
  float lower = 0, upper = 0;
  std::int32_t unit = 0;
};

// One layer: the samples are cut into groups, each of which moves some units and keeps the others at the
// centre, and is weighed and resampled by itself.
struct FilterLayer {
  std::int32_t groups = 1;
  std::int32_t group_of_unit[max_units] = {};  // -1: at rest in this layer
  std::uint32_t stride[max_units] = {};        // of a group: pairs its survivors with those of the others
  // Only unit 0 is searched; the others compensate its motion, to stay where they are in space
  // (compensate_dim).
  bool compensates = false;
  bool elite = false;       // every fourth sample starts from the elite; one sample is it
  float noise = 1;          // times a dimension's spread
  float tail = 1;           // of the noise of every eighth sample, against the others
  float keep = 1;           // factor of a sample's offset from the centre
  double target_share = 0;  // of the samples that should stay effective; 0: no tempering
  double max_loss = 0;      // of the best sample, in nats, when samples are weighed; 0: no limit
};

// State that all samples share, besides the arrays of FilterView.
struct FilterFrame {
  std::uint64_t frame = 0;  // counts the random numbers
  std::uint64_t seed = 0;
  float reference[4] = {1, 0, 0, 0};  // rotations are relative to this orientation: w x y z
  float back[3] = {};                 // half rotation from the old centre to none
  float widen = 1;                    // factor of all spreads: above 1 after an uncertain start
};

struct FilterView {
  std::int32_t samples = 0, dims = 0;
  const FilterDimension* dimensions = nullptr;
  FilterFrame* frame = nullptr;
  float* centre = nullptr;      // dims: the estimate so far
  float* elite = nullptr;       // dims: the prediction, or the last sample that was clearly better
  const float* home = nullptr;  // dims: the angles of the start
  float* velocity = nullptr;    // dims: predicted motion per frame
  float* last = nullptr;        // dims: the estimate of the last frame
  float* innovation = nullptr;  // dims: running mean square of the innovations
  float* spread = nullptr;      // dims: of the noise in this frame
  float* population = nullptr;  // samples x dims; a row is read and written by its own thread or warp only
  const float* old_proposals = nullptr;  // what the cumulative weights belong to
  float* proposals = nullptr;
  float* poses = nullptr;
  const std::uint64_t* cumulative = nullptr;  // of the weights in each group
  std::int32_t trunk_dims = 0;                // free dimensions of unit 0 ...
  const std::int32_t* trunk = nullptr;        // ... and which they are
  const float* compensation = nullptr;        // dims x trunk_dims: d limb / d trunk
};

// What a fit moves of the state after a frame, on the host.
struct FittedState {
  std::span<float> pose;                    // the estimate
  std::span<float> centre, velocity, last;  // as in FilterView; dims floats each
};

TRIPTYCH_INLINE_HD std::int32_t group_begin(std::int32_t group, std::int32_t samples, std::int32_t groups) {
  return static_cast<std::int32_t>((std::int64_t{group} * samples + groups - 1) / groups);
}
TRIPTYCH_INLINE_HD std::int32_t group_of(std::int32_t row, std::int32_t samples, std::int32_t groups) {
  return static_cast<std::int32_t>(std::int64_t{row} * groups / samples);
}

// The group of a layer that moves a unit by noise; -1 when none does.
TRIPTYCH_INLINE_HD std::int32_t searching_group(const FilterLayer& layer, std::int32_t unit) {
  return layer.compensates && unit != 0 ? -1 : layer.group_of_unit[unit];
}

}  // namespace triptych::capsule_likelihood
