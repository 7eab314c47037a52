// The linker's --wrap sends each call of name to __wrap_name and calls the runtime by __real_name.
// CMakeLists.txt takes the names from the lines of this file that begin with WRAP.
#include <cuda_runtime.h>
#include <execinfo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "faults/cuda_faults.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)

extern "C" cudaError_t __real_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
extern "C" cudaError_t __real_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument);
extern "C" cudaError_t __real_cudaStreamQuery(cudaStream_t stream);

namespace triptych::test {

namespace {

struct State {
  std::mutex mutex;
  CudaCalls calls;
  std::int64_t live = 0;
  bool armed = false, recording = false;  // CudaFault, RecordedCudaCalls
  CudaCall fault;                         // which call fails
  std::string failed;
  std::size_t depth = 0;  // functions on the stack of which a way does not consist
  std::map<std::uint64_t, std::int64_t> seen;
  std::vector<CudaCall> recorded;
  bool late = false;  // LateKernels
  int gpus = 0;       // 0: those that there are
};
State& state() {
  static State instance;
  return instance;
}
thread_local int simulated_gpu = 0;

// The return addresses on the stack, the innermost first. It and begin_ways() count as a function each.
[[gnu::noinline]] std::size_t stack(std::span<void*> addresses) {
  return static_cast<std::size_t>(backtrace(addresses.data(), static_cast<int>(addresses.size())));
}

// FNV-1a of the return addresses between the call and the function that made the CudaFault, without that
// function.
std::uint64_t way_here(const char* name, std::size_t outer) {
  std::array<void*, 128> addresses{};
  const std::size_t depth = stack(addresses);
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (; *name != 0; ++name) add(static_cast<unsigned char>(*name));
  for (std::size_t i = 0; i + outer < depth; ++i) add(reinterpret_cast<std::uintptr_t>(addresses[i]));
  return hash;
}

bool fails(const char* name, bool poll = false) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ++s.calls.all;
  if (!s.armed && !s.recording) return false;
  const std::uint64_t way = way_here(name, s.depth);
  const std::int64_t occurrence = ++s.seen[way];
  if (s.recording) s.recorded.push_back({name, way, occurrence, poll});
  if (!s.armed || way != s.fault.way || occurrence != s.fault.occurrence) return false;
  s.armed = false;
  s.failed = name;
  return true;
}

// Called by a constructor, whose caller and what has called it are no part of a way.
[[gnu::noinline]] void begin_ways(State& s) {
  std::array<void*, 128> addresses{};
  s.depth = stack(addresses) - 3;
  s.seen.clear();
}

void count(std::int64_t CudaCalls::*number) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ++(s.calls.*number);
}

void count_stream(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    count(&CudaCalls::on_default_stream);
}

void count_here() {
  const int gpu = current_gpu();
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (gpu >= 0 && gpu < 4) ++s.calls.on_gpu[gpu];
}

void delay(cudaStream_t stream) {
  {
    const std::lock_guard lock(state().mutex);
    if (!state().late) return;
  }
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (__real_cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone)
    return;
  if (__real_cudaStreamQuery(stream) != cudaSuccess) return;  // behind one that is late already
  const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::microseconds(300)); };
  EXPECT_EQ(__real_cudaLaunchHostFunc(stream, sleep, nullptr), cudaSuccess);
}

cudaError_t made(cudaError_t code) {
  if (code != cudaSuccess) return code;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ++s.live;
  return code;
}

void gone(const void* object) {
  if (object == nullptr) return;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  --s.live;
}

bool simulates() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.gpus > 0;
}
int simulated_count() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.gpus;
}

}  // namespace

CudaFault::CudaFault(const CudaCall& call) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  begin_ways(s);
  s.fault = call;
  s.armed = call.occurrence > 0;
  s.failed.clear();
}
CudaFault::~CudaFault() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.armed = false;
}
std::string CudaFault::failed() const {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.failed;
}

RecordedCudaCalls::RecordedCudaCalls() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  begin_ways(s);
  s.recorded.clear();
  s.recording = true;
}
RecordedCudaCalls::~RecordedCudaCalls() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.recording = false;
}
std::vector<CudaCall> RecordedCudaCalls::calls() const {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.recorded;
}

std::vector<CudaCall> representative(const std::vector<CudaCall>& calls, std::size_t most) {
  if (calls.size() <= most) return calls;
  std::map<std::uint64_t, std::int64_t> last;
  for (const CudaCall& call : calls) last[call.way] = std::max(last[call.way], call.occurrence);
  std::vector<bool> chosen(calls.size());
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    chosen[i] = calls[i].occurrence <= 2 || calls[i].occurrence == last[calls[i].way];
    if (!chosen[i]) others.push_back(i);
  }
  const std::size_t count = calls.size() - others.size();
  const std::size_t more = std::min(others.size(), most - std::min(most, count));
  for (std::size_t k = 0; k < more; ++k) chosen[others[k * others.size() / more]] = true;
  std::vector<CudaCall> result;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (chosen[i]) result.push_back(calls[i]);
  return result;
}

