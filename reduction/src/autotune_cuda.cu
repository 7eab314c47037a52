// Choices measured on the current GPU.
#include "automatic.hpp"

#include <triptych/core/cuda.cuh>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/replay.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/reduce.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace triptych::reduction {

int current_device() {
  int device = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

namespace {

std::string device_name() { return Device::cuda(current_device()).properties().name; }

constexpr int calls = 16;  // of a graph that is timed

}  // namespace

RowPlan tune_multiply_cuda(TuningCache& cache, DeviceMatrixView<const float> a, DeviceSpan<const float> x,
                           DeviceSpan<float> y, Workspace& workspace, StreamRef stream) {
  const auto candidates = candidate_row_plans(a.rows(), a.cols(), current_row_device());
  bool measured = false;
  const RowPlan best =
      tune_rows(cache, device_name(), a.rows(), a.cols(), candidates, [&](const RowPlan& plan) {
        measured = true;
        return replay_us(stream, calls, [&] { multiply_cuda(a, x, y, plan, workspace, stream); });
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
        const double us = replay_us(stream, calls, [&] {
          sum_cuda<float, float>(values, result.data(), options, workspace, stream);
        });
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
