#include <triptych/core/clock.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/moment_engine.hpp"
#include "gate/gate.hpp"
#include "gate/sampler.hpp"
#include "tracker/check_options.hpp"

namespace triptych::skin_tracker {

namespace {

// The measured window relative to the gate's box: includes a head that has grown or moved a little.
constexpr double window_scale = 1.15;

// The pixels of a frame of that size that a box given by its edges touches.
PixelBox enclosing_pixels(double left, double top, double right, double bottom, int width, int height) {
  const int x = static_cast<int>(std::floor(left)), y = static_cast<int>(std::floor(top));
  return clip({x, y, static_cast<int>(std::ceil(right)) - x, static_cast<int>(std::ceil(bottom)) - y}, width,
              height);
}

std::unique_ptr<MomentEngine> make_engine(const SharedWeights& weights, FrameFormat format, int width,
                                          int height, const Device& device) {
  switch (device.kind()) {
    case DeviceKind::cuda:
      return make_cuda_engine(weights, format, width, height, device.threads());
    case DeviceKind::joint:
      return make_joint_engine(weights, format, width, height, device.threads());
    default:
      return make_cpu_engine(weights, device.threads());
  }
}

}  // namespace

class Tracker::Impl {
 public:
  Impl(const Classifier& classifier, const TrackerOptions& options, const Device& device)
      : classifier_(classifier),
        options_(options),
        device_(device),
        gate_(options.max_width, options.max_height, {}),
        smooth_x_(options.smoothing),
        smooth_y_(options.smoothing),
        smooth_distance_(options.smoothing) {
    require_kind(device, std::array{DeviceKind::cpu, DeviceKind::cuda, DeviceKind::joint}, "a Tracker");
    check_options(options);
    const DeviceGuard guard(device_);
    // Errors of a classifier show here; formats of yuv get other weights at their first frame.
    weights_ = make_weights(classifier_, FrameFormat::rgb);
    if (options.gate) sampler_ = make_gate_sampler(weights_, FrameFormat::rgb);
  }

  template <class F>
  void submit(const F& frame, double seconds) {
    const Stopwatch since_call;
    require(in_flight_.count() < max_in_flight, "there are ", in_flight_.count(),
            " frames in flight already: call next() first");
    require((std::is_same_v<F, Frame>) || device_.is_cuda(),
            "a tracker on the CPU cannot take a frame that is on the GPU");
    require(!options_.smooth || (std::isfinite(seconds) && seconds > 0),
            "smoothing needs the seconds since the last frame, above 0, not ", seconds);
    const DeviceGuard guard(device_);
    prepare(frame.format(), frame.width(), frame.height());
    const Gate before = gate_;
    try {
      const bool gated_out = options_.gate && !move_gate(frame);
      const PixelBox window = options_.gate && !gated_out ? gate_window() : frame.whole();
      engine_->begin(frame, window);
      in_flight_.push() = {frames_++, gated_out, window, seconds, since_call};
    } catch (...) {
      gate_ = before;
      throw;
    }
  }

  TrackedHead next() {
    require(in_flight_.count() > 0, "no frame is in flight: submit one first");
    const Submitted submitted = in_flight_.front();
    in_flight_.pop_front();
    TrackedHead head = last_;
    head.frame = submitted.frame;
    head.window = submitted.window;
    head.raw = head_of(engine_->finish(), width_, height_);
    head.area = head.raw.area;
    head.status = status_of(head.raw, submitted.gated_out);
    head.score = head.found() ? score_of(head.raw) : 0;
    if (head.found()) {
      locate(head, submitted.seconds);
    } else {
      reset_smoothing();
    }
    last_ = head;
    head.latency_us = submitted.since_call.elapsed_us();
    latency_.add(head.latency_us);
    return head;
  }

  template <class F>
  TrackedHead step(const F& frame, double seconds) {
    require(in_flight_.count() == 0, "frames are in flight: call next() for each before step()");
    submit(frame, seconds);
    return next();
  }

