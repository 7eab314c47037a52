// Where the landmarks lie in the boxes of a face detector.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/core/box.hpp>

#include <cstdint>
#include <span>

namespace triptych::aam_fit {

// A detector's boxes differ from the landmarks' boxes by the same shift and scale from face to face, roughly.
// The default: they do not differ.
struct BoxOffset {
  // From the centre of the detector's box to that of the landmarks' box, in widths and heights of the former.
  double shift_x = 0, shift_y = 0;
  double scale =
      1;  // face size (face_size() of the landmarks) over the square root of the detector's box's area
  friend bool operator==(const BoxOffset&, const BoxOffset&) = default;
};

// The medians over examples, so that some wrong boxes do not matter: boxes[i] is the detector's for
// shapes[i]. InvalidArgument when there are none or the counts differ, a box is empty or not finite, or a
// shape has no area.
BoxOffset calibrate_box_offset(std::span<const Box> boxes, std::span<const Shape> shapes);

// The mean shape where the landmarks should be, given a detector's box. InvalidArgument as start_in_box()
// without an offset, and when the offset is not finite or its scale not positive.
Shape start_in_box(const Model& model, const Box& box, const BoxOffset& offset, std::int64_t frame_width,
                   std::int64_t frame_height);

}  // namespace triptych::aam_fit
