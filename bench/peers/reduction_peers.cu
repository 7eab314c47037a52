#include <triptych/core/cuda.cuh>

#include <cub/device/device_reduce.cuh>
#include <cublas_v2.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <string>

#include "reduction_peers.hpp"

namespace triptych::bench {

template <class T>
CubSum<T>::CubSum(std::int64_t n, StreamRef stream) : n_(n) {
  std::size_t bytes = 0;
  TRIPTYCH_CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const T*>(nullptr),
                                             static_cast<T*>(nullptr), n, to_cuda(stream)));
  temporary_ = DeviceBuffer<std::byte>(static_cast<std::int64_t>(bytes));
}

template <class T>
void CubSum<T>::operator()(const T* values, T* result, StreamRef stream) {
  std::size_t bytes = temporary_.size_bytes();
  TRIPTYCH_CUDA_CHECK(cub::DeviceReduce::Sum(temporary_.data(), bytes, values, result, n_, to_cuda(stream)));
}

template <class T>
T thrust_sum(const T* values, std::int64_t n, StreamRef stream) {
  return thrust::reduce(thrust::cuda::par.on(to_cuda(stream)), values, values + n);
}

#define TRIPTYCH_PEERS(T)   \
  template class CubSum<T>; \
  template T thrust_sum<T>(const T*, std::int64_t, StreamRef);
TRIPTYCH_PEERS(float)
TRIPTYCH_PEERS(double)
TRIPTYCH_PEERS(std::int32_t)
TRIPTYCH_PEERS(std::int64_t)
#undef TRIPTYCH_PEERS

namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw Error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

}  // namespace

struct CublasMultiply::State {
  cublasHandle_t handle = nullptr;
  DeviceBuffer<std::byte> workspace{64 << 20};
};

CublasMultiply::CublasMultiply(StreamRef stream) : state_(std::make_unique<State>()) {
  check(cublasCreate(&state_->handle));
  check(cublasSetStream(state_->handle, to_cuda(stream)));
  check(cublasSetWorkspace(state_->handle, state_->workspace.data(), state_->workspace.size_bytes()));
}

CublasMultiply::~CublasMultiply() { cublasDestroy(state_->handle); }

void CublasMultiply::operator()(const float* a, std::int64_t rows, std::int64_t cols, const float* x,
                                float* y) {
  const float one = 1, zero = 0;
  check(cublasSgemv(state_->handle, CUBLAS_OP_T, static_cast<int>(cols), static_cast<int>(rows), &one, a,
                    static_cast<int>(cols), x, 1, &zero, y, 1));
}

}  // namespace triptych::bench
