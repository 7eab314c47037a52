// FaceTracker: each frame starts from the last shape; what is found is believed when it looks like the model,
// like a face's shape, and like the frames before.
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fitter/fitter_engine.hpp"

namespace triptych::aam_fit {

namespace {

// Errors are judged against those of so many believed frames, once there are a few.
constexpr std::size_t max_remembered = 31, min_remembered = 5;
constexpr double times_the_usual = 2;
// A face that correlates less than this with the mean texture is none, whatever was learnt; one that
// correlates more than that is one.
constexpr double min_correlation = 0.4, sure_correlation = 0.8;
// Root mean square of the parameters in their standard deviations.
constexpr double max_deviation = 4;
constexpr double min_face_px = 8;

// |r|^2 a sample of a texture that correlates so with the mean, in the level's way of normalising. floored:
// below one half, alpha is the floor.
double error_at(const Level& level, double correlation) {
  double g0g0 = 0;
  for (const float g : level.g0) g0g0 += double{g} * double{g};
  double error = 1 / (correlation * correlation) - 1;
  if (level.normalisation == Normalisation::length) error = 2 * (1 - correlation);
  if (level.normalisation == Normalisation::floored && correlation < 0.5) error = 5 - 4 * correlation;
  return error * g0g0 / static_cast<double>(level.samples());
}

}  // namespace

class FaceTracker::Impl {
 public:
  Impl(const Model& model, const FitterOptions& options, const TrackOptions& track, const Device& device)
      : fitter_(model, options, device),
        track_(track),
        ceiling_(error_at(model.levels.back(), min_correlation)),
        sure_(error_at(model.levels.back(), sure_correlation)) {
    require(track.lost_error >= 0, "the error at which a face is lost is not negative: ", track.lost_error);
  }

  Tracked track(ImageView<const Grey8> frame, const std::optional<Box>& box) {
    if (box) return from_box(frame, *box);
    if (!last_.empty()) {
      Tracked tracked = from(frame, last_);
      if (tracked.found || !track_.box) return tracked;
    }
    if (track_.box) return from_box(frame, *track_.box);
    return {};
  }

  void reset() {
    last_.clear();
    remembered_ = 0;
  }

 private:
  Tracked from_box(ImageView<const Grey8> frame, const Box& box) {
    Tracked tracked = from(frame, start_in_box(fitter_.model(), box, static_cast<int>(frame.width()),
                                               static_cast<int>(frame.height())));
    tracked.restarted = true;
    return tracked;
  }

  Tracked from(ImageView<const Grey8> frame, const Shape& start) {
    Tracked tracked;
    tracked.fit = fitter_.fit({frame, start});
    tracked.found = believed(frame, tracked.fit);
    if (tracked.found) {
      last_ = tracked.fit.landmarks;
      errors_[remembered_++ % max_remembered] = tracked.fit.error;
    } else {
      last_.clear();
    }
    return tracked;
  }

  bool believed(ImageView<const Grey8> frame, const Fit& fit) const {
    if (is_lost(fit.status) || !(fit.error <= bound())) return false;
    const Level& level = fitter_.model().levels.back();
    double squares = 0;
    int counted = 0;
    for (int k = 0; k < level.modes; ++k) {
      if (!(level.sigma[k] > 0)) continue;
      const double deviation = double{fit.parameters[static_cast<std::size_t>(k)]} / double{level.sigma[k]};
      squares += deviation * deviation;
      ++counted;
    }
    if (!(squares <= max_deviation * max_deviation * counted)) return false;
    if (!(face_size(fit.landmarks) >= min_face_px)) return false;
    const auto inside = std::count_if(fit.landmarks.begin(), fit.landmarks.end(), [&](Point p) {
      return p.x >= 0 && p.y >= 0 && p.x < static_cast<double>(frame.width()) &&
             p.y < static_cast<double>(frame.height());
    });
    return 2 * inside >= static_cast<std::ptrdiff_t>(fit.landmarks.size());
  }

  double bound() const {
    if (track_.lost_error > 0) return track_.lost_error;
    const std::size_t count = std::min(remembered_, max_remembered);
    if (count < min_remembered) return ceiling_;
    std::array<double, max_remembered> sorted = errors_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
    return std::clamp(times_the_usual * *middle, sure_, ceiling_);
  }

  Fitter fitter_;
  TrackOptions track_;
  double ceiling_, sure_;
  Shape last_;
  std::array<double, max_remembered> errors_{};
  std::size_t remembered_ = 0;
};

FaceTracker::FaceTracker(const Model& model, const FitterOptions& options, const TrackOptions& track,
                         const Device& device)
    : impl_(std::make_unique<Impl>(model, options, track, device)) {}
FaceTracker::FaceTracker(FaceTracker&&) noexcept = default;
FaceTracker& FaceTracker::operator=(FaceTracker&&) noexcept = default;
FaceTracker::~FaceTracker() = default;

FaceTracker::Tracked FaceTracker::track(ImageView<const Grey8> frame, const std::optional<Box>& box) {
  return impl_->track(frame, box);
}
void FaceTracker::reset() { impl_->reset(); }

}  // namespace triptych::aam_fit
