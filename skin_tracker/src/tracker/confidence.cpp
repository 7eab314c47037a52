#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "gate/face_classifier.hpp"
#include "tracker/confidence.hpp"

namespace triptych::skin_tracker {

namespace {

// Confidence = 1 / (1 + exp(-z)), z = the constant + each coefficient times its evidence. Fitted by
// bench/accuracy/accuracy.py --only head_confidence --calibrate, which prints these lines.
struct WholeFrame {
  double constant, face;
};
constexpr WholeFrame by_frame{-0.700, 0.588};
struct MomentsAlone {  // where there was no frame to look at
  double constant, compactness, extent, roundness;
};
constexpr MomentsAlone by_moments{1.388, 0.825, -3.298, 1.509};
struct Search {
  double constant, oval, own_colours, face;
};
constexpr Search by_search{-5.037, 4.710, 0.786, 0.731};
struct Start {
  double constant, likeness, log_sharpness;
};
constexpr Start by_start{-6.140, 1.037, 2.488};

constexpr double faceless_confidence = 0.49;  // confidence of what was looked at and shows no face
constexpr double frame_size = 1;              // an ellipse of a larger extent is no head
constexpr double compact_enough = 0.45;       // below this, scattered skin is what is wrong

double log_odds(const HeadEvidence& e) {
  switch (e.source) {
    case HeadSource::whole_frame:
      if (e.face) return by_frame.constant + by_frame.face * *e.face;
      return by_moments.constant + by_moments.compactness * e.compactness + by_moments.extent * e.extent +
             by_moments.roundness * e.roundness;
    case HeadSource::search:
      return by_search.constant + by_search.oval * e.oval + by_search.own_colours * int{e.own_colours} +
             by_search.face * e.face.value_or(0);
    case HeadSource::start:
      break;
  }
  return by_start.constant + by_start.likeness * e.likeness +
         by_start.log_sharpness * std::log(std::max(e.sharpness, 1.0));
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f %%", 100 * share);
  return text;
}

bool no_face(const HeadEvidence& evidence) { return evidence.face && *evidence.face < min_face; }
constexpr const char* no_face_text =
    "what has the colour of skin does not look like a face: face the camera in enough light or give the "
    "head's "
    "box in the first frame";

std::string why_unsure(const HeadEvidence& evidence) {
  switch (evidence.source) {
    case HeadSource::whole_frame:
      if (no_face(evidence)) return no_face_text;
      return "the frame's skin does not have the shape of one head: calibrate on the head's box and turn the "
             "gate on";
    case HeadSource::search:
      if (no_face(evidence)) return no_face_text;
      return "what has the colour of skin does not look like a head: give the head's box in the first frame";
    case HeadSource::start:
      break;
  }
  return "what is followed looks too little like the head at the start: start again on the head's box";
}

}  // namespace

HeadEvidence evidence_of(const Head& head, int width, int height, const GateMatch* match, bool own_colours,
                         std::optional<double> face) {
  HeadEvidence evidence;
  if (!head.found) return evidence;
  evidence.compactness = score_of(head);
  // A uniform ellipse is four standard deviations wide and high.
  evidence.extent = 4 * std::max(std::sqrt(head.xx_px2) / width, std::sqrt(head.yy_px2) / height);
  const HeadEllipse ellipse = ellipse_of(head);
  evidence.roundness = ellipse.semi_major_px > 0 ? ellipse.semi_minor_px / ellipse.semi_major_px : 0;
  evidence.face = face;
  if (match == nullptr) return evidence;
  evidence.source = match->started ? HeadSource::start : HeadSource::search;
  evidence.oval = match->oval;
  evidence.likeness = match->likeness;
  evidence.sharpness = match->sharpness;
  evidence.own_colours = own_colours;
  if (!match->started) evidence.face = match->face;
  return evidence;
}

double confidence_of(const HeadEvidence& evidence) {
  if (evidence.source == HeadSource::whole_frame && evidence.extent > frame_size) return 0;
  const double z = log_odds(evidence);
  const double confidence = std::isnan(z) ? 0 : 1 / (1 + std::exp(-z));
  return no_face(evidence) ? std::min(confidence, faceless_confidence) : confidence;
}

HeadStatus status_of(const Head& head, const HeadEvidence& evidence, const TrackerOptions& options) {
  if (!head.found) return HeadStatus::lost_no_skin;
  if (head.area < options.lost_below_area) return HeadStatus::lost_too_small;
  if (confidence_of(evidence) >= options.min_confidence) return HeadStatus::found;
  if (evidence.source != HeadSource::whole_frame) return HeadStatus::lost_unsure;
  if (evidence.extent > frame_size) return HeadStatus::lost_too_large;
  return evidence.compactness < compact_enough ? HeadStatus::lost_not_compact : HeadStatus::lost_unsure;
}

TrackedHead tracked_head(const Head& head, int width, int height, const TrackerOptions& options) {
  require(width > 0 && height > 0, "a head cannot be in a frame of ", width, " x ", height, " pixels");
  TrackedHead tracked;
  tracked.raw = head;
  tracked.area = head.area;
  tracked.window = {0, 0, width, height};
  tracked.evidence = evidence_of(head, width, height, nullptr, false);
  tracked.status = status_of(head, tracked.evidence, options);
  if (head.found) tracked.confidence = confidence_of(tracked.evidence);
  if (!tracked.found()) return tracked;
  tracked.score = score_of(head);
  tracked.x_px = head.x_px;
  tracked.y_px = head.y_px;
  tracked.distance_m = options.reference_distance_m * std::sqrt(options.reference_area / head.area);
  return tracked;
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
    case HeadStatus::lost_too_large:
      return "lost: the skin is larger than the frame, not a head";
    case HeadStatus::lost_not_compact:
      return "lost: the skin is scattered, not that of a head";
    case HeadStatus::lost_unsure:
      return "lost: what was found may not be the head";
  }
  throw InvalidArgument("there is no head status number " + std::to_string(static_cast<int>(status)));
}

std::string reason(const TrackedHead& head) {
  const HeadEvidence& evidence = head.evidence;
  switch (head.status) {
    case HeadStatus::found:
      return "";
    case HeadStatus::lost_no_skin:
      return "no pixel has the colour of skin: calibrate on the head's box";
    case HeadStatus::lost_too_small:
      return "less skin than lost_below_area, a head should be larger: move closer or calibrate on the "
             "head's "
             "box";
    case HeadStatus::lost_by_gate:
      return "nothing stands out from its surroundings as the head did: bring the head into view or start "
             "again on its box";
    case HeadStatus::lost_too_large:
      return "the ellipse of the skin is " + percent(evidence.extent) +
             " of the frame's size: calibrate on the head's box and turn the gate on";
    case HeadStatus::lost_not_compact:
      return "skin fills " + percent(evidence.compactness) +
             " of its ellipse and is not one head: calibrate on the head's box and turn the gate on";
    case HeadStatus::lost_unsure:
      return why_unsure(evidence);
  }
  return to_string(head.status);  // throws
}

}  // namespace triptych::skin_tracker
