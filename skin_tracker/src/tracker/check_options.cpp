#include <triptych/core/error.hpp>

#include <cmath>

#include "tracker/check_options.hpp"

namespace triptych::skin_tracker {

void check_options(const TrackerOptions& options) {
  require(options.max_width > 0 && options.max_height > 0 && options.max_width <= max_width &&
              options.max_height <= max_height,
          "a tracker takes frames of up to ", max_width, " x ", max_height,
          " pixels: max_width x max_height ", "cannot be ", options.max_width, " x ", options.max_height);
  require(std::isfinite(options.reference_area) && options.reference_area > 0,
          "the reference area of distances must be above 0, not ", options.reference_area);
  require(std::isfinite(options.reference_distance_m) && options.reference_distance_m > 0,
          "the reference distance must be above 0 m, not ", options.reference_distance_m);
  require(options.lost_below_area >= 0 && options.lost_below_area < 1,
          "the area below which a head is lost must be a share of the frame, 0 .. 1, not ",
          options.lost_below_area);
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

}  // namespace triptych::skin_tracker
