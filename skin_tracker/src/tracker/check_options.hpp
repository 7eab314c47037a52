// The checks of a tracker's options and frame sizes.
#pragma once

#include <triptych/skin_tracker/tracker.hpp>

namespace triptych::skin_tracker {

// InvalidArgument for options out of range.
void check_options(const TrackerOptions& options);
// InvalidArgument when a frame of that size is empty or larger than the options allow, or, for the first one,
// does not contain the start box.
void check_frame(const TrackerOptions& options, int width, int height, bool first);

}  // namespace triptych::skin_tracker
