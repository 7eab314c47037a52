// ParticleFilter: follows a skeleton through clouds of points, one cloud per frame.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/estimate.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/rigid_transform.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/exchange.hpp>
#include <triptych/core/frame_processor.hpp>
#include <triptych/core/latency.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace triptych::capsule_likelihood {

// How the pose of the next frame is predicted.
enum class MotionModel { random_walk, constant_velocity };

// How the ranks of an exchange share a filter. samples: each weighs its share of the samples against the
// cloud of rank 0. cameras: each weighs all samples against its own clouds (of its own cameras, or a part of
// the points of one); the likelihoods are summed.
enum class FilterSplit { samples, cameras };

struct FilterOptions {
  SensorModel sensor = {};
  int samples = 0;  // 0: default_samples() of the device
  int layers = 5;   // of annealing per frame: each searches a smaller neighbourhood than the one before
  std::uint64_t seed = 1;
  MotionModel motion = MotionModel::constant_velocity;
  std::int64_t max_points = 65536;  // per cloud, at most max_rays
  double min_score = 0.2;           // an estimate with a lower score is FilterStatus::lost
  double min_confidence = 0.5;      // ... and one with a lower confidence FilterStatus::uncertain
  // step() and step_cameras() search again, as find() does, after so many frames in a row that were not
  // FilterStatus::tracking; not without points. submit() does not. 0: never. 30 is a second of most cameras.
  int search_after_frames = 0;

  // Gauss-Newton steps that take the estimate of each frame to a sample of up to 2048 points; the next frame
  // starts there. 0: none, the estimate is the mean of the samples. Without effect with several cameras, or
  // one whose frame is not the world's, or when one of the spreads below is 0.
  int fit_steps = 4;
  // After the fit, searches for a better pose of a limb that lies where the cloud has no points: 13 to 17 ms
  // of one core, in the frames that have such a limb, or one outside the image. Without effect when there is
  // no fit, or when less than about a sixth of the points are near the body: crop the cloud then.
  bool recover_limbs = true;
  // Before the 2nd, 4th, 8th, ... frame since the start, step() looks whether the body turned round
  // explains the new points clearly better, and starts again there if it does. This takes about 6 ms of one
  // core. submit() does not look. Without effect when there is no fit.
  bool recover_heading = true;

  // Standard deviations of the motion between two frames about the prediction. They shrink while the
  // predictions are good, down to min_spread of these. At most 1000 each.
  float position_spread_m = 0.03f;    // of the root
  float rotation_spread_rad = 0.06f;  // of the root, about each axis
  float limb_spread_m = 0.06f;        // of the far end of what a joint moves ...
  float max_angle_spread_rad = 0.2f;  // ... but at most this for an angle
  float min_spread = 0.4f;            // 1: the spreads do not shrink
  float start_spread = 1.0f;          // of the samples about the pose of start(), times the spreads

  float shrink = 0.7f;            // factor of the spreads from one layer to the next
  float effective_share = 0.05f;  // of the samples: tempering keeps this share effective; 0: no tempering
  // Neighbouring points are not independent. The likelihood is raised to a power that makes the loss of the
  // best sample count as at most this many nats, so that a few stray points do not move a limb that the
  // others do not show. 0: no limit. Without effect on a single layer.
  float max_loss_nats = 100;
  // Partitioned sampling: one layer of the trunk, whose motion the limbs compensate, two of each limb
  // separately, and so on. false: all dimensions at once. A single layer is the plain particle filter.
  bool partitioned = true;

  // Of MotionModel::constant_velocity: the weight of the last observed motion in the velocity, and the factor
  // of the velocity from frame to frame.
  float velocity_follow = 0.6f, velocity_damp = 0.85f;
  // Predicted angles go this share of the way back to those of start() or find() in each frame, so that a
  // limb which no point shows does not drift. 0: none.
  float mean_reversion = 0.05f;

  // camera_from_world of the cameras whose clouds this filter takes: poses are then in the world's frame,
  // clouds in those of their cameras. Empty: one camera, whose frame is the world's. Several: step_cameras().
  std::vector<RigidTransform> cameras = {};
  // The other ranks that follow the same body; null: none. See ParticleFilter.
  std::shared_ptr<Exchange> exchange = nullptr;
  FilterSplit split = FilterSplit::samples;
};

// 2000 on a GPU, 1000 on a CPU.
int default_samples(const Device& device);

