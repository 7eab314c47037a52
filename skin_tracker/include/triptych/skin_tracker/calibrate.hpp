// Finds the filter that separates a face from what is around it, from frames in which the face fills a marked
// oval.
//
// Colours are gathered in the cells of a grid; the plane is sought over the occupied cells, so that the cost
// hardly depends on the frame's size.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <span>
#include <string>
#include <string_view>

namespace triptych::skin_tracker {

// The box of an upright ellipse, in pixels of the frame.
struct Oval {
  double x = 0, y = 0, width = 0, height = 0;
};

struct MarkedFrame {
  Frame frame;
  Oval face;
};

enum class CalibrationStatus {
  good,
  too_few_face_pixels,        // the oval is too small or outside the frame
  too_few_background_pixels,  // the oval fills the frame
  not_separable               // the face would hardly have weight, or no more than what is around it
};
// A sentence that says what to do.
std::string_view explain(CalibrationStatus status);

struct Calibration {
  CalibrationStatus status = CalibrationStatus::good;
  LinearFilter filter;           // all 0 unless good
  double face_weight = 0;        // mean weight inside the ovals
  double background_weight = 0;  // mean weight outside
  double area = 0;  // the weight inside the ovals as a share of the frame: the reference of distances
  // For TrackerOptions::gate_by: which share of the pixels of a colour are the face's. Tells apart what no
  // plane does; there are no cells when there were too few pixels.
  HistogramRatio colours;
};

// Frames of any formats and sizes. InvalidArgument when there is no frame.
Calibration calibrate(std::span<const MarkedFrame> frames, int threads = 0);

}  // namespace triptych::skin_tracker
