#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>

#include <array>
#include <cstdint>

#include "runtime.hpp"

namespace triptych {

namespace detail {

void throw_cuda_error(const char* call, const char* file, int line, cudaError_t code) {
  cudaGetLastError();
  switch (code) {
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
    case cudaErrorStubLibrary:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
      throw Unavailable(runtime::unavailable_reason());
    default:
      throw CudaError(call, file, line, code, cudaGetErrorString(code));
  }
}

// The answers are kept per thread, in a table with linear probing: asking the runtime at every launch would
// take longer than the launch.
bool can_overlap(const void* kernel) {
  struct Answer {
    const void* kernel = nullptr;
    int device = 0;
    bool overlaps = false;
  };
  thread_local std::array<Answer, 256> answers;
  const auto ask = [kernel] {
    cudaFuncAttributes attributes = {};
    TRIPTYCH_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion >= 90;
  };
  const int device = runtime::current_device();
  const auto first = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(kernel) >> 4);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Answer& answer = answers[(first + i) % answers.size()];
    if (answer.kernel == nullptr) answer = {kernel, device, ask()};
    if (answer.kernel == kernel && answer.device == device) return answer.overlaps;
  }
  return ask();  // more kernels than places
}

}  // namespace detail

namespace runtime {

void* allocate(detail::MemoryKind kind, std::size_t bytes) {
  void* data = nullptr;
  if (kind == detail::MemoryKind::device) {
    TRIPTYCH_CUDA_CHECK(cudaMalloc(&data, bytes));
  } else {
    TRIPTYCH_CUDA_CHECK(cudaMallocHost(&data, bytes));
  }
  return data;
}

void free(detail::MemoryKind kind, void* data) noexcept {
  kind == detail::MemoryKind::device ? cudaFree(data) : cudaFreeHost(data);
}

void copy(void* to, const void* from, std::size_t bytes, detail::CopyKind kind, CUstream_st* stream) {
  const cudaMemcpyKind direction = kind == detail::CopyKind::to_device ? cudaMemcpyHostToDevice
                                   : kind == detail::CopyKind::to_host ? cudaMemcpyDeviceToHost
                                                                       : cudaMemcpyDeviceToDevice;
  TRIPTYCH_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, direction, stream));
}

void fill(void* data, int byte, std::size_t bytes, CUstream_st* stream) {
  TRIPTYCH_CUDA_CHECK(cudaMemsetAsync(data, byte, bytes, stream));
}

CUstream_st* create_stream() {
  cudaStream_t stream = nullptr;
  TRIPTYCH_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void destroy_stream(CUstream_st* stream) noexcept { cudaStreamDestroy(stream); }

void synchronize_stream(CUstream_st* stream) { TRIPTYCH_CUDA_CHECK(cudaStreamSynchronize(stream)); }

bool is_capturing(CUstream_st* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  TRIPTYCH_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

void wait_for_event(CUstream_st* stream, CUevent_st* event) {
  TRIPTYCH_CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0));
}

void call_on_host(CUstream_st* stream, void (*function)(void*), void* argument) {
  TRIPTYCH_CUDA_CHECK(cudaLaunchHostFunc(stream, function, argument));
}

CUevent_st* create_event(Timing timing) {
  cudaEvent_t event = nullptr;
  TRIPTYCH_CUDA_CHECK(
      cudaEventCreateWithFlags(&event, timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming));
  return event;
}

void destroy_event(CUevent_st* event) noexcept { cudaEventDestroy(event); }

void record_event(CUevent_st* event, CUstream_st* stream) {
  TRIPTYCH_CUDA_CHECK(cudaEventRecord(event, stream));
}

void synchronize_event(CUevent_st* event) { TRIPTYCH_CUDA_CHECK(cudaEventSynchronize(event)); }

bool query_event(CUevent_st* event) {
  const cudaError_t code = cudaEventQuery(event);
  if (code == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  TRIPTYCH_CUDA_CHECK(code);
  return true;
}

double elapsed_ms(CUevent_st* begin, CUevent_st* end) {
  float milliseconds = 0;
  TRIPTYCH_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds;
}

void begin_capture(CUstream_st* stream) {
  TRIPTYCH_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

ExecutableGraph end_capture(CUstream_st* stream) {
  cudaGraph_t graph = nullptr;
  TRIPTYCH_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  ExecutableGraph result = {};
  cudaError_t code = cudaGraphGetNodes(graph, nullptr, &result.node_count);
  if (code == cudaSuccess) code = cudaGraphInstantiate(&result.executable, graph, 0);
  cudaGraphDestroy(graph);
  TRIPTYCH_CUDA_CHECK(code);
  return result;
}

void abort_capture(CUstream_st* stream) noexcept {
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
}

void launch_graph(CUgraphExec_st* executable, CUstream_st* stream) {
  TRIPTYCH_CUDA_CHECK(cudaGraphLaunch(executable, stream));
}

void destroy_graph(CUgraphExec_st* executable) noexcept { cudaGraphExecDestroy(executable); }

bool built_with_cuda() noexcept { return true; }

int device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

std::string unavailable_reason() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (code == cudaSuccess && count > 0) return {};
  const std::string reason =
      code == cudaSuccess ? "no CUDA-capable device is detected" : cudaGetErrorString(code);
  return "no usable CUDA GPU: " + reason + "; install an NVIDIA driver for this GPU, or use Device::cpu()";
}

DeviceProperties device_properties(int ordinal) {
  cudaDeviceProp found = {};
  TRIPTYCH_CUDA_CHECK(cudaGetDeviceProperties(&found, ordinal));
  DeviceProperties properties;
  properties.name = found.name;
  properties.memory_bytes = found.totalGlobalMem;
  properties.multiprocessors = found.multiProcessorCount;
  properties.compute_capability_major = found.major;
  properties.compute_capability_minor = found.minor;
  properties.max_threads_per_multiprocessor = found.maxThreadsPerMultiProcessor;
  properties.shared_memory_per_block_optin = found.sharedMemPerBlockOptin;
  properties.l2_bytes = static_cast<std::size_t>(found.l2CacheSize);
  TRIPTYCH_CUDA_CHECK(cudaDriverGetVersion(&properties.driver_version));
  TRIPTYCH_CUDA_CHECK(cudaRuntimeGetVersion(&properties.runtime_version));
  return properties;
}

int current_device() {
  int ordinal = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&ordinal));
  return ordinal;
}

void set_device(int ordinal) { TRIPTYCH_CUDA_CHECK(cudaSetDevice(ordinal)); }

void restore_device(int ordinal) noexcept {
  if (cudaSetDevice(ordinal) != cudaSuccess) cudaGetLastError();
}

}  // namespace runtime

}  // namespace triptych
