#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <cmath>
#include <memory>
#include <optional>

#include "engine/summer.hpp"
#include "gate/gate.hpp"
#include "gate/sampler.hpp"
#include "tracker/latency.hpp"

namespace triptych::skin_tracker {

namespace {

// The measured window against the gate's box: a head that has grown or moved a little is still inside.
constexpr double window_scale = 1.15;

Region region_of(const Box& box, int width, int height) {
  const int left = static_cast<int>(std::floor(box.x - box.width / 2));
  const int top = static_cast<int>(std::floor(box.y - box.height / 2));
  const int right = static_cast<int>(std::ceil(box.x + box.width / 2));
  const int bottom = static_cast<int>(std::ceil(box.y + box.height / 2));
  return clip({left, top, right - left, bottom - top}, width, height);
}

void check(const TrackerOptions& options, FrameFormat format, int width, int height) {
  require(width > 0 && height > 0 && width <= max_width && height <= max_height,
          "a tracker needs frames of 1 x 1 to ", max_width, " x ", max_height, " pixels, not ", width, " x ",
          height);
  require((format != FrameFormat::nv12 && format != FrameFormat::yuyv) || width % 2 == 0, "frames of format ",
          to_string(format), " cannot be ", width, " pixels wide, an odd number");
  require(format != FrameFormat::nv12 || height % 2 == 0, "frames of format nv12 cannot be ", height,
          " pixels high, an odd number");
  require(options.threads >= 0, "a tracker cannot run on ", options.threads, " threads");
  require(options.ready_us >= 0 && options.ready_us <= 1e6, "a GPU cannot stay at the ready for ",
          options.ready_us, " us; give 0 to a million");
  require(std::isfinite(options.reference_area) && options.reference_area > 0,
          "the reference area of distances must be above 0, not ", options.reference_area);
  require(std::isfinite(options.reference_distance_m) && options.reference_distance_m > 0,
          "the reference distance must be above 0 m, not ", options.reference_distance_m);
  require(options.lost_below_area >= 0 && options.lost_below_area < 1,
          "the area below which a head is lost must be a share of the frame, 0 .. 1, not ",
          options.lost_below_area);
  if (!options.start) return;
  const Region& start = *options.start;
  require(start.width > 0 && start.height > 0 && clip(start, width, height).width > 0,
          "the head cannot start in a box of ", start.width, " x ", start.height, " at (", start.x, ", ",
          start.y, ") of a frame of ", width, " x ", height);
}

std::unique_ptr<Summer> make_summer(const SharedWeights& weights, FrameFormat format, int width, int height,
                                    const TrackerOptions& options) {
  switch (options.on) {
    case TrackOn::cuda:
      return make_cuda_summer(weights, format, width, height, options.threads);
    case TrackOn::joint:
      return make_joint_summer(weights, format, width, height, options.threads, options.ready_us);
    case TrackOn::cpu:
      break;
  }
  return make_cpu_summer(weights, options.threads);
}

}  // namespace

static_assert(Tracker::max_in_flight == triptych::skin_tracker::max_in_flight);

class Tracker::Impl {
 public:
  Impl(const Classifier& classifier, FrameFormat format, int width, int height, const TrackerOptions& options)
      : options_(options),
        format_(format),
        width_(width),
        height_(height),
        gate_(width, height, options.start),
        smooth_x_(options.smoothing),
        smooth_y_(options.smoothing),
        smooth_distance_(options.smoothing) {
    check(options, format, width, height);
    std::optional<Device> gpu;
    if (options.on != TrackOn::cpu) gpu = Device::cuda(options.ordinal);
    const auto weights = std::make_shared<const PixelWeights>(classifier, format, options.threads, gpu);
    summer_ = make_summer(weights, format, width, height, options);
    if (options.gate)
      sampler_ = options.gate_by ? make_sampler(*options.gate_by, format, options.threads, gpu)
                                 : std::make_unique<Sampler>(weights);
    last_.x_px = 0.5 * (width - 1);
    last_.y_px = 0.5 * (height - 1);
    last_.distance_m = options.reference_distance_m;
  }

