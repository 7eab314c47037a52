// Choices measured on the current GPU.
#include "automatic.hpp"

#include <triptych/core/cuda.cuh>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/reduce.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace triptych::reduction {

int current_device() {
  int device = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

namespace {

std::string device_name() { return Device::cuda(current_device()).properties().name; }

// Microseconds of one call: the median over replays of a graph that holds several.
template <class Enqueue>
double replay_us(StreamRef stream, Enqueue&& enqueue) {
  constexpr int calls = 16;
  constexpr int replays = 7;
  enqueue();  // the workspace grows and the code is loaded outside the capture
  const Graph graph = Graph::capture(stream, [&] {
    for (int k = 0; k < calls; ++k) enqueue();
  });
  graph.launch(stream);
  Event begin, end;
  std::vector<double> us;
  for (int k = 0; k < replays; ++k) {
    begin.record(stream);
    graph.launch(stream);
    end.record(stream);
    end.synchronize();
    us.push_back(1e3 * Event::elapsed_ms(begin, end) / calls);
  }
  std::nth_element(us.begin(), us.begin() + replays / 2, us.end());
  return us[replays / 2];
}

}  // namespace

RowPlan tune_multiply_cuda(TuningCache& cache, DeviceMatrixView<const float> a, DeviceSpan<const float> x,
                           DeviceSpan<float> y, Workspace& workspace, StreamRef stream) {
  const auto candidates = candidate_row_plans(a.rows(), a.cols(), current_row_device());
  bool measured = false;
  const RowPlan best =
      tune_rows(cache, device_name(), a.rows(), a.cols(), candidates, [&](const RowPlan& plan) {
        measured = true;
        return replay_us(stream, [&] { multiply_cuda(a, x, y, plan, workspace, stream); });
      });
  if (measured) cache.save();
  return best;
}

Strategy tune_sum_cuda(TuningCache& cache, DeviceSpan<const float> values, Workspace& workspace,
                       StreamRef stream) {
  const std::string device = device_name();
  const auto bytes = static_cast<std::int64_t>(values.size_bytes());
  const std::string key = "sum of 2^" + std::to_string(std::bit_width(values.size_bytes())) + " bytes";
  // automatic never stands for a strategy that does not keep the order of combining fixed
  constexpr Strategy contenders[] = {Strategy::single_pass, Strategy::cluster, Strategy::warp_shuffle};
  Strategy best = Strategy::single_pass;
  const auto known = cache.find(device, key);
  const auto* remembered = std::find_if(std::begin(contenders), std::end(contenders),
                                        [&](Strategy s) { return known && *known == to_string(s); });
  if (remembered != std::end(contenders)) {
    best = *remembered;
  } else {
    DeviceBuffer<float> result(1);
    double best_us = std::numeric_limits<double>::infinity();
    for (const Strategy strategy : contenders) {
      try {
        const Options options{strategy, Determinism::run_to_run, 0};
        const double us = replay_us(
            stream, [&] { sum_cuda<float, float>(values, result.data(), options, workspace, stream); });
        if (us < best_us) best_us = us, best = strategy;
      } catch (const Unavailable&) {
        // not on this GPU
      }
    }
    cache.remember(device, key, std::string(to_string(best)));
    cache.save();
  }
  set_automatic(current_device(), bytes, best);
  return best;
}

}  // namespace triptych::reduction