LateKernels::LateKernels() {
  const std::lock_guard lock(state().mutex);
  state().late = true;
}
LateKernels::~LateKernels() {
  const std::lock_guard lock(state().mutex);
  state().late = false;
}

SimulatedGpus::SimulatedGpus(int count) {
  const std::lock_guard lock(state().mutex);
  state().gpus = count;
  simulated_gpu = 0;
}
SimulatedGpus::~SimulatedGpus() {
  const std::lock_guard lock(state().mutex);
  state().gpus = 0;
}

CudaCalls cuda_calls() {
  const std::lock_guard lock(state().mutex);
  return state().calls;
}
std::int64_t live_cuda_objects() {
  const std::lock_guard lock(state().mutex);
  return state().live;
}

}  // namespace triptych::test

using namespace triptych::test;

// WRAP(name, error, (parameters), (arguments), before the call, result of the call).
#define WRAP(name, error, parameters, arguments, before, result) \
  extern "C" cudaError_t __real_##name parameters;               \
  extern "C" cudaError_t __wrap_##name parameters {              \
    if (fails(#name)) return error;                              \
    before;                                                      \
    return result(__real_##name arguments);                      \
  }
#define WRAP_PLAIN(name, parameters, arguments) \
  WRAP(name, cudaErrorUnknown, parameters, arguments, static_cast<void>(0), )
#define WRAP_STREAM(name, error, parameters, arguments) \
  WRAP(name, error, parameters, arguments, count_stream(stream), )
#define WRAP_RELEASE(name, parameters, arguments, object, before) \
  extern "C" cudaError_t __real_##name parameters;                \
  extern "C" cudaError_t __wrap_##name parameters {               \
    before;                                                       \
    gone(object);                                                 \
    return __real_##name arguments;                               \
  }

// clang-format off
WRAP(cudaMalloc, cudaErrorMemoryAllocation, (void** p, std::size_t bytes), (p, bytes), count_here(); count(&CudaCalls::allocations), made)
WRAP(cudaMallocHost, cudaErrorMemoryAllocation, (void** p, std::size_t bytes), (p, bytes), count(&CudaCalls::allocations), made)
WRAP_RELEASE(cudaFree, (void* p), (p), p, count(&CudaCalls::device_wide))
WRAP_RELEASE(cudaFreeHost, (void* p), (p), p, count(&CudaCalls::device_wide))

WRAP(cudaStreamCreateWithFlags, cudaErrorMemoryAllocation, (cudaStream_t* stream, unsigned flags), (stream, flags), count_here(), made)
WRAP_RELEASE(cudaStreamDestroy, (cudaStream_t stream), (stream), stream, static_cast<void>(0))
WRAP(cudaEventCreateWithFlags, cudaErrorMemoryAllocation, (cudaEvent_t* event, unsigned flags), (event, flags), count_here(), made)
WRAP_RELEASE(cudaEventDestroy, (cudaEvent_t event), (event), event, static_cast<void>(0))
WRAP(cudaGraphInstantiate, cudaErrorMemoryAllocation, (cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags), (executable, graph, flags), count_here(), made)
WRAP_RELEASE(cudaGraphExecDestroy, (cudaGraphExec_t executable), (executable), executable, static_cast<void>(0))

WRAP_STREAM(cudaMemcpyAsync, cudaErrorUnknown, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream), (to, from, bytes, kind, stream))
WRAP_STREAM(cudaMemcpy2DAsync, cudaErrorUnknown, (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream), (to, to_pitch, from, from_pitch, width, height, kind, stream))
WRAP_STREAM(cudaMemsetAsync, cudaErrorUnknown, (void* to, int value, std::size_t bytes, cudaStream_t stream), (to, value, bytes, stream))
WRAP(cudaLaunchKernelExC, cudaErrorLaunchOutOfResources, (const cudaLaunchConfig_t* config, const void* kernel, void** arguments), (config, kernel, arguments), count_stream(config->stream); count_here(); delay(config->stream), )
WRAP(cudaGraphLaunch, cudaErrorLaunchOutOfResources, (cudaGraphExec_t executable, cudaStream_t stream), (executable, stream), count_stream(stream); count_here(); delay(stream), )
WRAP_STREAM(cudaLaunchHostFunc, cudaErrorUnknown, (cudaStream_t stream, cudaHostFn_t function, void* argument), (stream, function, argument))
WRAP_STREAM(cudaEventRecord, cudaErrorUnknown, (cudaEvent_t event, cudaStream_t stream), (event, stream))
WRAP_STREAM(cudaStreamWaitEvent, cudaErrorUnknown, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
WRAP_STREAM(cudaStreamSynchronize, cudaErrorUnknown, (cudaStream_t stream), (stream))
WRAP_STREAM(cudaStreamIsCapturing, cudaErrorUnknown, (cudaStream_t stream, cudaStreamCaptureStatus* status), (stream, status))
WRAP_STREAM(cudaStreamBeginCapture, cudaErrorUnknown, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
WRAP_PLAIN(cudaEventSynchronize, (cudaEvent_t event), (event))
WRAP_PLAIN(cudaEventQuery, (cudaEvent_t event), (event))
WRAP_PLAIN(cudaEventElapsedTime, (float* ms, cudaEvent_t begin, cudaEvent_t end), (ms, begin, end))
WRAP_PLAIN(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count), (graph, nodes, count))
WRAP(cudaDeviceSynchronize, cudaErrorUnknown, (), (), count(&CudaCalls::device_wide), )

WRAP_PLAIN(cudaFuncGetAttributes, (cudaFuncAttributes* attributes, const void* kernel), (attributes, kernel))
WRAP_PLAIN(cudaFuncSetAttribute, (const void* kernel, cudaFuncAttribute attribute, int value), (kernel, attribute, value))
WRAP_PLAIN(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int* blocks, const void* kernel, int threads, std::size_t shared, unsigned flags), (blocks, kernel, threads, shared, flags))
WRAP_PLAIN(cudaPointerGetAttributes, (cudaPointerAttributes* attributes, const void* pointer), (attributes, pointer))
WRAP_PLAIN(cudaPeekAtLastError, (), ())
WRAP_PLAIN(cudaDriverGetVersion, (int* version), (version))
WRAP_PLAIN(cudaRuntimeGetVersion, (int* version), (version))
WRAP_PLAIN(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int gpu), (value, attribute, simulates() ? 0 : gpu))
WRAP_PLAIN(cudaGetDeviceProperties, (cudaDeviceProp* properties, int gpu), (properties, simulates() ? 0 : gpu))
// clang-format on

