// Tracker: follows one head through colour frames on the CPU, a GPU, or both.
#pragma once

#include <triptych/core/box.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/frame_processor.hpp>
#include <triptych/core/latency.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/calibrate.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>
#include <triptych/skin_tracker/one_euro.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace triptych::skin_tracker {

struct TrackerOptions {
  int max_width = 1920, max_height = 1080;  // of the frames, in pixels; at most 8192 x 4352

  // Gating: only a window around the last position counts, so that hands, other faces and walls of skin
  // colour are not followed. The whole frame is searched when the head is lost.
  bool gate = false;
  std::optional<PixelBox> start;  // the head's box in the first frame; without it the whole frame is searched
  // The classifier that moves the window, such as Calibration::colours; without it the model. Position and
  // area inside the window always come from the model.
  std::optional<Classifier> gate_by;

  bool smooth = false;  // position and distance, by a One-Euro filter
  OneEuroOptions smoothing;

  // Distance = reference_distance_m * sqrt(reference_area / area), in metres. The area is a share of the
  // frame, above 0 and at most 1, the distance above 0 and at most 1e6 m.
  double reference_area = 0.05;
  double reference_distance_m = 0.6;

  double lost_below_area = 1e-4;  // less skin than this share of the frame is no head
  // A head of less confidence, 0 .. 1, counts as lost. 0: whatever has the colour of skin is found.
  double min_confidence = 0.5;
};

enum class HeadStatus {
  found,
  lost_no_skin,    // no pixel has weight
  lost_too_small,  // less skin than lost_below_area
  lost_by_gate,    // no window stands out as the head did
  // Below min_confidence:
  lost_too_large,    // the skin's ellipse is larger than the frame
  lost_not_compact,  // the skin is scattered over the frame
  lost_unsure        // what was found does not look enough like a head, or like the one at the start
};
std::string to_string(HeadStatus status);

// Where a head was measured.
enum class HeadSource {
  whole_frame,  // without a gate
  search,       // in a window of the gate, which has searched the frame without a start box
  start         // in a window of the gate, which began at a start box
};

// What the confidence is computed from, as measured in the frame. The same bits on every device.
struct HeadEvidence {
  HeadSource source = HeadSource::whole_frame;
  double compactness = 0;  // score_of(raw)
  double extent = 0;       // of the ellipse over that of the frame: the larger of width and height
  double roundness = 0;    // minor axis over major axis
  // Of the gate's window; 0 without one. Correlations are those of 8 x 8 cells, -1 .. 1.
  double oval = 0;       // correlation of the weights with an oval of skin
  double likeness = 0;   // correlation of the weights with those at the start, or lately
  double sharpness = 0;  // peak-to-sidelobe ratio of a correlation filter that has learnt the head's looks
  bool own_colours = false;  // the window goes by gate_by, the colours of this head
  // Without a start box: log odds of a face, by a classifier of brightness gradients. A face counts as long
  // as its skin is followed. None where there was no frame to look at, and without a gate where
  // min_confidence is 0.
  std::optional<double> face = {};

  friend bool operator==(const HeadEvidence&, const HeadEvidence&) = default;
};

struct TrackedHead {
  HeadStatus status = HeadStatus::lost_no_skin;
  double score = 0;           // score_of(raw), 0 .. 1; 0 when lost
  double confidence = 0;      // the probability that the middle is within half a head of the true one
  double latency_us = 0;      // from step() or submit() to the result
  double x_px = 0, y_px = 0;  // smoothed on request; when lost: the last position
  double area = 0;            // share of the frame
  double distance_m = 0;      // when lost: the last one
  Head raw{};             // as measured in this frame (in the window, when gated; none when lost by the gate)
  PixelBox window;        // the pixels that were measured
  HeadEvidence evidence;  // from which the confidence follows
  std::int64_t frame = 0;  // 0, 1, ... since the tracker was made or reset

  bool found() const { return status == HeadStatus::found; }
};

// One sentence for a person: why the head was not found, and what to do. Empty when it was found.
std::string reason(const TrackedHead& head);

// The probability that a head is right, 0 .. 1; 0 for evidence that is not a number.
double confidence_of(const HeadEvidence& evidence);

// What a Tracker without gate and smoothing makes of the head of a whole frame, such as that of locate_cpu()
// or of a batch. InvalidArgument when the frame is empty.
TrackedHead tracked_head(const Head& head, int width, int height, const TrackerOptions& options = {});

// Format and size come from the frames. The first frame, and each one of another format or size, allocates
// buffers; every other frame allocates nothing.
class Tracker {
 public:
  using Model = Classifier;
  using Options = TrackerOptions;
  using Input = Frame;
  using Result = TrackedHead;

  // Devices: cpu, cuda, joint (the GPU processes the upper rows, the CPU the rest; the shares are learnt, see
  // load_balancer.hpp). InvalidArgument for other devices and for options out of range.
  explicit Tracker(const Classifier& classifier, const TrackerOptions& options = {},
                   const Device& device = Device::best());
  // Calibrates on the face in the first frame and follows it: sets gate, start, gate_by and reference_area as
  // options_for_face(). CalibrationError when the face cannot be separated from its surroundings.
  static Tracker from_box(const Frame& first_frame, const Box& face, const TrackerOptions& options = {},
                          const Device& device = Device::best());
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;
  ~Tracker();

  // One frame, waits for its result. seconds: since the last frame, for the smoothing. InvalidArgument when
  // the frame is empty or larger than max_width x max_height, or frames are in flight.
  TrackedHead step(const Frame& frame, double seconds = 1.0 / 30);
  // A frame whose pixels are on the GPU. The tracker has its own streams, which wait for other ones by wait()
  // alone. InvalidArgument on the CPU.
  TrackedHead step(const DeviceFrame& frame, double seconds = 1.0 / 30);

  // The same in two halves: submit() starts a frame, next() returns the heads in the order of the frames. On
  // a GPU the copy of a frame overlaps with the kernel of the one before; on cpu and joint the work is done
  // in submit(). A frame in pinned or device memory must not change until next() has returned its head; any
  // other may change when submit() returns. InvalidArgument from submit() when max_in_flight frames are in
  // flight or the format or size changes while any is, and from next() when none is.
  // Without a gate and with a min_confidence above 0, submit() waits while no face is seen, to look at it.
  void submit(const Frame& frame, double seconds = 1.0 / 30);
  void submit(const DeviceFrame& frame, double seconds = 1.0 / 30);
  TrackedHead next();
  int in_flight() const;

  // Frames in device memory of later calls are read after event, so that another stream may still be writing
  // them. On cuda the tracker's streams wait and the call returns; on cpu and joint the call waits. The event
  // may be destroyed or recorded again afterwards. Frames in host memory are read at once all the same.
  void wait(const Event& event);

  // As newly made, buffers aside: drops frames in flight; the next frame is the first one.
  void reset();
  const Device& device() const;
  Latency latency() const;
  // One line: classifier, sizes, gating, device.
  std::string describe() const;
  // Rows of the last frame that the GPU computed.
  int gpu_rows() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Options that follow the face on which calibrate() was called: gate, start, gate_by and reference_area.
// InvalidArgument when the face is not inside a frame of that size.
TrackerOptions options_for_face(const Calibration& calibration, const Box& face, int frame_width,
                                int frame_height, TrackerOptions options = {});

}  // namespace triptych::skin_tracker
