#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>
#include <triptych/core/parallel.hpp>

#include <common/text.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "skin_model.hpp"

namespace triptych::skin_demo {

using namespace skin_tracker;

std::optional<SkinModel> given_model(const Options& options) {
  if (options.filter) return SkinModel{*options.filter, "the filter given", {}, {}};
  if (options.model.empty()) return std::nullopt;
  Classifier classifier = load_classifier(options.model);
  const std::string kind(name_of(classifier));
  if (!options.classifier.empty() && kind != options.classifier) {
    throw Error(options.model.string() + " holds a classifier of the kind " + kind + ", not " +
                options.classifier);
  }
  return SkinModel{std::move(classifier), "the classifier " + kind + " of " + options.model.string(), {}, {}};
}

void check_calibration_box(const Box& box, cv::Size frame) {
  const double width = std::min(box.x + box.width, static_cast<double>(frame.width)) - std::max(box.x, 0.0);
  const double height =
      std::min(box.y + box.height, static_cast<double>(frame.height)) - std::max(box.y, 0.0);
  const double inside = std::max(width, 0.0) * std::max(height, 0.0);
  const auto fail = [&](const std::string& what) {
    throw Error(apps::text("cannot calibrate: the box --calibrate %g,%g,%g,%g ", box.x, box.y, box.width,
                           box.height) +
                what + apps::text(" the frame of %dx%d", frame.width, frame.height) +
                "; name the box of the face alone");
  };
  if (inside < 0.5 * box.width * box.height) fail("lies by more than half outside of");
  constexpr double max_share = 0.75;
  if (inside > max_share * frame.width * frame.height) fail("leaves no background in");
}

std::optional<Box> detect_face(const cv::Mat& bgr, apps::FaceFinder& finder) {
  if (!finder.ready()) return std::nullopt;
  cv::Mat grey;
  cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
  const std::vector<Box> faces = finder.find(grey);
  if (faces.empty()) return std::nullopt;
  // The boxes of the cascade end between mouth and chin and are wider than the face: `aam_demo boxes`
  // measures the landmarks in them. A forehead is above these.
  const Box& box = faces.front();
  return Box{box.x + 0.1 * box.width, box.y + 0.1 * box.height, 0.8 * box.width, 0.98 * box.height};
}

SkinModel model_for(const cv::Mat& first_frame, const std::optional<Box>& face) {
  if (!face) return {generic_skin_filter, "a generic skin filter", {}, {}};
  try {
    const MarkedFrame marked{image_view<Bgr8>(first_frame), *face};
    const Calibration calibration = calibrate({&marked, 1});
    return {calibration.filter, "a filter calibrated on the first frame", calibration, face};
  } catch (const CalibrationError& error) {
    throw Error("cannot calibrate on the box " + std::to_string(std::lround(face->x)) + "," +
                std::to_string(std::lround(face->y)) + "," + std::to_string(std::lround(face->width)) + "," +
                std::to_string(std::lround(face->height)) + " of a frame of " +
                std::to_string(first_frame.cols) + "x" + std::to_string(first_frame.rows) + ": " +
                error.what());
  }
}

cv::Mat weights_of(const cv::Mat& bgr, const Classifier& classifier) {
  cv::Mat weights(bgr.size(), CV_8U);
  const auto view = image_view<Bgr8>(bgr);
  parallel_for(0, bgr.rows, 0, [&](std::int64_t y) {
    std::uint8_t* out = weights.ptr<std::uint8_t>(static_cast<int>(y));
    for (const Bgr8& p : view.row(y)) {
      *out++ = static_cast<std::uint8_t>(std::lround(255 * weight(classifier, Rgb8{p.r, p.g, p.b})));
    }
  });
  return weights;
}

}  // namespace triptych::skin_demo
