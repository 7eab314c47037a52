// What skin looks like in this run, and where that is known from.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <common/face_finder.hpp>
#include <opencv2/core/mat.hpp>

#include <optional>
#include <string>

#include "options.hpp"

namespace triptych::skin_demo {

struct SkinModel {
  skin_tracker::Classifier classifier;
  std::string origin;  // a phrase: "the filter given"
  // When calibrated: the calibration, and the face's box in the first frame.
  std::optional<skin_tracker::Calibration> calibration;
  std::optional<Box> face;
};

// A model that does not depend on a frame: given by the user. Nothing when one must be found on the first
// frame. Error when the model's file is bad or of another kind than asked for.
std::optional<SkinModel> given_model(const Options& options);

// Error when the box of a face is not in the frame, or is the whole frame.
void check_calibration_box(const Box& box, cv::Size frame);

// The largest face in a frame, as the oval of its skin. Nothing when none is found, or the finder is not
// ready.
std::optional<Box> detect_face(const cv::Mat& bgr, apps::FaceFinder& finder);

// Calibrated on the face in the first frame, or without one the generic filter. Error when the calibration
// fails.
SkinModel model_for(const cv::Mat& first_frame, const std::optional<Box>& face);

// The weights of a frame, 0 .. 255.
cv::Mat weights_of(const cv::Mat& bgr, const skin_tracker::Classifier& classifier);

}  // namespace triptych::skin_demo