  template <class F>
  void submit(const F& frame, double seconds) {
    const Stopwatch since_call;
    require(in_flight_.count() < max_in_flight, "there are ", in_flight_.count(),
            " frames in flight already: ask for the next head first");
    require(frame.width() == width_ && frame.height() == height_ && frame.format() == format_,
            "a tracker of ", width_, " x ", height_, " ", to_string(format_), " frames cannot take one of ",
            frame.width(), " x ", frame.height(), " ", to_string(frame.format()));
    require(!options_.smooth || (std::isfinite(seconds) && seconds > 0),
            "smoothing needs the seconds since the last frame, above 0, not ", seconds);
    const bool seen = !options_.gate || find(frame);
    const Region window = options_.gate && seen
                              ? region_of(gate_.head().scaled(window_scale), width_, height_)
                              : Region{0, 0, width_, height_};
    summer_->begin(frame, window);
    in_flight_.push() = {frames_++, seen, window, seconds, since_call};
  }

  TrackedHead next() {
    require(in_flight_.count() > 0, "no frame is in flight: submit one first");
    const Submitted of = in_flight_.front();
    in_flight_.pop_front();
    TrackedHead head = last_;
    head.frame = of.frame;
    head.window = of.window;
    head.raw = head_of(summer_->finish(), width_, height_);
    head.area = head.raw.area;
    head.found = of.seen && head.raw.found && head.raw.area >= options_.lost_below_area;
    if (head.found) {
      place(head, of.seconds);
    } else {
      forget_smoothing();
    }
    last_ = head;
    head.latency_us = of.since_call.elapsed_us();
    latency_.add(head.latency_us);
    return head;
  }

  template <class F>
  TrackedHead track(const F& frame, double seconds) {
    require(in_flight_.count() == 0, "frames are in flight: ask for their heads before another is tracked");
    submit(frame, seconds);
    return next();
  }

  int in_flight() const { return in_flight_.count(); }

  void reset() {
    gate_.reset();
    forget_smoothing();
  }
  LatencyStatistics latency() const { return latency_.statistics(); }
  int gpu_rows() const { return summer_->gpu_rows(); }

 private:
  // Moves the gate to the head; false when it is lost.
  template <class F>
  bool find(const F& frame) {
    if (gate_.following()) {
      look(frame, gate_.near());
      if (gate_.follow(map_)) return true;
    }
    look(frame, gate_.whole());
    return gate_.acquire(map_);
  }

  template <class F>
  void look(const F& frame, const Box& part) {
    map_.place(part, gate_.head_px(), width_, height_);
    sampler_->sample(frame, map_.region(), map_.step(), map_.samples());
    map_.sum_up();
  }

  void place(TrackedHead& head, double seconds) {
    head.x_px = head.raw.x_px;
    head.y_px = head.raw.y_px;
    head.distance_m = options_.reference_distance_m * std::sqrt(options_.reference_area / head.area);
    if (!options_.smooth) return;
    head.x_px = smooth_x_.filter(head.x_px, seconds);
    head.y_px = smooth_y_.filter(head.y_px, seconds);
    head.distance_m = smooth_distance_.filter(head.distance_m, seconds);
  }

  void forget_smoothing() {
    smooth_x_.reset();
    smooth_y_.reset();
    smooth_distance_.reset();
  }

  // A frame whose head was not asked for yet.
  struct Submitted {
    std::int64_t frame = 0;
    bool seen = false;
    Region window;
    double seconds = 0;
    Stopwatch since_call;
  };

  TrackerOptions options_;
  FrameFormat format_;
  int width_, height_;
  Gate gate_;
  WeightMap map_;
  OneEuro smooth_x_, smooth_y_, smooth_distance_;
  std::unique_ptr<Summer> summer_;
  std::unique_ptr<Sampler> sampler_;  // with a gate
  std::int64_t frames_ = 0;
  InFlight<Submitted> in_flight_;
  TrackedHead last_;
  LatencyHistogram latency_;
};

Tracker::Tracker(const Classifier& classifier, FrameFormat format, int width, int height,
                 const TrackerOptions& options)
    : impl_(std::make_unique<Impl>(classifier, format, width, height, options)) {}
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;
Tracker::~Tracker() = default;

TrackedHead Tracker::track(const Frame& frame, double seconds) { return impl_->track(frame, seconds); }
TrackedHead Tracker::track(const DeviceFrame& frame, double seconds) { return impl_->track(frame, seconds); }
void Tracker::submit(const Frame& frame, double seconds) { impl_->submit(frame, seconds); }
void Tracker::submit(const DeviceFrame& frame, double seconds) { impl_->submit(frame, seconds); }
TrackedHead Tracker::next() { return impl_->next(); }
int Tracker::in_flight() const { return impl_->in_flight(); }
void Tracker::reset() { impl_->reset(); }
LatencyStatistics Tracker::latency() const { return impl_->latency(); }
int Tracker::gpu_rows() const { return impl_->gpu_rows(); }

}  // namespace triptych::skin_tracker
