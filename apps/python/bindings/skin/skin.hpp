// The parts of triptych.skin, and what they share.
#pragma once

#include <triptych/core/box.hpp>
#include <triptych/skin_tracker/calibrate.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "../arrays.hpp"
#include "../boxes.hpp"
#include "../naming.hpp"

namespace triptych::python {

// Each adds its classes and functions to triptych._triptych.skin.
void bind_heads(nb::module_& m);
void bind_gaussian(nb::module_& m);
void bind_ellipse(nb::module_& m);
void bind_classifiers(nb::module_& m);
void bind_training(nb::module_& m);
void bind_calibration(nb::module_& m);
void bind_moments(nb::module_& m);
void bind_tracker(nb::module_& m);
void bind_one_euro(nb::module_& m);
void bind_perspective(nb::module_& m);
void bind_synthetic(nb::module_& m);

// A Calibration with the first frame it was made from.
struct FaceCalibration {
  skin_tracker::Calibration calibration;
  Box face;
  int frame_width = 0, frame_height = 0;
  skin_tracker::FrameFormat format = skin_tracker::FrameFormat::rgb;
};

// One of the four classifiers; of a Calibration its filter. InvalidArgument for other objects.
skin_tracker::Classifier classifier_of(nb::handle object, const char* argument);
template <class T>
nb::tuple tuple_of(const BasicBox<T>& box) {
  return nb::make_tuple(box.x, box.y, box.width, box.height);
}

}  // namespace triptych::python
