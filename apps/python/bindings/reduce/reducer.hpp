// PyReducer: reduction::Reducer for arrays of any type, and the same operations enqueued on a stream of the
// caller.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/reducer.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "../arrays.hpp"
#include "../naming.hpp"

namespace triptych::python {

enum class Operation { sum, min, max, argmin, argmax, dot };

class PyReducer {
 public:
  PyReducer(const Device& device, const reduction::Options& options, int threads,
            reduction::CpuStrategy cpu_strategy);

  // The value of an operation over one array (dot: two). wide: 64-bit accumulators of sums and dot products.
  nb::object value(Operation operation, const Array& a, const Array* b, bool wide);
  reduction::Moments moments(const Array& a);
  // The accumulator of the exact sum of an array of T: float or double.
  template <class T>
  reduction::ExactSum<T> sum_exact(const Array& a);
  // Enqueues the operation on the stream; its value is written to out, an array of one element on the GPU.
  // Never waits.
  void enqueue(Operation operation, const Array& a, const Array* b, const Array& out, StreamRef stream);
  // Enqueues row sums (x null) or a matrix-vector product.
  void enqueue_rows(const Array& matrix, const Array* x, float* result, StreamRef stream);

  // Reserves scratch memory for arrays of up to count elements, so that enqueue() allocates nothing, as in a
  // stream capture.
  void reserve(std::int64_t count);

  const Device& device() const { return reducer_.device(); }
  const reduction::Options& options() const { return options_; }

 private:
  // The workspace serves one stream at a time: orders a call after the last one on another stream.
  template <class Function>
  void in_order(StreamRef stream, Function&& function);
  void wait_for(const Array& array);

  struct Enqueued {
    Enqueued() : done(Timing::off) {}

    Workspace workspace;
    Event done;
    CUstream_st* last = nullptr;
    bool any = false;
  };

  reduction::Reducer reducer_;
  reduction::Options options_;
  std::mutex mutex_;
  std::optional<Event> ready_;
  std::optional<Enqueued> enqueued_;
};

// Options of a GPU by name.
reduction::Options gpu_options(std::string_view strategy, std::string_view determinism);
// The reducers of this thread, one for each device and options, for the functions: where the array lies.
PyReducer& reducer_for(const Array& a, std::string_view strategy, std::string_view determinism);

void bind_exact_sum(nb::module_& m);

}  // namespace triptych::python