  int in_flight() const { return in_flight_.count(); }

  void reset() {
    for (; in_flight_.count() > 0; in_flight_.pop_front()) engine_->finish();
    if (engine_) restart(options_.start);
    frames_ = 0;
    latency_ = {};
  }
  const Device& device() const { return device_; }
  Latency latency() const { return latency_.latency(); }
  int gpu_rows() const { return engine_ ? engine_->gpu_rows() : 0; }

  std::string describe() const {
    std::string line = "Tracker: " + std::string(name_of(classifier_)) + " classifier, ";
    line += engine_ ? "frames of " + std::to_string(width_) + " x " + std::to_string(height_) + " " +
                          to_string(format_)
                    : "frames of up to " + std::to_string(options_.max_width) + " x " +
                          std::to_string(options_.max_height);
    if (options_.gate)
      line +=
          ", gated by the " + std::string(name_of(options_.gate_by.value_or(classifier_))) + " classifier";
    if (options_.smooth) line += ", smoothed";
    return line + ", on " + device_.describe();
  }

 private:
  std::optional<Device> gpu() const { return device_.is_cuda() ? std::optional(device_) : std::nullopt; }

  SharedWeights make_weights(const Classifier& classifier, FrameFormat format) const {
    return std::make_shared<const PixelWeights>(classifier, format, device_.threads(), gpu());
  }
  std::unique_ptr<Sampler> make_gate_sampler(const SharedWeights& weights, FrameFormat format) const {
    return options_.gate_by ? make_sampler(*options_.gate_by, format, device_.threads(), gpu())
                            : std::make_unique<Sampler>(weights);
  }

  // Makes the engine for frames of that format and size, unless it exists already.
  void prepare(FrameFormat format, int width, int height) {
    if (engine_ && format == format_ && width == width_ && height == height_) return;
    check_frame(options_, width, height, !engine_);
    require(in_flight_.count() == 0, "a frame of ", width, " x ", height, " ", to_string(format),
            " cannot follow frames of ", width_, " x ", height_, " ", to_string(format_),
            " that are in flight: call next() for each first");
    const SharedWeights weights = weights_->fits(format) ? weights_ : make_weights(classifier_, format);
    std::unique_ptr<Sampler> sampler;
    if (options_.gate && !(options_.gate_by ? sampler_->fits(format) : weights == weights_))
      sampler = make_gate_sampler(weights, format);
    std::unique_ptr<MomentEngine> engine = make_engine(weights, format, width, height, device_);

    const bool first = !engine_, resized = width != width_ || height != height_;
    weights_ = weights;
    if (sampler) sampler_ = std::move(sampler);
    engine_ = std::move(engine);
    format_ = format;
    width_ = width;
    height_ = height;
    if (resized) restart(first ? options_.start : std::nullopt);
  }

  // Forgets the head; the next frame is searched at the start box, or as a whole.
  void restart(const std::optional<PixelBox>& start) {
    gate_ = Gate(width_, height_, start);
    reset_smoothing();
    last_ = {};
    last_.x_px = 0.5 * (width_ - 1);
    last_.y_px = 0.5 * (height_ - 1);
    last_.distance_m = options_.reference_distance_m;
  }

  // Moves the gate to the head; false when it is lost.
  template <class F>
  bool move_gate(const F& frame) {
    if (gate_.following()) {
      sample(frame, gate_.near());
      if (gate_.follow(map_)) return true;
    }
    sample(frame, gate_.whole());
    return gate_.acquire(map_);
  }

  template <class F>
  void sample(const F& frame, const CentredBox& part) {
    map_.place(part, gate_.head_px(), width_, height_);
    sampler_->sample(frame, map_.region(), map_.step(), map_.samples());
    map_.sum_up();
  }

