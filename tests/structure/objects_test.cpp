// The three objects have one shape: that this compiles is the test.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/frame_processor.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <type_traits>

namespace triptych {

static_assert(FrameProcessor<skin_tracker::Tracker>);
static_assert(FrameProcessor<capsule_likelihood::ParticleFilter>);
static_assert(FrameProcessor<aam_fit::Fitter>);

// What an object returns can be kept, and made before there is one.
template <FrameProcessor P>
constexpr bool has_value_result =
    std::is_default_constructible_v<typename P::Result>&& std::copyable<typename P::Result>;
static_assert(has_value_result<skin_tracker::Tracker>);
static_assert(has_value_result<capsule_likelihood::ParticleFilter>);
static_assert(has_value_result<aam_fit::Fitter>);

// The concept tells: a tracker whose device cannot be asked for has another shape.
struct WithoutDevice : skin_tracker::Tracker {
  using Tracker::Tracker;
  void device() const = delete;
};
static_assert(!FrameProcessor<WithoutDevice>);

}  // namespace triptych
