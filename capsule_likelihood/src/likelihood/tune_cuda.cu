// Cuts measured on the current GPU.
#include <triptych/capsule_likelihood/tune.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/device.hpp>
#include <triptych/core/graph_timing.hpp>

#include "likelihood/tuned_options.hpp"
#include "rays/rays_cuda_data.hpp"

namespace triptych::capsule_likelihood {

EvaluateOptions tune_evaluate_cuda(reduction::TuningCache& cache, const DeviceRays& rays,
                                   DeviceMatrixView<const Capsule> bodies, Method method,
                                   Workspace& workspace, StreamRef stream) {
  int ordinal = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&ordinal));
  DeviceBuffer<double> results(bodies.rows());
  bool measured = false;
  const auto time_us = [&](const EvaluateOptions& options) {
    measured = true;
    return graph_us_per_call(
        stream, 1, [&] { evaluate_cuda(rays, bodies, results.span(), options, workspace, stream); });
  };
  const std::int64_t points = rays.data().points;
  const EvaluateOptions best = tune_evaluate(cache, Device::cuda(ordinal).properties().name, method,
                                             bodies.rows(), bodies.cols(), points, time_us);
  if (measured) cache.save();
  remember_options(ordinal, size_class(method, bodies.rows(), bodies.cols(), points), best);
  return best;
}

}  // namespace triptych::capsule_likelihood
