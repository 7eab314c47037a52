// Tracker has the shape that all frame processors share: checked when this compiles.
#include <triptych/core/frame_processor.hpp>
#include <triptych/skin_tracker/tracker.hpp>

namespace triptych::skin_tracker {

static_assert(FrameProcessor<Tracker>);

}  // namespace triptych::skin_tracker
