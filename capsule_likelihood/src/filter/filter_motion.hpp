// What the filter does between frames, on host and device: velocities, spreads and the next centre.
#pragma once

#include "filter/filter_math.hpp"

namespace triptych::capsule_likelihood {

// What goes on between frames: how the velocity is learned and kept, and how the spreads follow surprises.
struct FilterMotion {
  float follow = 0;      // the share of the newly seen motion that the velocity takes over
  float damp = 0;        // what is left of the velocity by the next frame
  float recall = 0;      // the share of the last surprise in their mean square
  float gain = 0;        // of a spread, against the surprises' root mean square
  float least = 1;       // spread, against the dimension's
  float settle = 0.75f;  // what is left of a widening by the next frame
};

// The noise of a dimension in the next frame, after one in which it was off by a surprise.
TRIPTYCH_INLINE_HD void update_spread(const FilterView& view, int d, float innovation,
                                      const FilterMotion& motion) {
  const float square =
      fmaf(motion.recall, fmaf(innovation, innovation, -view.innovation[d]), view.innovation[d]);
  view.innovation[d] = square;
  const float most = view.dimensions[d].spread, least = motion.least * most;
  const float spread = motion.gain * portable_sqrt(square > 0 ? square : 0.0f);
  view.spread[d] = spread > most ? most : (spread < least ? least : spread);
}

// Between frames, one dimension each: the velocity follows the estimate, and the centre moves on by it. Turns
// (d 0 .. 2) are done together by predict_rotation.
TRIPTYCH_INLINE_HD void predict(const FilterView& view, int d, const FilterMotion& motion) {
  const float moved = view.centre[d] - view.last[d];
  const float velocity = view.velocity[d];
  update_spread(view, d, moved - velocity, motion);
  const float next = motion.damp * fmaf(motion.follow, moved - velocity, velocity);
  view.last[d] = view.centre[d];
  view.velocity[d] = next;
  view.centre[d] = limited(view.centre[d] + next, view.dimensions[d]);
  view.elite[d] = view.centre[d];
}
TRIPTYCH_INLINE_HD void predict_rotation(const FilterView& view, const FilterMotion& motion) {
  for (int d = 0; d < 3; ++d) update_spread(view, d, view.centre[d], motion);
  FilterFrame& frame = *view.frame;
  const HalfRotation centre = {0.5f * view.centre[0], 0.5f * view.centre[1], 0.5f * view.centre[2]};
  const HalfRotation velocity = {0.5f * view.velocity[0], 0.5f * view.velocity[1], 0.5f * view.velocity[2]};
  const HalfRotation moved = compose(velocity, centre);  // the reference held the velocity already
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
