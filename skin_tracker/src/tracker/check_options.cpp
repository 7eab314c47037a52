#include <triptych/core/error.hpp>

#include <cmath>

#include "gate/gate_window.hpp"
#include "tracker/check_options.hpp"

namespace triptych::skin_tracker {

namespace {
constexpr double max_reference_distance_m = 1e6;
}

void check_options(const TrackerOptions& options) {
  require(options.max_width > 0 && options.max_height > 0 && options.max_width <= max_width &&
              options.max_height <= max_height,
          "a tracker takes frames of up to ", max_width, " x ", max_height,
          " pixels: max_width x max_height ", "cannot be ", options.max_width, " x ", options.max_height);
  require(options.reference_area > 0 && options.reference_area <= 1,
          "the reference area of distances must be a share of the frame, above 0 and at most 1, not ",
          options.reference_area);
  require(options.reference_distance_m > 0 && options.reference_distance_m <= max_reference_distance_m,
          "the reference distance must be above 0 and at most ", max_reference_distance_m, " m, not ",
          options.reference_distance_m);
  require(options.lost_below_area >= 0 && options.lost_below_area < 1,
          "the area below which a head is lost must be a share of the frame, 0 .. 1, not ",
          options.lost_below_area);
  require(options.min_confidence >= 0 && options.min_confidence <= 1,
          "min_confidence, below which a head is lost, must be 0 .. 1, not ", options.min_confidence);
  require(!options.start || !options.start->empty(), "the start box of the head cannot be empty");
}

void check_frame(const TrackerOptions& options, int width, int height, bool first) {
  require(width > 0 && height > 0, "a tracker cannot take an empty frame, ", width, " x ", height, " pixels");
  require(width <= options.max_width && height <= options.max_height, "a frame of ", width, " x ", height,
          " pixels is larger than ", options.max_width, " x ", options.max_height,
          "; raise max_width and max_height of TrackerOptions");
  if (!first || !options.start) return;
  const PixelBox& start = *options.start;
  require(!clip(start, width, height).empty(), "the head cannot start in a box of ", start.width, " x ",
          start.height, " at (", start.x, ", ", start.y, ") of a frame of ", width, " x ", height);
}

TrackerOptions options_for_face(const Calibration& calibration, const Box& face, int frame_width,
                                int frame_height, TrackerOptions options) {
  require(std::isfinite(face.x + face.width) && std::isfinite(face.y + face.height) && !face.empty(),
          "a face cannot be a box of ", face.width, " x ", face.height, " at (", face.x, ", ", face.y, ")");
  require(frame_width > 0 && frame_height > 0, "a frame with a face cannot be ", frame_width, " x ",
          frame_height, " pixels");
  options.gate = true;
  options.start =
      enclosing_pixels(face.x, face.y, face.x + face.width, face.y + face.height, frame_width, frame_height);
  require(!options.start->empty(), "a face of ", face.width, " x ", face.height, " at (", face.x, ", ",
          face.y, ") lies outside a frame of ", frame_width, " x ", frame_height);
  options.gate_by = calibration.colours;
  options.reference_area = calibration.area;
  return options;
}

}  // namespace triptych::skin_tracker
