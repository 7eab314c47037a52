#include <triptych/aam_fit/default_model.hpp>
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>

#include <utility>

#include "common/face_finder.hpp"

namespace triptych::apps {

using namespace aam_fit;

FaceFinder::FaceFinder(FaceDetector detector) : detector_(std::move(detector)) {
  if (!detector_.ready()) return;
  try {
    fitter_.emplace(load_default_model(), FitterOptions{}, Device::cpu());
  } catch (const Unavailable&) {  // not installed
    fitter_.reset();
  }
}

std::vector<Box> FaceFinder::find(const cv::Mat& grey) {
  std::vector<Box> boxes = detector_.detect(grey);
  if (!fitter_) return boxes;
  const ImageView<const Grey8> image = image_view<Grey8>(grey);
  std::erase_if(boxes, [&](const Box& box) {
    Shape start = start_in_box(fitter_->model(), box, cascade_offset, grey.cols, grey.rows);
    const Fit fit = fitter_->step(Face{.frame = image, .start = std::move(start)});
    return !check_face(fitter_->model(), image, fit).found();
  });
  return boxes;
}

}  // namespace triptych::apps
