// The limits of the machine, measured in the same run as the times that are compared with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "timing.hpp"

namespace triptych::bench {

struct Limit {
  Timing timing;
  double bytes = 0;
  double bytes_per_us() const { return bytes / timing.us; }
};

// How a thread reads its part of memory.
struct ReadPattern {
  int streams = 1;                  // 1, 2 or 4 concurrent streams
  std::int64_t prefetch_bytes = 0;  // the prefetch distance
};

// Reads `memory` on that many threads, each a part of it, without processing the data.
void read_memory(std::span<const std::byte> memory, int threads, ReadPattern pattern);

// The time of read_memory with the fastest pattern. Measured at the first call for a number of threads, then
// cached.
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

// An empty kernel as a node of a graph.
const Timing& gpu_launch_limit();

}  // namespace triptych::bench
