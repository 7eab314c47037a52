#include <triptych/core/error.hpp>

#include <cmath>
#include <string>

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

TrackedHead HeadPosition::next(const Head& raw, bool lost_by_gate, double seconds) {
  TrackedHead head = last_;
  head.raw = raw;
  head.area = raw.area;
  head.status = status_of(raw, lost_by_gate);
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

HeadStatus HeadPosition::status_of(const Head& raw, bool lost_by_gate) const {
  if (!raw.found) return HeadStatus::lost_no_skin;
  if (lost_by_gate) return HeadStatus::lost_by_gate;
  return raw.area < options_.lost_below_area ? HeadStatus::lost_too_small : HeadStatus::found;
}

void HeadPosition::reset_smoothing() {
  x_.reset();
  y_.reset();
  distance_.reset();
}

std::string to_string(HeadStatus status) {
  switch (status) {
    case HeadStatus::found:
      return "found";
    case HeadStatus::lost_no_skin:
      return "lost: no pixel has the colour of skin";
    case HeadStatus::lost_too_small:
      return "lost: too little skin for a head";
    case HeadStatus::lost_by_gate:
      return "lost: nothing stands out from its surroundings as the head did";
  }
  throw InvalidArgument("there is no head status number " + std::to_string(static_cast<int>(status)));
}

}  // namespace triptych::skin_tracker