// Devices: cpu, cuda, cuda_group; all give the same bits. On one GPU a frame is one CUDA graph; submit()
// enqueues it and returns. Then the host looks for limbs in empty space: in next(), or, when another frame is
// submitted before, on a thread of the driver between the two. On a CPU, and on several GPUs (which share the
// likelihoods; the CPU does the rest), submit() does the whole step and next() returns its result.
// Use an object from one thread at a time.
//
// With FilterOptions::exchange the constructor, start(), find() and every frame are collective: all ranks
// call them in the same order. Poses, samples and random numbers are the same on all ranks; one sum of 8
// bytes per sample crosses per layer. The results have the bits of one rank with the same clouds, whatever
// the number of ranks and their devices. A failure of one rank is an Error on all: ranks with other
// skeletons, options or versions in the constructor, other poses in start(), a bad cloud, a rank that is late
// (the time-out of the exchange). An empty cloud is no failure. After an Error during a frame the filter is
// as before on a CPU; on a GPU it must be started again.
class ParticleFilter {
 public:
  using Model = Skeleton;
  using Options = FilterOptions;
  using Input = CloudView;
  using Result = Estimate;

  // Copies the skeleton. InvalidArgument when it has no capsules, an option is out of range, or the device is
  // of another kind.
  explicit ParticleFilter(const Skeleton& skeleton, const FilterOptions& options = {},
                          const Device& device = Device::best());
  ParticleFilter(ParticleFilter&&) noexcept;
  ParticleFilter& operator=(ParticleFilter&&) noexcept;
  ~ParticleFilter();

  // The pose of the frame before the first: all samples are drawn about it. Drops what is in flight.
  // InvalidArgument when the pose has another size, is not finite, has no orientation, a root farther than
  // 1000 km or an angle beyond Skeleton::max_angle_rad.
  void start(std::span<const float> pose);
  // Searches for the first pose when none is known: poses at several headings, where the points are dense,
  // are fitted to a sample of the cloud on all cores, and so are others that differ in a limb or look the
  // other way. Of two poses that explain the cloud about equally well, the one that looks towards the camera
  // is preferred, where joints called toe say how the body looks: Evidence::way. Then the filter is started.
  // Takes some seconds of one core and the time of 13 frames. Drops what is in flight.
  // InvalidArgument when no point is finite and in front of the camera: the filter is then as before. After
  // any other exception it has to be started again.
  Estimate find(const CloudView& cloud);
  // A cloud in device memory, as of step(). The search needs it on the host, too: it is copied there once. A
  // sigma that is not above 0 is InvalidArgument.
  Estimate find(const DeviceCloudView& cloud);
  // The same in the clouds of FilterOptions::cameras, as step_cameras() has them: the body is upright in the
  // frame of the world. By annealing steps of the filter, which take the time of some 310 frames.
  Estimate find_cameras(std::span<const CloudView> clouds);

  // One frame, or a search: FilterOptions::search_after_frames. The cloud is read during the call only.
  // InvalidArgument before start() or find(), for more than max_points points, for sigmas that do not fit,
  // and while frames are in flight. After an exception the filter is as before the call, but after a
  // CudaError, or one during the search, it must be started again.
  Estimate step(const CloudView& cloud);
  // A cloud in the memory of the filter's GPU: the bits of the same cloud in host memory. The filter has its
  // own stream, which waits for other ones by wait() alone. A sigma that is not above 0 drops its point as
  // not finite. InvalidArgument unless the filter runs on one GPU.
  Estimate step(const DeviceCloudView& cloud);
  // One cloud for each of FilterOptions::cameras, in their order; the log-likelihoods are summed. On a CPU; a
  // filter on a GPU takes one camera: use one filter for each camera, with an exchange.
  Estimate step_cameras(std::span<const CloudView> clouds);
  // The same in two halves: at most max_in_flight frames between submit() and next(), which returns the
  // results in order. A cloud in device memory must not change until next() has returned its result, or
  // start(), find() or reset() has dropped it; any other may change when submit() returns. InvalidArgument
  // for more frames, and for next() when none is in flight.
  void submit(const CloudView& cloud);
  void submit(const DeviceCloudView& cloud);
  Estimate next();
  int in_flight() const;

  // Clouds in device memory of later calls are read after event, so that another stream may still be writing
  // them. On one GPU the filter's stream waits and the call returns; on other devices the call waits. The
  // event may be destroyed or recorded again afterwards.
  void wait(const Event& event);

  // As newly made: no pose, nothing in flight, no latencies.
  void reset();

  const Device& device() const;
  Latency latency() const;
  // One line: the skeleton, the sizes and the device.
  std::string describe() const;

  // The samples after the last submitted frame: samples x pose_size.
  std::vector<float> samples() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace triptych::capsule_likelihood