// WRAP_BY_HAND(cudaStreamQuery,
extern "C" cudaError_t __wrap_cudaStreamQuery(cudaStream_t stream) {
  if (fails("cudaStreamQuery", true)) return cudaErrorUnknown;
  count_stream(stream);
  count(&CudaCalls::polls);
  return __real_cudaStreamQuery(stream);
}

// A capture that fails to end is over, and there is no graph.
// WRAP_BY_HAND(cudaStreamEndCapture,
extern "C" cudaError_t __real_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
extern "C" cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const bool failing = fails("cudaStreamEndCapture");
  const cudaError_t code = __real_cudaStreamEndCapture(stream, graph);
  if (!failing) return code;
  if (code == cudaSuccess) cudaGraphDestroy(*graph);
  *graph = nullptr;
  return cudaErrorStreamCaptureInvalidated;
}

// WRAP_BY_HAND(cudaGetDeviceCount,
extern "C" cudaError_t __real_cudaGetDeviceCount(int* count);
extern "C" cudaError_t __wrap_cudaGetDeviceCount(int* count) {
  if (fails("cudaGetDeviceCount")) return cudaErrorNoDevice;
  const cudaError_t code = __real_cudaGetDeviceCount(count);
  if (code == cudaSuccess && simulates()) *count = simulated_count();
  return code;
}

// WRAP_BY_HAND(cudaGetDevice,
extern "C" cudaError_t __real_cudaGetDevice(int* gpu);
extern "C" cudaError_t __wrap_cudaGetDevice(int* gpu) {
  if (fails("cudaGetDevice")) return cudaErrorUnknown;
  const cudaError_t code = __real_cudaGetDevice(gpu);
  if (code == cudaSuccess && simulates()) *gpu = simulated_gpu;
  return code;
}

// WRAP_BY_HAND(cudaSetDevice,
extern "C" cudaError_t __real_cudaSetDevice(int gpu);
extern "C" cudaError_t __wrap_cudaSetDevice(int gpu) {
  if (fails("cudaSetDevice")) return cudaErrorUnknown;
  if (!simulates()) return __real_cudaSetDevice(gpu);
  if (gpu < 0 || gpu >= simulated_count()) return cudaErrorInvalidDevice;
  simulated_gpu = gpu;
  return __real_cudaSetDevice(0);
}

int triptych::test::current_gpu() {
  int gpu = -1;
  if (simulates()) return simulated_gpu;
  return __real_cudaGetDevice(&gpu) == cudaSuccess ? gpu : -1;
}

// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
