// Tracker has the shape that all frame processors share: checked when this compiles.
#include <triptych/core/frame_processor.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <concepts>
#include <string>

namespace triptych::skin_tracker {

static_assert(FrameProcessor<Tracker>);
static_assert(requires(const TrackedHead& head, TrackerOptions& options) {
  { head.confidence } -> std::convertible_to<double>;
  { reason(head) } -> std::same_as<std::string>;
  { options.min_confidence } -> std::convertible_to<double>;
});

}  // namespace triptych::skin_tracker
