// FaceTracker: each frame starts from the last shape. A fit counts as the face when it was found and its
// error is near those of the frames before.
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "fitter/confidence.hpp"

namespace triptych::aam_fit {

namespace {

// A fit's error is compared with the median error of the last max_remembered found frames, once there are
// min_remembered of them.
constexpr std::size_t max_remembered = 31, min_remembered = 5;
constexpr double max_times_median = 2;
// Whatever the median error: a texture that correlates with the mean texture by more than this is the face.
constexpr double sure_correlation = 0.8;
constexpr double min_face_px = 8;

// |r|^2 per sample of a texture with that correlation to the mean.
double error_at(const Level& level, double correlation) {
  double g0_squared = 0;
  for (const float g : level.g0) g0_squared += double{g} * double{g};
  return squared_error_at(level, g0_squared, correlation) / static_cast<double>(level.samples());
}

// With an error that decides, the confidence does not.
FitterOptions fitter_options(const FaceTrackerOptions& options) {
  FitterOptions fitter = options.fitter;
  if (options.lost_error > 0) fitter.min_confidence = 0;
  return fitter;
}

}  // namespace

std::string to_string(TrackStatus status) {
  constexpr std::array<std::string_view, 4> names = {"tracked", "restarted", "lost", "no_start"};
  const auto i = static_cast<std::size_t>(status);
  require(i < names.size(), "there is no track status number ", i);
  return std::string(names[i]);
}

class FaceTracker::Impl {
 public:
  Impl(const Model& model, const FaceTrackerOptions& options, const Device& device)
      : fitter_(model, fitter_options(options), device),
        options_(options),
        sure_error_(error_at(model.levels.back(), sure_correlation)) {
    require(options.lost_error >= 0,
            "the error at which a face is lost is not negative: ", options.lost_error);
  }

  template <class View>
  TrackedFace step(View frame, const std::optional<Box>& box) {
    const Stopwatch watch;
    require((std::is_same_v<View, ImageView<const Grey8>>) || device().is_cuda(),
            "this tracker runs on the CPU and cannot read device memory: construct it with Device::cuda()");
    TrackedFace tracked = track(frame, box);
    tracked.score = tracked.fit.score;
    tracked.confidence = tracked.fit.confidence;
    tracked.latency_us = watch.elapsed_us();
    latencies_.add(tracked.latency_us);
    return tracked;
  }

  template <class View>
  void submit(View frame, const std::optional<Box>& box) {
    require(in_flight() < max_in_flight, "no more than ", max_in_flight,
            " frames can be in flight: call next() first");
    done_.push_back(step(frame, box));
  }

  TrackedFace next() {
    require(!done_.empty(), "next() without a submitted frame");
    TrackedFace tracked = std::move(done_.front());
    done_.pop_front();
    return tracked;
  }

  int in_flight() const { return static_cast<int>(done_.size()); }
  void wait(const Event& event) { fitter_.wait(event); }

  void reset() {
    fitter_.reset();
    last_.clear();
    remembered_ = 0;
    done_.clear();
    latencies_ = {};
  }

  const Device& device() const { return fitter_.device(); }
  Latency latency() const { return latencies_.latency(); }
  std::string describe() const { return fitter_.describe(); }

 private:
  static Face face_in(ImageView<const Grey8> frame, const Shape& start, bool alone) {
    return {frame, start, alone};
  }
  static DeviceFace face_in(DeviceImageView<const Grey8> frame, const Shape& start, bool alone) {
    return {frame, start, alone};
  }

  template <class View>
  TrackedFace track(View frame, const std::optional<Box>& box) {
    if (box) return from_box(frame, *box);
    if (last_.empty()) return options_.box ? from_box(frame, *options_.box) : TrackedFace{};
    Shape before = last_;
    TrackedFace tracked = from(frame, last_, TrackStatus::tracked);
    if (tracked.found() || !options_.box) return tracked;
    try {
      return from_box(frame, *options_.box);
    } catch (...) {  // as before the call
      last_ = std::move(before);
      throw;
    }
  }

  template <class View>
  TrackedFace from_box(View frame, const Box& box) {
    return from(frame, start_in_box(fitter_.model(), box, frame.width(), frame.height()),
                TrackStatus::restarted);
  }

  template <class View>
  TrackedFace from(View frame, const Shape& start, TrackStatus when_found) {
    TrackedFace tracked;
    // The last landmarks are a good start; those of a box may not be.
    tracked.fit = fitter_.step(face_in(frame, start, when_found == TrackStatus::tracked));
    if (is_face(frame.width(), frame.height(), tracked.fit)) {
      tracked.status = when_found;
      last_ = tracked.fit.landmarks;
      errors_[remembered_++ % max_remembered] = tracked.fit.error;
    } else {
      tracked.status = TrackStatus::lost;
      last_.clear();
    }
    return tracked;
  }

  bool is_face(std::int64_t width, std::int64_t height, const Fit& fit) const {
    if (!fit.found() || !(fit.error <= max_error())) return false;
    if (!(face_size(fit.landmarks) >= min_face_px)) return false;
    const auto inside = std::count_if(fit.landmarks.begin(), fit.landmarks.end(), [&](Point p) {
      return p.x >= 0 && p.y >= 0 && p.x < static_cast<double>(width) && p.y < static_cast<double>(height);
    });
    return 2 * inside >= static_cast<std::ptrdiff_t>(fit.landmarks.size());
  }

  double max_error() const {
    if (options_.lost_error > 0) return options_.lost_error;
    const std::size_t count = std::min(remembered_, max_remembered);
    if (count < min_remembered) return std::numeric_limits<double>::max();
    std::array<double, max_remembered> sorted = errors_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
    return std::max(max_times_median * *middle, sure_error_);
  }

  Fitter fitter_;
  FaceTrackerOptions options_;
  double sure_error_;  // at sure_correlation
  Shape last_;
  std::array<double, max_remembered> errors_{};
  std::size_t remembered_ = 0;
  std::deque<TrackedFace> done_;
  LatencyHistogram latencies_;
};

FaceTracker::FaceTracker(const Model& model, const FaceTrackerOptions& options, const Device& device)
    : impl_(std::make_unique<Impl>(model, options, device)) {}
FaceTracker::FaceTracker(FaceTracker&&) noexcept = default;
FaceTracker& FaceTracker::operator=(FaceTracker&&) noexcept = default;
FaceTracker::~FaceTracker() = default;

TrackedFace FaceTracker::step(ImageView<const Grey8> frame, const std::optional<Box>& box) {
  return impl_->step(frame, box);
}
void FaceTracker::submit(ImageView<const Grey8> frame, const std::optional<Box>& box) {
  impl_->submit(frame, box);
}
TrackedFace FaceTracker::step(DeviceImageView<const Grey8> frame, const std::optional<Box>& box) {
  return impl_->step(frame, box);
}
void FaceTracker::submit(DeviceImageView<const Grey8> frame, const std::optional<Box>& box) {
  impl_->submit(frame, box);
}
TrackedFace FaceTracker::next() { return impl_->next(); }
int FaceTracker::in_flight() const { return impl_->in_flight(); }
void FaceTracker::wait(const Event& event) { impl_->wait(event); }
void FaceTracker::reset() { impl_->reset(); }
const Device& FaceTracker::device() const { return impl_->device(); }
Latency FaceTracker::latency() const { return impl_->latency(); }
std::string FaceTracker::describe() const { return impl_->describe(); }

}  // namespace triptych::aam_fit
