// What the machine itself can do, measured in the same run as everything that is compared with it.
#pragma once

#include "timing.hpp"

#include <cstdint>

namespace triptych::bench {

struct Limit {
  Timing timing;
  double bytes = 0;
  double bytes_per_us() const { return bytes / timing.us; }
};

// Reading main memory once, by one thread or by all, with nothing done to the data. Measured at the first
// call.
const Limit& cpu_read_limit(int threads);

// Reading GPU memory once, by the best of several grids. Unavailable without CUDA. Measured at the first
// call.
const Limit& gpu_read_limit();

// A kernel that does nothing, as a node of a graph.
const Timing& gpu_launch_limit();

}  // namespace triptych::bench
