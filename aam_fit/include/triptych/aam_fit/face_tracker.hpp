// FaceTracker: tracks one face through a video, each frame from the shape in the frame before it. Move-only;
// one thread at a time.
#pragma once

#include <triptych/aam_fit/fitter.hpp>

#include <memory>
#include <optional>
#include <string>

namespace triptych::aam_fit {

struct FaceTrackerOptions {
  FitterOptions fitter = {};
  // Fit::error above which the face is lost, whatever the confidence. 0: it is lost below
  // FitterOptions::min_confidence, or when the error exceeds those of the frames before by far.
  double lost_error = 0;
  std::optional<Box> box = {};  // start here at first, and again whenever the face was lost
};

enum class TrackStatus {
  tracked,    // from the shape in the frame before
  restarted,  // from a box
  lost,       // a fit was made, but what it found is not the face
  no_start    // no fit was made: there is neither a shape nor a box to start from
};
std::string to_string(TrackStatus status);

struct TrackedFace {
  Fit fit;  // without landmarks when there was no start
  TrackStatus status = TrackStatus::no_start;
  double score = 0;       // of the fit
  double confidence = 0;  // of the fit
  double latency_us = 0;

  bool found() const { return status == TrackStatus::tracked || status == TrackStatus::restarted; }
};
// As reason(Fit).
std::string reason(const TrackedFace& face);

class FaceTracker {
 public:
  using Model = aam_fit::Model;
  using Options = FaceTrackerOptions;
  using Input = ImageView<const Grey8>;
  using Result = TrackedFace;

  explicit FaceTracker(const Model& model, const FaceTrackerOptions& options = {},
                       const Device& device = Device::best());
  FaceTracker(FaceTracker&&) noexcept;
  FaceTracker& operator=(FaceTracker&&) noexcept;
  ~FaceTracker();

  // box: start from here, not from the last shape. InvalidArgument when it lies outside the frame, or the
  // frame is empty or too large.
  TrackedFace step(ImageView<const Grey8> frame, const std::optional<Box>& box = {});
  // A frame in device memory, as of Fitter::step(). InvalidArgument on the CPU.
  TrackedFace step(DeviceImageView<const Grey8> frame, const std::optional<Box>& box = {});

  // The same in two halves. A frame needs the result of the frame before it: submit() does the work, next()
  // only returns it. The frame may change when submit() returns.
  void submit(ImageView<const Grey8> frame, const std::optional<Box>& box = {});
  void submit(DeviceImageView<const Grey8> frame, const std::optional<Box>& box = {});
  TrackedFace next();
  int in_flight() const;

  // As Fitter::wait().
  void wait(const Event& event);

  // Forgets the face and what was learnt of its errors; drops what is in flight.
  void reset();

  const Device& device() const;
  Latency latency() const;
  std::string describe() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triptych::aam_fit
