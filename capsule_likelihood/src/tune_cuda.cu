// Cuts measured on the current GPU.
#include <triptych/capsule_likelihood/tune.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/device.hpp>
#include <triptych/core/graph.hpp>

#include <algorithm>
#include <vector>

#include "rays_cuda_data.hpp"
#include "tuned_options.hpp"

namespace triptych::capsule_likelihood {

EvaluateOptions tune_evaluate_cuda(reduction::TuningCache& cache, const DeviceRays& rays,
                                   DeviceMatrixView<const Capsule> bodies, Method method,
                                   Workspace& workspace, StreamRef stream) {
  int ordinal = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&ordinal));
  DeviceBuffer<double> results(bodies.rows());
  bool measured = false;
  const auto replay_us = [&](const EvaluateOptions& options) {
    measured = true;
    constexpr int replays = 7;
    const auto enqueue = [&] { evaluate_cuda(rays, bodies, results.span(), options, workspace, stream); };
    enqueue();  // the workspace grows and the code is loaded outside the capture
    const Graph graph = Graph::capture(stream, enqueue);
    graph.launch(stream);
    Event begin, end;
    std::vector<double> us;
    for (int k = 0; k < replays; ++k) {
      begin.record(stream);
      graph.launch(stream);
      end.record(stream);
      end.synchronize();
      us.push_back(1e3 * Event::elapsed_ms(begin, end));
    }
    std::nth_element(us.begin(), us.begin() + replays / 2, us.end());
    return us[replays / 2];
  };
  const std::int64_t points = rays.data().points;
  const EvaluateOptions best = tune_evaluate(cache, Device::cuda(ordinal).properties().name, method,
                                             bodies.rows(), bodies.cols(), points, replay_us);
  if (measured) cache.save();
  remember_options(ordinal, size_class(method, bodies.rows(), bodies.cols(), points), best);
  return best;
}

}  // namespace triptych::capsule_likelihood
