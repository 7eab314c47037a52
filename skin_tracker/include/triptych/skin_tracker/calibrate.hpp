// Finds the filter that separates a face from its surroundings, from frames in which the face is marked by a
// box whose inscribed ellipse it fills.
//
// Colours are counted in the cells of a grid; the plane is optimised over the occupied cells, so that the
// cost hardly depends on the frame's size.
#pragma once

#include <triptych/core/box.hpp>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <span>
#include <string>

namespace triptych::skin_tracker {

struct MarkedFrame {
  Frame frame;
  Box face;
};

struct Calibration {
  LinearFilter filter;
  double face_weight = 0;        // mean weight inside the ellipses
  double background_weight = 0;  // mean weight outside
  double area = 0;  // the weight inside the ellipses as a share of the frame: the reference of distances
  // For TrackerOptions::gate_by: for each colour the share of the face among its pixels. It also separates
  // faces that no plane separates.
  HistogramRatio colours;
};

enum class CalibrationStatus {
  too_few_face_pixels,        // the box is too small or outside the frame
  too_few_background_pixels,  // the box fills the frame
  not_separable               // the face has too little weight, absolute or relative to its surroundings
};
// One sentence with the remedy.
std::string to_string(CalibrationStatus status);

// Why there is no calibration; what() is to_string(status()).
class CalibrationError : public Error {
 public:
  explicit CalibrationError(CalibrationStatus status) : Error(to_string(status)), status_(status) {}
  CalibrationStatus status() const noexcept { return status_; }

 private:
  CalibrationStatus status_;
};

// Frames of any formats and sizes. InvalidArgument when there is no frame; CalibrationError when the face
// cannot be separated from its surroundings.
Calibration calibrate(std::span<const MarkedFrame> frames, int threads = 0);

}  // namespace triptych::skin_tracker
