// The person of the synthetic scene: the pose in a frame, and the colour of its pixels.
#pragma once

#include <triptych/skin_tracker/synthetic.hpp>

#include "synthetic/synthetic_colour.hpp"

namespace triptych::skin_tracker::synthetic {

// In pixels of the frame; an upright face has tilt 0, one that leans to the right of the frame a positive
// one. The face is an ellipse with semi-axes face_width across and face_height along.
struct Pose {
  float x, y, face_width, face_height, tilt;
  float hand_x, hand_y, hand_turn;  // the middle of the palm
  bool hand;
};

Pose pose_at(int frame, const SyntheticOptions& options);

// The colours of a person in front of a background. One object per frame, one call per pixel.
class Person {
 public:
  explicit Person(const Pose& pose);
  // The columns of a row that the person or its shadow can touch.
  struct Columns {
    int first, last;  // [first, last)
  };
  Columns columns(int y, int width) const;
  Colour paint(float x, float y, const Colour& behind) const;

 private:
  Colour paint_head(float x, float y, Colour out) const;
  Colour paint_face(float u, float v) const;
  Colour paint_body(float dx, float dy, Colour out) const;
  Colour paint_hand(float x, float y, Colour out) const;

  Pose pose_;
  float across_, down_;  // 1 / semi-axis
  float cos_, sin_, hand_cos_, hand_sin_;
};

}  // namespace triptych::skin_tracker::synthetic
