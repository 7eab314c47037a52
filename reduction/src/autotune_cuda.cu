// Tuning by measurement on the current GPU.
#include <triptych/core/cuda.cuh>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/graph_timing.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/reduce.hpp>

#include <vector>

#include "automatic.hpp"
#include "element_lists.hpp"

namespace triptych::reduction {

int current_device() {
  int device = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

std::string device_name(int device) { return Device::cuda(device).properties().name; }

namespace {

constexpr int calls = 16;  // per timed graph

}  // namespace

RowPlan tune_multiply_cuda(TuningCache& cache, DeviceMatrixView<const float> a, DeviceSpan<const float> x,
                           DeviceSpan<float> y, Workspace& workspace, StreamRef stream) {
  const std::string device = device_name(current_device());
  auto candidates = candidate_row_plans(a.rows(), a.cols(), current_row_device());
  // a plan of the default file needs no measurement
  if (const auto known = known_row_plan(default_tuning(), device, a.rows(), a.cols(), candidates);
      known && !known_row_plan(cache, device, a.rows(), a.cols(), candidates))
    candidates = {*known};
  bool measured = false;
  const RowPlan best = tune_rows(cache, device, a.rows(), a.cols(), candidates, [&](const RowPlan& plan) {
    measured = true;
    return graph_us_per_call(stream, calls, [&] { multiply_cuda(a, x, y, plan, workspace, stream); });
  });
  if (measured) cache.save();
  return best;
}

RowPlan automatic_row_plan(std::int64_t rows, std::int64_t cols) {
  const RowDevice device = current_row_device();
  if (default_tuning().size() > 0) {
    const auto candidates = candidate_row_plans(rows, cols, device);
    if (const auto plan =
            known_row_plan(default_tuning(), device_name(current_device()), rows, cols, candidates))
      return *plan;
  }
  return plan_rows(rows, cols, device);
}

template <class A, class T>
requires SumPair<T, A> Strategy tune_sum_cuda(TuningCache& cache, DeviceSpan<const T> values,
                                              Workspace& workspace, StreamRef stream) {
  const int device = current_device();
  const auto bytes = static_cast<std::int64_t>(values.size_bytes());
  DeviceBuffer<A> result(1);
  bool measured = false;
  const Strategy best = tune_strategy(
      cache, device_name(device), detail::tuned_sum<A, T>, bytes, Sum<A>::exact, [&](Strategy s) {
        measured = true;
        const Options options{s, Determinism::run_to_run, 0};
        return graph_us_per_call(stream, calls,
                                 [&] { sum_cuda<A, T>(values, result.data(), options, workspace, stream); });
      });
  if (measured) cache.save();
  set_automatic(device, detail::tuned_sum<A, T>, bytes, best);
  return best;
}

#define TRIPTYCH_TUNE_SUM(A, T) \
  template Strategy tune_sum_cuda<A, T>(TuningCache&, DeviceSpan<const T>, Workspace&, StreamRef);
TRIPTYCH_FOR_EACH_SUM(TRIPTYCH_TUNE_SUM)
#undef TRIPTYCH_TUNE_SUM

}  // namespace triptych::reduction
