#include <triptych/core/clock.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/moment_engine.hpp"
#include "gate/gate_window.hpp"
#include "gate/sampler.hpp"
#include "tracker/check_options.hpp"
#include "tracker/confidence.hpp"
#include "tracker/face_check.hpp"
#include "tracker/head_position.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr LinearFilter brightness{0.299 / 255, 0.587 / 255, 0.114 / 255, 0};  // 0 .. 1, BT.601

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
      : classifier_(classifier), options_(options), device_(device), position_(options_) {
    require_kind(device, std::array{DeviceKind::cpu, DeviceKind::cuda, DeviceKind::joint}, "a Tracker");
    check_options(options);
    const DeviceGuard guard(device_);
    if (device_.kind() == DeviceKind::cuda) waited_.emplace();
    // Errors of a classifier show here; formats of yuv get other weights at their first frame.
    weights_ = make_weights(classifier_, FrameFormat::rgb);
    if (options.gate)
      gate_.emplace(make_sampler_of_gate(weights_, FrameFormat::rgb),
                    make_sampler(brightness, FrameFormat::rgb, device_.threads(), gpu()));
    else if (options.min_confidence > 0)
      face_check_.emplace(make_sampler(brightness, FrameFormat::rgb, device_.threads(), gpu()));
  }

  template <class F>
  void submit(const F& frame, double seconds) {
    const Stopwatch since_call;
    require(in_flight_.count() < max_in_flight, "there are ", in_flight_.count(),
            " frames in flight already: call next() first");
    require((std::is_same_v<F, Frame>) || device_.is_cuda(),
            "a tracker on the CPU cannot take a frame that is on the GPU");
    require(!options_.smooth || (seconds > 0 && seconds <= OneEuro::max_seconds),
            "smoothing needs the seconds since the last frame, above 0 and at most ", OneEuro::max_seconds,
            ", not ", seconds);
    const DeviceGuard guard(device_);
    prepare(frame.format(), frame.width(), frame.height());
    const std::optional<Gate> before = gate_ ? std::optional(gate_->gate()) : std::nullopt;
    try {
      const std::optional<PixelBox> moved = gate_ ? gate_->move(frame) : frame.whole();
      const bool look = wants_face();
      if (moved) engine_->begin(frame, *moved);
      Submitted submitted{frames_, {}, moved.value_or(frame.whole()), seconds, since_call, before, {},
                          {},      {}};
      if (look) check_face(frame, submitted);
      ++frames_;
      if (!moved) submitted.lost = gate_->has_weight() ? HeadStatus::lost_by_gate : HeadStatus::lost_no_skin;
      if (gate_ && moved) submitted.match = gate_->gate().match();
      in_flight_.push() = submitted;
    } catch (...) {
      if (gate_) gate_->set_gate(*before);
      throw;
    }
  }

  TrackedHead next() {
    require(in_flight_.count() > 0, "no frame is in flight: submit one first");
    const Submitted submitted = in_flight_.front();
    in_flight_.pop_front();
    const Head raw = head_of(finish(submitted), width_, height_);
    std::optional<double> face = submitted.face;
    if (face_check_ && !face) face = face_check_->next(raw, {});
    const HeadEvidence evidence =
        evidence_of(raw, width_, height_, submitted.match ? &*submitted.match : nullptr,
                    options_.gate_by.has_value(), face);
    TrackedHead head = position_.next(raw, evidence, submitted.lost, submitted.seconds);
    head.frame = submitted.frame;
    head.window = submitted.window;
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

  void wait(const Event& event) {
    if (!waited_) return event.synchronize();
    waited_->wait(event);
    if (gate_) gate_->wait(event);
    if (face_check_) face_check_->wait(event);
    if (engine_) engine_->wait(event);
  }

  void reset() {
    for (; in_flight_.count() > 0; in_flight_.pop_front()) {
      if (in_flight_.front().measuring()) engine_->finish();
    }
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
  std::unique_ptr<Sampler> make_sampler_of_gate(const SharedWeights& weights, FrameFormat format) const {
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
    if (waited_) waited_->synchronize();  // the new streams have not waited
    const SharedWeights weights = weights_->fits(format) ? weights_ : make_weights(classifier_, format);
    std::unique_ptr<Sampler> sampler, brightness_sampler;
    if (gate_ && !(options_.gate_by ? gate_->weights().fits(format) : weights == weights_))
      sampler = make_sampler_of_gate(weights, format);
    if (gate_ && !gate_->brightness().fits(format))
      brightness_sampler = make_sampler(brightness, format, device_.threads(), gpu());
    if (face_check_ && !face_check_->brightness().fits(format))
      brightness_sampler = make_sampler(brightness, format, device_.threads(), gpu());
    std::unique_ptr<MomentEngine> engine = make_engine(weights, format, width, height, device_);

    const bool first = !engine_, resized = width != width_ || height != height_;
    weights_ = weights;
    if (sampler) gate_->set_weights(std::move(sampler));
    if (brightness_sampler && gate_) gate_->set_brightness(std::move(brightness_sampler));
    if (brightness_sampler && face_check_) face_check_->set_brightness(std::move(brightness_sampler));
    engine_ = std::move(engine);
    format_ = format;
    width_ = width;
    height_ = height;
    if (resized) restart(first ? options_.start : std::nullopt);
  }

  // Forgets the head; the next frame is searched at the start box, or as a whole.
  void restart(const std::optional<PixelBox>& start) {
    if (gate_) gate_->restart(width_, height_, start);
    if (face_check_) face_check_->restart();
    position_.restart(width_, height_);
  }

  // A frame whose head was not fetched yet.
  struct Submitted {
    std::int64_t frame = 0;
    std::optional<HeadStatus> lost;  // by the gate: nothing is measured
    PixelBox window;
    double seconds = 0;
    Stopwatch since_call;
    std::optional<Gate> gate_before;
    std::optional<GateMatch> match;
    std::optional<Moments> moments;  // when they are known already
    std::optional<double> face;      // the same of what FaceCheck says
    bool measuring() const { return !lost && !moments; }
  };

  // Without a gate: whether the frame that comes is to be looked at. That follows from the frames before it,
  // so their moments are waited for.
  bool wants_face() {
    if (!face_check_ || !face_check_->wanted()) return false;
    for (int i = 0; i < in_flight_.count(); ++i) {
      Submitted& earlier = in_flight_.at(i);
      if (!earlier.measuring()) continue;
      earlier.moments = engine_->finish();
      earlier.face = face_check_->next(head_of(*earlier.moments, width_, height_), {});
    }
    return face_check_->wanted();
  }

  template <class F>
  void check_face(const F& frame, Submitted& submitted) {
    submitted.moments = engine_->finish();
    const Head head = head_of(*submitted.moments, width_, height_);
    submitted.face =
        face_check_->next(head, head.found ? std::optional(face_check_->score(frame, head)) : std::nullopt);
  }

  // The moments of the oldest frame, which is no longer in flight. After an exception the tracker is as
  // before its submit(), unless later frames are in flight.
  Moments finish(const Submitted& submitted) {
    if (submitted.lost) return {};
    if (submitted.moments) return *submitted.moments;
    try {
      return engine_->finish();
    } catch (...) {
      if (in_flight_.count() == 0) {
        frames_ = submitted.frame;
        if (gate_) gate_->set_gate(*submitted.gate_before);
      }
      throw;
    }
  }

  Classifier classifier_;
  TrackerOptions options_;
  Device device_;
  FrameFormat format_ = FrameFormat::rgb;
  int width_ = 0, height_ = 0;
  std::optional<GateWindow> gate_;       // none without gating
  std::optional<FaceCheck> face_check_;  // none with it, and where any confidence will do
  HeadPosition position_;
  SharedWeights weights_;
  std::optional<Stream> waited_;          // on cuda: waits for every event of wait(), and does nothing else
  std::unique_ptr<MomentEngine> engine_;  // null before the first frame
  std::int64_t frames_ = 0;
  InFlight<Submitted> in_flight_;
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
void Tracker::wait(const Event& event) { impl_->wait(event); }
void Tracker::reset() { impl_->reset(); }
const Device& Tracker::device() const { return impl_->device(); }
Latency Tracker::latency() const { return impl_->latency(); }
std::string Tracker::describe() const { return impl_->describe(); }
int Tracker::gpu_rows() const { return impl_->gpu_rows(); }

}  // namespace triptych::skin_tracker
