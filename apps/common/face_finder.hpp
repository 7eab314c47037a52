// Faces by OpenCV's detector, confirmed by the face model that ships: the detector also sees faces in wheels,
// rocks and leaves.
#pragma once

#include <triptych/aam_fit/box_offset.hpp>
#include <triptych/aam_fit/fitter.hpp>

#include <opencv2/core/mat.hpp>

#include <optional>
#include <string>
#include <vector>

#include "common/face_detector.hpp"

namespace triptych::apps {

// Where landmarks lie in the boxes of haarcascade_frontalface_default.xml, measured by `aam_demo boxes` on
// the faces in the wild (faces_wild): the boxes reach from above the brows to below the mouth, so that the
// landmarks' box lies lower.
constexpr aam_fit::BoxOffset cascade_offset{0.008, 0.16, 0.84};

class FaceFinder {
 public:
  // Without the model's file every box of the detector counts as a face.
  explicit FaceFinder(FaceDetector detector);

  // As the detector's.
  bool ready() const { return detector_.ready(); }
  const std::string& reason() const { return detector_.reason(); }
  // The detector's boxes in an 8-bit grey image where the model's fit is a face, the largest first.
  std::vector<Box> find(const cv::Mat& grey);

 private:
  FaceDetector detector_;
  std::optional<aam_fit::Fitter> fitter_;
};

}  // namespace triptych::apps
