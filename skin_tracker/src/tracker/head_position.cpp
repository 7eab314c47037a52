#include <cmath>

#include "tracker/confidence.hpp"
#include "tracker/head_position.hpp"

namespace triptych::skin_tracker {

HeadPosition::HeadPosition(const TrackerOptions& options)
    : options_(options), x_(options.smoothing), y_(options.smoothing), distance_(options.smoothing) {}

void HeadPosition::restart(int width, int height) {
  reset_smoothing();
  last_ = {};
  last_.x_px = 0.5 * (width - 1);
  last_.y_px = 0.5 * (height - 1);
  last_.distance_m = options_.reference_distance_m;
}

TrackedHead HeadPosition::next(const Head& raw, const HeadEvidence& evidence, std::optional<HeadStatus> lost,
                               double seconds) {
  TrackedHead head = last_;
  head.raw = raw;
  head.area = raw.area;
  head.evidence = evidence;
  head.status = lost.value_or(status_of(raw, evidence, options_));
  head.confidence = raw.found ? confidence_of(evidence) : 0;
  head.score = head.found() ? score_of(raw) : 0;
  if (head.found()) {
    head.x_px = raw.x_px;
    head.y_px = raw.y_px;
    head.distance_m = options_.reference_distance_m * std::sqrt(options_.reference_area / head.area);
    if (options_.smooth) {
      head.x_px = x_.filter(head.x_px, seconds);
      head.y_px = y_.filter(head.y_px, seconds);
      head.distance_m = distance_.filter(head.distance_m, seconds);
    }
  } else {
    reset_smoothing();
  }
  last_ = head;
  return head;
}

void HeadPosition::reset_smoothing() {
  x_.reset();
  y_.reset();
  distance_.reset();
}

}  // namespace triptych::skin_tracker
