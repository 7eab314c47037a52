// The prediction between frames, on host and device: velocities, spreads and the next centre.
#pragma once

#include "filter/samples/filter_math.hpp"

namespace triptych::capsule_likelihood {

// How the velocity follows the estimate, and the spreads the innovations (motion minus prediction).
struct FilterMotion {
  float follow = 0;      // weight of the last motion in the velocity
  float damp = 0;        // factor of the velocity from frame to frame
  float recall = 0;      // weight of the last innovation in their mean square
  float gain = 0;        // spread / root mean square of the innovations
  float least = 1;       // smallest spread, relative to the dimension's
  float settle = 0.75f;  // factor of a widening from frame to frame
  float reversion = 0;   // of predicted angles: share of the way to those of the start
};

// The spread of a dimension in the next frame, after an innovation in this one.
TRIPTYCH_INLINE_HD void update_spread(const FilterView& view, int d, float innovation,
                                      const FilterMotion& motion) {
  const float square =
      fmaf(motion.recall, fmaf(innovation, innovation, -view.innovation[d]), view.innovation[d]);
  view.innovation[d] = square;
  const float most = view.dimensions[d].spread, least = motion.least * most;
  const float spread = motion.gain * portable_sqrt(square > 0 ? square : 0.0f);
  view.spread[d] = spread > most ? most : (spread < least ? least : spread);
}

// Between frames, one dimension each: the velocity follows the estimate, and moves the centre. The rotation
// (d 0 .. 2) is done by predict_rotation.
TRIPTYCH_INLINE_HD void predict(const FilterView& view, int d, const FilterMotion& motion) {
  const float moved = view.centre[d] - view.last[d];
  const float velocity = view.velocity[d];
  update_spread(view, d, moved - velocity, motion);
  const float next = motion.damp * fmaf(motion.follow, moved - velocity, velocity);
  view.last[d] = view.centre[d];
  view.velocity[d] = next;
  float centre = limited(view.centre[d] + next, view.dimensions[d]);
  if (d >= root_dims) centre = fmaf(motion.reversion, view.home[d] - centre, centre);
  view.centre[d] = view.elite[d] = centre;
}
TRIPTYCH_INLINE_HD void predict_rotation(const FilterView& view, const FilterMotion& motion) {
  for (int d = 0; d < 3; ++d) update_spread(view, d, view.centre[d], motion);
  FilterFrame& frame = *view.frame;
  const HalfRotation centre = {0.5f * view.centre[0], 0.5f * view.centre[1], 0.5f * view.centre[2]};
  const HalfRotation velocity = {0.5f * view.velocity[0], 0.5f * view.velocity[1], 0.5f * view.velocity[2]};
  const HalfRotation moved = compose(velocity, centre);  // the reference includes the velocity
  const HalfRotation next = {motion.damp * fmaf(motion.follow, moved.x - velocity.x, velocity.x),
                             motion.damp * fmaf(motion.follow, moved.y - velocity.y, velocity.y),
                             motion.damp * fmaf(motion.follow, moved.z - velocity.z, velocity.z)};
  float there[4];
  rotated(frame.reference, centre, there);
  rotated(there, next, frame.reference);
  frame.back[0] = -centre.x;
  frame.back[1] = -centre.y;
  frame.back[2] = -centre.z;
  for (int d = 0; d < 3; ++d) view.centre[d] = view.elite[d] = 0;
  view.velocity[0] = 2.0f * next.x;
  view.velocity[1] = 2.0f * next.y;
  view.velocity[2] = 2.0f * next.z;
  const float widen = motion.settle * frame.widen;
  frame.widen = widen > 1.0f ? widen : 1.0f;
  ++frame.frame;
}

}  // namespace triptych::capsule_likelihood
