// The strategies of a reduction, on the GPU and on the CPU, and the determinism of each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace triptych::reduction {

// Strategies of a GPU. docs/method.md explains each one.
enum class Strategy {
  automatic,              // the fastest in measurements of this device for the size and the type
                          // (autotune.hpp); single_pass without measurements
  global_atomic,          // one atomic per element, all on one address
  shared_atomic,          // shared atomics per element, one global atomic per block
  tree_interleaved,       // a tree in shared memory with interleaved addressing: divergent warps
  tree_sequential,        // a tree with sequential addressing: no divergence, no bank conflicts
  grid_stride_shared,     // many elements per thread, summed in shared memory, then a tree
  grid_stride_shared_x2,  // the same with two loads per iteration
  grid_stride_register,   // the same summed in a register, then a tree
  grid_stride_atomic,     // the same with one shared atomic per thread instead of the tree
  warp_shuffle,           // summed in a register, then shuffles; shared memory for the last step only
  single_pass,            // one launch, 16-byte loads; the last block combines the values of all blocks
  cluster,                // blocks of a cluster combine in distributed shared memory (compute capability 9.0)
  cub_block,              // grid stride with cub::BlockReduce
  cub_device,             // cub::DeviceReduce
  thrust                  // thrust::reduce
};

// Strategies of a CPU.
enum class CpuStrategy {
  automatic,    // threads for large ranges, simd for small ones
  sequential,   // one accumulator, first to last
  compensated,  // Neumaier: adds up the rounding errors as well. Floating-point sums and dot products, exact
                // monoids
  pairwise,     // recursive halves: the error grows with log n
  simd,         // many independent accumulators in SIMD registers
  threads,      // simd on all cores; the same bits for every number of threads
  thrust_omp    // Thrust's OpenMP backend; in builds with CUDA, for the operations of reduce.hpp
};

// Reproducibility of the bits of a result; all but exact have the names of CCCL. Exact monoids (integer sums,
// minima, maxima) have the strictest level with every strategy. Sums of floats and doubles have it with the
// strategy automatic: the correctly rounded sum of exact.hpp.
enum class Determinism {
  not_guaranteed,  // the order of combination varies
  run_to_run,      // the same bits on the same device every time
  gpu_to_gpu,      // the same bits on every device and for every grid size
  exact            // the same bits for every order of the elements too, on GPUs and CPUs
};

std::span<const Strategy> all_strategies();         // without automatic
std::span<const CpuStrategy> all_cpu_strategies();  // without automatic

// InvalidArgument for a number that is not an enumerator, as in every function that takes one.
std::string to_string(Strategy strategy);
std::string to_string(CpuStrategy strategy);
std::string to_string(Determinism level);

// InvalidArgument, which lists the names, for any other text.
Strategy parse_strategy(std::string_view name);
CpuStrategy parse_cpu_strategy(std::string_view name);
Determinism parse_determinism(std::string_view name);

// The strictest level of a strategy for an exact or an inexact monoid; sums of floats by automatic have exact
// as well.
Determinism promised(Strategy strategy, bool exact);

struct Options {
  Strategy strategy = Strategy::automatic;
  Determinism determinism = Determinism::run_to_run;  // InvalidArgument when the strategy does not have it
  int max_blocks = 0;                                 // the largest grid; 0: no limit
};

struct CpuOptions {
  CpuStrategy strategy = CpuStrategy::automatic;
  int threads = 0;  // 0: default_threads()
  // exact: needs the strategy automatic or an exact monoid. The other levels make no difference.
  Determinism determinism = Determinism::run_to_run;
};

}  // namespace triptych::reduction
