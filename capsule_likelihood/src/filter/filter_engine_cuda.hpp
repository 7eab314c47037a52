// The filter on a GPU: one graph per frame, from the points to the estimate, without the host.
#pragma once

#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "filter/estimate_fit.hpp"
#include "filter/filter_engine.hpp"
#include "filter/filter_kernels.hpp"
#include "filter/fit/estimate_fit_cuda.hpp"
#include "rays/rays_cuda_data.hpp"

namespace triptych::capsule_likelihood {

// The caller's current CUDA device is the same after each call, but for the parts of a frame, which use it.
class CudaEngine final : public FilterEngine {
 public:
  CudaEngine(const Skeleton& skeleton, const SensorModel& sensor, FilterPlan plan, std::int64_t max_points,
             int ordinal, const FilterShare* share = nullptr)
      : CudaEngine(skeleton, sensor, std::move(plan), max_points, Device::cuda(ordinal), share,
                   DeviceGuard(Device::cuda(ordinal))) {}
  ~CudaEngine() override;
  CudaEngine(const CudaEngine&) = delete;
  CudaEngine& operator=(const CudaEngine&) = delete;

  bool fits_estimates() const override { return fit_.has_value(); }
  void start(std::span<const float> pose, float widen) override;
  // Copies the cloud into pinned memory, launches the graph of the frame and returns. What the host does
  // after the graph, next() does, or, when another frame is submitted before, the driver between the frames.
  void submit(const CloudView& cloud) override;
  // The same with copies on the device instead.
  void check_device_clouds() const override {}
  void submit(const DeviceCloudView& cloud) override;
  void download(const DeviceCloudView& cloud, std::span<Vec3> points, std::span<float> sigma_m) override;
  Estimate next() override;
  void drop() override;
  void wait(const Event& event) override { stream_.wait(event); }
  std::vector<float> samples() const override;

  // Parts of a frame, for benches: on the points of the last step, on stream().
  StreamRef stream() const { return stream_; }
  enum class Likelihood { with, without };
  void enqueue_search(Likelihood likelihood);  // from the prediction to the report
  void enqueue_likelihoods();                  // one per layer
  void enqueue_fit();                          // with its points; of a filter that fits

 private:
  // While the guard makes the device current.
  CudaEngine(const Skeleton& skeleton, const SensorModel& sensor, FilterPlan plan, std::int64_t max_points,
             const Device& device, const FilterShare* share, const DeviceGuard& guard);

  // Pinned memory of a frame in flight: its graph copies from it and to it.
  struct Slot {
    PinnedBuffer<Vec3> points;
    PinnedBuffer<float> sigma_m;
    PinnedBuffer<std::int64_t> point_count;
    PinnedBuffer<std::byte> report;
    PinnedBuffer<PointTotals> totals;
    Event done{Timing::off};
    bool with_sigma = false, uploads = true;
    // What fits on the host read and write, beside the report. Unused without them.
    bool fit_pending = false;  // the driver was not told
    const CudaEngine* engine = nullptr;
    PinnedBuffer<FilterFrame> frame;
    PinnedBuffer<float> state;  // the arrays of common_ from the centre to the last estimate
    HostCloud sample;           // of the cloud
    std::exception_ptr fit_failure;
  };
  // A graph serves all frames of up to room points in one slot. uploads: it copies the points from the slot.
  struct FrameKind {
    std::int64_t room = 0;
    bool with_sigma = false;
    int slot = 0;
    bool uploads = true;
    // NOLINTNEXTLINE(modernize-use-nullptr): the check takes the generated comparison for one with 0
    auto operator<=>(const FrameKind&) const = default;
  };
  // Of common_: the centre, the elite, the velocity and the last estimate.
  static constexpr std::int64_t fitted_arrays = 4;
  static constexpr std::int64_t temperings_bytes = max_units * sizeof(Tempering);
  // A report: the temperings, the floats of enqueue_report, and of a cloud in device memory the sample for
  // the evidence and, for fits on the host, that for the fit, with its sigmas.
  std::int64_t sample_begin() const {
    return temperings_bytes +
           report_floats(plan_.dims, joint_count_) * static_cast<std::int64_t>(sizeof(float));
  }

  std::int64_t fit_sample_begin() const {
    return sample_begin() + evidence_points * static_cast<std::int64_t>(sizeof(Vec3));
  }
  std::int64_t fit_sigma_begin() const {
    return fit_sample_begin() + max_fit_points * static_cast<std::int64_t>(sizeof(Vec3));
  }
  std::int64_t report_bytes() const {
    return fits_on_host() ? fit_sigma_begin() + max_fit_points * static_cast<std::int64_t>(sizeof(float))
                          : fit_sample_begin();
  }

