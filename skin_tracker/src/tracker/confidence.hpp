// How far a measured head can be trusted: evidence, confidence and status.
#pragma once

#include <triptych/skin_tracker/tracker.hpp>

#include "gate/gate.hpp"

namespace triptych::skin_tracker {

// Of a head in a frame of that size; match: what its gate found, null without one; own_colours: the gate goes
// by those of the head.
HeadEvidence evidence_of(const Head& head, int width, int height, const GateMatch* match, bool own_colours);

// Found, or why not.
HeadStatus status_of(const Head& head, const HeadEvidence& evidence, const TrackerOptions& options);

}  // namespace triptych::skin_tracker