  PixelBox gate_window() const {
    const CentredBox box = gate_.head().scaled(window_scale);
    return enclosing_pixels(box.x - box.width / 2, box.y - box.height / 2, box.x + box.width / 2,
                            box.y + box.height / 2, width_, height_);
  }

  HeadStatus status_of(const Head& raw, bool gated_out) const {
    if (!raw.found) return HeadStatus::lost_no_skin;
    if (gated_out) return HeadStatus::lost_by_gate;
    return raw.area < options_.lost_below_area ? HeadStatus::lost_too_small : HeadStatus::found;
  }

  void locate(TrackedHead& head, double seconds) {
    head.x_px = head.raw.x_px;
    head.y_px = head.raw.y_px;
    head.distance_m = options_.reference_distance_m * std::sqrt(options_.reference_area / head.area);
    if (!options_.smooth) return;
    head.x_px = smooth_x_.filter(head.x_px, seconds);
    head.y_px = smooth_y_.filter(head.y_px, seconds);
    head.distance_m = smooth_distance_.filter(head.distance_m, seconds);
  }

  void reset_smoothing() {
    smooth_x_.reset();
    smooth_y_.reset();
    smooth_distance_.reset();
  }

  // A frame whose head was not fetched yet.
  struct Submitted {
    std::int64_t frame = 0;
    bool gated_out = false;
    PixelBox window;
    double seconds = 0;
    Stopwatch since_call;
  };

  Classifier classifier_;
  TrackerOptions options_;
  Device device_;
  FrameFormat format_ = FrameFormat::rgb;
  int width_ = 0, height_ = 0;
  Gate gate_;
  WeightMap map_;
  OneEuro smooth_x_, smooth_y_, smooth_distance_;
  SharedWeights weights_;
  std::unique_ptr<MomentEngine> engine_;  // null before the first frame
  std::unique_ptr<Sampler> sampler_;      // with a gate
  std::int64_t frames_ = 0;
  InFlight<Submitted> in_flight_;
  TrackedHead last_;
  LatencyHistogram latency_;
};

Tracker::Tracker(const Classifier& classifier, const TrackerOptions& options, const Device& device)
    : impl_(std::make_unique<Impl>(classifier, options, device)) {}
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;
Tracker::~Tracker() = default;

Tracker Tracker::from_box(const Frame& first_frame, const Box& face, const TrackerOptions& options,
                          const Device& device) {
  const MarkedFrame marked{first_frame, face};
  const Calibration calibration = calibrate({&marked, 1}, device.threads());
  return Tracker(calibration.filter,
                 options_for_face(calibration, face, first_frame.width(), first_frame.height(), options),
                 device);
}

TrackedHead Tracker::step(const Frame& frame, double seconds) { return impl_->step(frame, seconds); }
TrackedHead Tracker::step(const DeviceFrame& frame, double seconds) { return impl_->step(frame, seconds); }
void Tracker::submit(const Frame& frame, double seconds) { impl_->submit(frame, seconds); }
void Tracker::submit(const DeviceFrame& frame, double seconds) { impl_->submit(frame, seconds); }
TrackedHead Tracker::next() { return impl_->next(); }
int Tracker::in_flight() const { return impl_->in_flight(); }
void Tracker::reset() { impl_->reset(); }
const Device& Tracker::device() const { return impl_->device(); }
Latency Tracker::latency() const { return impl_->latency(); }
std::string Tracker::describe() const { return impl_->describe(); }
int Tracker::gpu_rows() const { return impl_->gpu_rows(); }

TrackerOptions options_for_face(const Calibration& calibration, const Box& face, int frame_width,
                                int frame_height, TrackerOptions options) {
  options.gate = true;
  options.start =
      enclosing_pixels(face.x, face.y, face.x + face.width, face.y + face.height, frame_width, frame_height);
  options.gate_by = calibration.colours;
  options.reference_area = calibration.area;
  return options;
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
  }
  throw InvalidArgument("there is no head status number " + std::to_string(static_cast<int>(status)));
}

}  // namespace triptych::skin_tracker
