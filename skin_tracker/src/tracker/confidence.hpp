// How far a measured head can be trusted: evidence, confidence and status.
#pragma once

#include <triptych/skin_tracker/tracker.hpp>

#include <optional>

#include "gate/gate.hpp"

namespace triptych::skin_tracker {

// Of a head in a frame of that size; match: what its gate found, null without one; own_colours: the gate goes
// by those of the head; face: what is known of a face without a gate.
HeadEvidence evidence_of(const Head& head, int width, int height, const GateMatch* match, bool own_colours,
                         std::optional<double> face = {});

// Found, or why not.
HeadStatus status_of(const Head& head, const HeadEvidence& evidence, const TrackerOptions& options);

}  // namespace triptych::skin_tracker
