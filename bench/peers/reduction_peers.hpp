// The same operations by Thrust and cuBLAS, called as their documentation shows.
#pragma once

#include <triptych/core/stream.hpp>

#include <cstdint>
#include <memory>

namespace triptych::bench {

// thrust::reduce of a device range; returns the result to the host.
template <class T>
T thrust_sum(const T* values, std::int64_t n, StreamRef stream);

// cublasSgemv on a row-major matrix (a transposed column-major one). It has its own workspace, so that
// it can be captured.
class CublasMultiply {
 public:
  explicit CublasMultiply(StreamRef stream);
  ~CublasMultiply();
  CublasMultiply(const CublasMultiply&) = delete;
  CublasMultiply& operator=(const CublasMultiply&) = delete;
  void operator()(const float* a, std::int64_t rows, std::int64_t cols, const float* x, float* y);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace triptych::bench
