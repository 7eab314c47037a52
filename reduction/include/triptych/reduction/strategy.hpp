// The names of the ways to reduce, on the GPU and on the CPU, and what each promises.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace triptych::reduction {

// How a GPU reduces. Each is a lesson; README.md has the ladder and what each rung costs.
enum class Strategy {
  automatic,              // the fastest measured one for the size and the type, on this device when it was
                          // tuned (autotune.hpp), else single_pass
  global_atomic,          // every element on one address
  shared_atomic,          // one address a block, then one atomic a block
  tree_interleaved,       // a tree in shared memory whose active threads are spread: divergent warps
  tree_sequential,        // a tree whose active threads are neighbours: no divergence, no bank conflicts
  grid_stride_shared,     // many elements a thread, summed in shared memory
  grid_stride_shared_x2,  // the same with two elements at a time
  grid_stride_register,   // the same summed in a register, then a tree
  grid_stride_atomic,     // the same with one shared atomic a thread instead of the tree
  warp_shuffle,           // summed in a register, then shuffles; shared memory for the last step only
  single_pass,            // one launch, 16-byte loads, the last block collects the others' values
  cluster,                // blocks of a cluster meet in distributed shared memory (compute capability 9.0)
  cub_block,              // grid stride with cub::BlockReduce
  cub_device,             // cub::DeviceReduce
  thrust                  // thrust::reduce
};

// How a CPU reduces.
enum class CpuStrategy {
  automatic,    // threads for large ranges, simd for small ones
  sequential,   // one accumulator, first to last
  compensated,  // Neumaier: the rounding errors are summed too. Floating-point sums and dot products, exact
                // monoids
  pairwise,     // halves of halves: the error grows with log n
  simd,         // many independent accumulators, as wide as the machine's registers
  threads,      // simd on every core; the same bits for every number of threads
  thrust_omp    // Thrust's OpenMP backend; in builds with CUDA, for the ready-made operations
};

// What is promised about the bits of a result, with the names that CCCL gave these levels. Exact monoids
// (integer sums, minima, maxima) keep the strictest promise by any strategy.
enum class Determinism {
  not_guaranteed,  // the order of combining varies
  run_to_run,      // the same bits on the same device every time
  gpu_to_gpu       // the same bits on every device and for every grid size
};

std::span<const Strategy> all_strategies();         // without automatic
std::span<const CpuStrategy> all_cpu_strategies();  // without automatic

std::string to_string(Strategy strategy);
std::string to_string(CpuStrategy strategy);
std::string to_string(Determinism level);

// InvalidArgument, listing the known names, when there is no such name.
Strategy parse_strategy(std::string_view name);
CpuStrategy parse_cpu_strategy(std::string_view name);
Determinism parse_determinism(std::string_view name);

// The strictest level that a strategy keeps for a monoid that is or is not exact.
Determinism promised(Strategy strategy, bool exact);

struct Options {
  Strategy strategy = Strategy::automatic;
  Determinism determinism = Determinism::run_to_run;  // a strategy that cannot keep it is an InvalidArgument
  int max_blocks = 0;                                 // the largest grid; 0: as many blocks as there are
};

struct CpuOptions {
  CpuStrategy strategy = CpuStrategy::automatic;
  int threads = 0;  // 0: all
};

}  // namespace triptych::reduction
