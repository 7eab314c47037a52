// The filter on a GPU: one graph a frame, from the points to the estimate, with no host in between.
#pragma once

#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "filter/filter_engine.hpp"
#include "filter/filter_kernels.hpp"

namespace triptych::capsule_likelihood {

class CudaEngine final : public FilterEngine {
 public:
  CudaEngine(const Skeleton& skeleton, const Measure& measure, FilterPlan plan, std::int64_t max_points,
             int ordinal);
  ~CudaEngine() override;
  CudaEngine(const CudaEngine&) = delete;
  CudaEngine& operator=(const CudaEngine&) = delete;

  void start(std::span<const float> pose, float widen) override;
  Estimate step(std::span<const Vec3> points, std::span<const float> sigma_m) override;
  std::vector<float> samples() const override;

  // Parts of a frame, for benches: on the points of the last step, on stream().
  StreamRef stream() const { return stream_; }
  enum class Likelihood { with, without };
  void enqueue_search(Likelihood likelihood);  // from the prediction to the report
  void enqueue_likelihoods();                  // as many as there are layers

 private:
  static constexpr std::int64_t temperings_bytes = max_units * sizeof(Tempering);

  void upload_plan();
  void reserve(std::int64_t room, bool with_sigma);
  const Graph& graph_for(std::int64_t room, bool with_sigma);
  void set_rays(std::int64_t room, bool with_sigma);
  void evaluate();
  void enqueue_frame(std::int64_t room, bool with_sigma);
  void enqueue_prediction(StreamRef stream);
  void enqueue_samples(int index, StreamRef stream);
  void enqueue_layers(Likelihood likelihood);
  void enqueue_result();
  Estimate report();
  Tempering* temperings() { return reinterpret_cast<Tempering*>(report_.data()); }
  FilterView view(int layer);

  Device device_;
  Stream stream_, side_;
  Event begun_{Timing::off}, proposed_{Timing::off};
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
  DeviceBuffer<float> common_, population_, poses_, moved_poses_, yield_;
  std::array<DeviceBuffer<float>, 2> proposals_;
  DeviceBuffer<Vec3> joints_, moved_joints_, points_;
  DeviceBuffer<Capsule> bodies_;
  DeviceBuffer<double> log_likelihoods_;
  DeviceBuffer<std::uint32_t> weights_;
  DeviceBuffer<std::uint64_t> cumulative_;
  DeviceBuffer<float> sigma_m_;
  DeviceBuffer<std::int64_t> point_count_;
  PinnedBuffer<Vec3> host_points_;
  PinnedBuffer<float> host_sigma_m_;
  PinnedBuffer<std::int64_t> host_point_count_;
  DeviceBuffer<std::byte> report_;
  PinnedBuffer<std::byte> host_report_;
  std::map<std::pair<std::int64_t, bool>, Graph> graphs_;
};

}  // namespace triptych::capsule_likelihood
