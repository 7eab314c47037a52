// Several GPUs that share the samples of a likelihood: a host thread for each, samples in chunks.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/matrix_view.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace triptych::capsule_likelihood {

// Made for a list of GPUs and a maximum number of points; takes clouds and bodies from host memory. The
// results have the bits of evaluate_cpu, whichever GPU evaluates a chunk. Use it from one thread at a time.
class CudaGroup {
 public:
  // ordinals: a GPU may be listed several times. InvalidArgument for an empty list, more than max_rays
  // points, a sensor model out of range or an unknown method; Unavailable, with the reason, without CUDA or
  // such a GPU.
  CudaGroup(std::span<const int> ordinals, std::int64_t max_points, const SensorModel& sensor,
            const EvaluateOptions& options = {});
  CudaGroup(CudaGroup&&) noexcept;
  CudaGroup& operator=(CudaGroup&&) noexcept;
  ~CudaGroup();

  // Both wait until the work is done. InvalidArgument as in Rays and evaluate_cpu, and for evaluate() before
  // set() or after a set() that failed. Error when a thread cannot be started. The caller's current CUDA
  // device stays.
  PointCount set(std::span<const Vec3> points, std::span<const float> sigma_m = {});
  void evaluate(MatrixView<const Capsule> bodies, std::span<double> log_likelihoods);

  // As Rays::max_loss, of the points that were set.
  double max_loss() const { return max_loss_; }
  int size() const;

 private:
  struct Member;
  std::vector<std::unique_ptr<Member>> members_;
  EvaluateOptions options_;
  double max_loss_ = 0;
  bool is_set_ = false;  // the same points on all members
};

}  // namespace triptych::capsule_likelihood
