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

// Made once for a list of GPUs and a largest cloud, then fed clouds and bodies from host memory. The results
// are those of evaluate_cpu, bit for bit, whoever takes which chunk. Use it from one thread at a time.
class GpuTeam {
 public:
  // ordinals: a GPU may be named several times. InvalidArgument for an empty list or a measure that makes no
  // sense; Unavailable, with the reason, without CUDA or such a GPU.
  GpuTeam(std::span<const int> ordinals, std::int64_t max_points, const Measure& measure,
          const EvaluateOptions& options = {});
  GpuTeam(GpuTeam&&) noexcept;
  GpuTeam& operator=(GpuTeam&&) noexcept;
  ~GpuTeam();

  // Both wait until it is done. InvalidArgument as Rays and evaluate_cpu have it.
  PointCount set(std::span<const Vec3> points, std::span<const float> sigma_m = {});
  void evaluate(MatrixView<const Capsule> bodies, std::span<double> log_likelihoods);

  int size() const;

 private:
  struct Member;
  std::vector<std::unique_ptr<Member>> members_;
  EvaluateOptions options_;
};

}  // namespace triptych::capsule_likelihood