  void upload_plan();
  void make_slots();
  FrameKind begin_frame(std::int64_t points, bool with_sigma, bool uploads);
  // prepare: enqueues what the graphs of the frame need.
  template <class Prepare>
  void run_frame(const FrameKind& kind, const Prepare& prepare);
  void reserve(const FrameKind& kind);
  // A frame is one graph. Where the host sums the losses of all ranks, it is one graph up to each sum and one
  // after the last.
  const std::vector<Graph>& graphs_for(const FrameKind& kind);
  bool sums_on_host() const { return share_ != nullptr && !share_->exchange().sums_on_device(); }
  void set_rays(std::int64_t room, bool with_sigma);
  void evaluate();
  // cut(): ends a graph and begins the next; empty: no cut.
  using Cut = std::function<void()>;
  void enqueue_frame(const FrameKind& kind, const Cut& cut = {});
  void enqueue_prediction(StreamRef stream);
  void enqueue_samples(int index, StreamRef stream);
  void enqueue_layers(Likelihood likelihood, const Cut& cut = {});
  void exchange_losses(const Cut& cut);
  void enqueue_result();
  // The samples of a cloud that is in device memory: for the host those of a cloud that it has no copy of,
  // and for the fit.
  void enqueue_cloud_samples(const FrameKind& kind, StreamRef stream);
  void enqueue_fit_of_estimate();  // on the device
  // The whole fit where it has no room on the device, or the search for limbs.
  bool fits_on_host() const { return fit_ && (!device_fit_ || fit_->recovers_limbs()); }
  // After the graph of a frame: the host moves the estimate, and the state on the device.
  void enqueue_pending_fit();  // of the last frame: on a thread of the driver
  void finish_pending_fit(Slot& slot);
  bool fit_on_host(Slot& slot, int threads) const;  // whether it moved them
  DeviceSpan<float> fitted_state() { return common_.span().first(fitted_arrays * plan_.dims); }
  Estimate report(const Slot& slot) const;
  void complete(Estimate& estimate, const Slot& slot) const;  // with what depends on the cloud
  EvidenceSample sample(const Slot& slot) const;
  CloudView cloud_of(const Slot& slot) const;           // that it uploads
  HostCloud downloaded_sample(const Slot& slot) const;  // for fits on the host
  // The pose in a report, and behind it the joints.
  float* estimate_of(std::byte* report) const { return reinterpret_cast<float*>(report + temperings_bytes); }
  Slot& slot(int index) { return slots_[static_cast<std::size_t>(index)]; }
  Tempering* temperings() { return reinterpret_cast<Tempering*>(report_.data()); }
  FilterView view(int layer);

  Device device_;
  Stream stream_, side_;
  Event begun_{Timing::off}, proposed_{Timing::off}, uploaded_{Timing::off}, sampled_{Timing::off};
  Workspace workspace_;
  FilterPlan plan_;
  std::int32_t joint_count_, capsule_count_;
  DeviceSkeleton device_skeleton_;
  std::int64_t max_points_;
  DeviceRays rays_;
  DeviceBuffer<FilterDimension> dimensions_;
  DeviceBuffer<std::int32_t> trunk_, limb_dims_, limb_joints_;
  DeviceBuffer<LimbRange> limb_ranges_;
  DeviceBuffer<FilterFrame> frame_;
  DeviceBuffer<float> common_, population_, poses_, moved_poses_, compensation_;
  std::array<DeviceBuffer<float>, 2> proposals_;
  DeviceBuffer<Vec3> joints_, moved_joints_, points_;
  DeviceBuffer<Capsule> bodies_;
  DeviceBuffer<double> log_likelihoods_;
  DeviceBuffer<std::uint32_t> weights_;
  DeviceBuffer<std::uint64_t> cumulative_;
  DeviceBuffer<float> sigma_m_;
  DeviceBuffer<std::int64_t> point_count_;
  DeviceBuffer<std::byte> report_;
  std::array<Slot, max_in_flight> slots_;  // a ring
  int first_ = 0, in_flight_ = 0;
  std::map<FrameKind, std::vector<Graph>> graphs_;

  std::optional<EstimateFit> fit_;
  std::optional<EstimateFitCuda> device_fit_;  // without it the host fits

  // Of a filter that is shared. The host's losses end with the number of ranks that have failed.
  const FilterShare* share_;
  DeviceBuffer<std::int64_t> losses_;
  PinnedBuffer<std::int64_t> host_losses_;
};

}  // namespace triptych::capsule_likelihood
