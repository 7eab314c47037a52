// The limits of the machine, measured in the same run as the times that are compared with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "timing.hpp"

namespace triptych::bench {

struct Limit {
  Timing timing;
  double bytes = 0;
  double operations = 0;  // of floats; a multiply-add counts as two
  double bytes_per_us() const { return bytes / timing.us; }
  double operations_per_us() const { return operations / timing.us; }
};

// How a thread reads its part of memory.
struct ReadPattern {
  int streams = 1;                  // 1, 2 or 4 concurrent streams
  std::int64_t prefetch_bytes = 0;  // the prefetch distance
};

// Reads `memory` on that many threads, each a part of it, without processing the data.
void read_memory(std::span<const std::byte> memory, int threads, ReadPattern pattern);

// The time of read_memory with the fastest pattern. Measured at the first call for a number of threads and
// bytes, then cached.
struct CpuLimit : Limit {
  ReadPattern pattern;
};
const CpuLimit& cpu_read_limit(std::span<const std::byte> memory, int threads);

// One read of GPU memory with the fastest of several grids. Unavailable without CUDA. Measured at the first
// call.
const Limit& gpu_read_limit();

// Repeated reads of memory that fits the L2 cache, within one kernel. Measured at the first call; time and
// bytes are those of one read.
const Limit& gpu_cache_read_limit();

// The cache's limit where the same `bytes` are read in every call and fit into half of the L2 cache, else
// that of memory.
const Limit& gpu_limit_of(double bytes, bool same_input);

// An empty kernel as a node of a graph.
const Timing& gpu_launch_limit();

// Multiply-adds of floats in registers, in independent chains: by that many threads with the widest packs of
// this machine, and by a GPU. Measured at the first call.
const Limit& cpu_fma_limit(int threads);
const Limit& gpu_fma_limit();

// The version of CCCL (CUB, Thrust) that the bench was compiled with; empty without CUDA.
std::string cccl_version();

}  // namespace triptych::bench
