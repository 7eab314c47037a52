// What the machine itself can do, measured in the same run as everything that is compared with it.
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

// How a thread goes through its part of memory: in so many streams side by side, 1, 2 or 4, whose lines are
// asked for so many bytes before they come.
struct ReadWay {
  int streams = 1;
  std::int64_t ahead = 0;
};

// Reads `memory`, each of so many threads a part of it, with nothing done to the data.
void read_memory(std::span<const std::byte> memory, int threads, ReadWay way);

// The time of that in the best of several ways. Measured at the first call for a number of threads, and
// remembered.
struct CpuLimit : Limit {
  ReadWay way;
};
const CpuLimit& cpu_read_limit(std::span<const std::byte> memory, int threads);

// Reading GPU memory once, by the best of several grids. Unavailable without CUDA. Measured at the first
// call.
const Limit& gpu_read_limit();

// Reading a part of GPU memory that its L2 cache holds, again and again within a kernel. Measured at the
// first call; its time and bytes are those of one reading of the part.
const Limit& gpu_cache_read_limit();

// A kernel that does nothing, as a node of a graph.
const Timing& gpu_launch_limit();

}  // namespace triptych::bench
