#include <triptych/core/buffer.hpp>
#include <triptych/core/cuda.cuh>

#include <cublas_v2.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <string>

#include "reduction_peers.hpp"

namespace triptych::bench {

template <class T>
T thrust_sum(const T* values, std::int64_t n, StreamRef stream) {
  return thrust::reduce(thrust::cuda::par.on(to_cuda(stream)), values, values + n);
}

template float thrust_sum(const float*, std::int64_t, StreamRef);
template double thrust_sum(const double*, std::int64_t, StreamRef);
template std::int32_t thrust_sum(const std::int32_t*, std::int64_t, StreamRef);
template std::int64_t thrust_sum(const std::int64_t*, std::int64_t, StreamRef);

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
