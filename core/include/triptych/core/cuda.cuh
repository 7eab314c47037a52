// For .cu files: checked CUDA calls and kernel launches. The only header of core that includes CUDA headers.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/stream.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace triptych {

namespace detail {
// Throws Unavailable when code means that there is no driver or no GPU, else CudaError. Clears the last CUDA
// error.
[[noreturn]] void throw_cuda_error(const char* call, const char* file, int line, cudaError_t code);

// Whether the kernel that runs on the current device was compiled for compute capability 9.0 or newer, so
// that it has the code of wait_for_previous_grid. False when the driver compiles older PTX for a newer GPU.
bool can_overlap(const void* kernel);
}  // namespace detail

// Evaluates a CUDA runtime call and throws when it fails.
#define TRIPTYCH_CUDA_CHECK(expression)                                                     \
  do {                                                                                      \
    const cudaError_t triptych_code = (expression);                                         \
    if (triptych_code != cudaSuccess) {                                                     \
      ::triptych::detail::throw_cuda_error(#expression, __FILE__, __LINE__, triptych_code); \
    }                                                                                       \
  } while (false)

inline cudaStream_t to_cuda(StreamRef stream) noexcept { return stream.get(); }

// After a <<<>>> launch: throws when the launch failed. Does not synchronise, so it does not report errors of
// running kernels.
inline void check_launch(const char* kernel_name) {
  const cudaError_t code = cudaGetLastError();
  if (code != cudaSuccess) detail::throw_cuda_error(kernel_name, __FILE__, __LINE__, code);
}

#if defined(__CUDACC__)

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  unsigned cluster = 1;  // blocks per cluster along x; more than 1 needs compute capability 9.0
  // May start before the previous grid of the stream ends: see wait_for_previous_grid. Without effect unless
  // the kernel was compiled for compute capability 9.0 or newer.
  bool overlap = false;
};

// Enqueues kernel(args...) and returns; throws CudaError when the launch fails. Does not synchronise.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, StreamRef stream,
            Arguments&&... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (shape.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = shape.cluster;
    attributes[count].val.clusterDim.y = 1;
    attributes[count].val.clusterDim.z = 1;
    ++count;
  }
  if (shape.overlap && detail::can_overlap(reinterpret_cast<const void*>(kernel))) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = to_cuda(stream);
  config.attrs = attributes;
  config.numAttrs = count;
  TRIPTYCH_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

// In a kernel launched with overlap: call before reading what the previous grid of the stream wrote. It
// returns when that grid has ended and its writes are visible. Empty below compute capability 9.0, where
// grids never overlap.
__device__ inline void wait_for_previous_grid() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// In any kernel: allows the next grid, when launched with overlap, to start once every block has called this
// or ended.
__device__ inline void let_next_grid_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif  // __CUDACC__

}  // namespace triptych
