// CUDA calls that fail on demand. A program that is linked with cuda_faults.cpp (add_cuda_fault_test) makes
// its calls into the CUDA runtime through it: they are counted, one of them can be made to fail, and there
// can seem to be several GPUs. For all threads of the process; one fault at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace triptych::test {

// A call that can fail: the occurrence-th one (1, 2, ...) that came to the CUDA runtime on the same way,
// through the same functions from the same lines. The calls of a loop are occurrences of one way.
struct CudaCall {
  std::string name;
  std::uint64_t way = 0;
  std::int64_t occurrence = 0;
  bool poll = false;  // see CudaCalls::polls
};

// While it lives, that call fails, on the thread that made it: it has no effect and returns an error that it
// may return. Calls that free something do not count and do not fail. Ways are told apart below the function
// that makes the CudaFault, or the RecordedCudaCalls: what both call has to be one function, not inlined.
class CudaFault {
 public:
  explicit CudaFault(const CudaCall& call);
  ~CudaFault();
  CudaFault(const CudaFault&) = delete;
  CudaFault& operator=(const CudaFault&) = delete;

  // The name of the call that failed; empty: there were fewer calls.
  std::string failed() const;
};

// While it lives, calls that can fail are written down.
class RecordedCudaCalls {
 public:
  RecordedCudaCalls();
  ~RecordedCudaCalls();
  RecordedCudaCalls(const RecordedCudaCalls&) = delete;
  RecordedCudaCalls& operator=(const RecordedCudaCalls&) = delete;

  std::vector<CudaCall> calls() const;
};

// All of the calls when they are no more than `most`. Otherwise of each way its first, its second and its
// last occurrence, and so many of the others, evenly spread, that there are `most`.
std::vector<CudaCall> representative(const std::vector<CudaCall>& calls, std::size_t most);

// While it lives, every kernel and graph on an idle stream starts so late, as on a GPU that is shared, that
// its result has to be waited for.
class LateKernels {
 public:
  LateKernels();
  ~LateKernels();
  LateKernels(const LateKernels&) = delete;
  LateKernels& operator=(const LateKernels&) = delete;
};

// While it lives, there are `count` GPUs, all of them the first one.
class SimulatedGpus {
 public:
  explicit SimulatedGpus(int count);
  ~SimulatedGpus();
  SimulatedGpus(const SimulatedGpus&) = delete;
  SimulatedGpus& operator=(const SimulatedGpus&) = delete;
};

// Since the process began.
struct CudaCalls {
  std::int64_t all = 0;                // that can fail
  std::int64_t polls = 0;              // of them: how many there are depends on how busy the GPU is
  std::int64_t on_default_stream = 0;  // copies, fills, launches, events
  std::int64_t allocations = 0;        // of device and pinned memory
  std::int64_t device_wide = 0;        // that wait for, or stop, the work of other objects: free, synchronise
  // What a GPU owns (memory, streams, events) or runs (launches), made while that GPU was current.
  std::int64_t on_gpu[4] = {};
};
CudaCalls cuda_calls();
// Allocations, streams, events and graphs that exist.
std::int64_t live_cuda_objects();
int current_gpu();

}  // namespace triptych::test
