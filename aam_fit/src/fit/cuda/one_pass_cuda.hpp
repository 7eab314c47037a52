// The one-pass fit as one kernel: its arguments, its layout over the blocks, and its launch.
#pragma once

#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/stream.hpp>

#include <cstdint>
#include <string>

#include "fit/cuda/level_cuda.hpp"
#include "fit/fit_math.hpp"

namespace triptych::aam_fit {

// Where a block's part of the matrix lies while the fit runs.
enum class MatrixStorage {
  shared_float,     // floats in shared memory
  registers_float,  // floats, two rows of each warp in registers and the rest in shared memory
  shared_half,      // halves in shared memory
  streamed_float,   // read from memory (the L2 cache) in every pass
  streamed_half
};

struct OnePassPlan {
  int rows_per_warp = 0;  // of 16 warps; 3, 5, 8 or 9: for up to 20, 36, 60 or 64 modes. 0: no plan
  MatrixStorage storage = MatrixStorage::shared_float;
  int columns = 0;  // samples of a block: a multiple of 128, of 256 when halves
  int blocks = 0;
  bool search = true;  // else whole steps
  friend bool operator==(const OnePassPlan&, const OnePassPlan&) = default;
};
constexpr int one_pass_warps = 16;
constexpr int max_one_pass_points = 128;
constexpr int one_pass_group = 3;                // trials whose sums are exchanged in one pass
constexpr int padded_modes(int rows_per_warp) {  // capacity
  return rows_per_warp == 3 ? 20 : rows_per_warp == 5 ? 36 : rows_per_warp == 8 ? 60 : 64;
}
inline int slots(const OnePassPlan& plan) { return plan.rows_per_warp * one_pass_warps; }
inline std::int64_t padded_samples(const OnePassPlan& plan) {
  return static_cast<std::int64_t>(plan.columns) * plan.blocks;
}
std::string to_string(const OnePassPlan& plan);

struct OnePassDevice {
  int multiprocessors = 0;
  std::int64_t shared_bytes = 0;  // of a block, at most
};
OnePassDevice current_one_pass_device();
// The plan for a level, rows_per_warp 0 when the kernel cannot serve it.
OnePassPlan plan_one_pass(std::int64_t samples, int modes, int points, Storage storage, bool search,
                          const OnePassDevice& device);
// How many quarters of the products with c lie in shared memory, for every four threads.
constexpr int shared_product_parts(int rows_per_warp, MatrixStorage storage, bool search) {
  if (storage != MatrixStorage::registers_float) return padded_modes(rows_per_warp) / 4;
  return search ? 0 : 8;
}
std::int64_t shared_bytes(const OnePassPlan& plan);  // dynamic

struct OnePassArguments {
  LevelOnDevice level;
  PlanesOnDevice planes;
  FitRules rules;
  std::int32_t columns;
  std::int32_t group;  // trials after the first that are evaluated in one pass: 1 or one_pass_group
  float* parameters;   // modes + 4: the start, then the result
  DeviceLevelFit* result;
  float* errors;         // 1 + max_iterations
  uint4* words;          // word_count()
  std::uint32_t* epoch;  // tags continue from fit to fit, also when a graph is replayed
};
std::int64_t word_count(const OnePassPlan& plan);

// The kernel of a plan, null when there is none. Compiled for 3, 5, 8 and 9 rows per warp, each in a source
// of its own that CMake makes of one_pass_kernels.cu.in.
using OnePassKernel = void (*)(OnePassArguments);
template <int RowsPerWarp>
OnePassKernel one_pass_kernel_of(MatrixStorage storage, bool search);

// Sets the kernel up (shared memory) for a plan, once; Unavailable when the blocks would not be resident
// together.
void prepare_one_pass(const OnePassPlan& plan);
void launch_one_pass(const OnePassPlan& plan, const OnePassArguments& arguments, StreamRef stream);

}  // namespace triptych::aam_fit
