// The one-pass fit as one kernel: its arguments and its launch.
#pragma once

#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/stream.hpp>

#include <cstdint>

#include "fit/cuda/level_cuda.hpp"
#include "fit/cuda/one_pass_plan.hpp"
#include "fit/fit_math.hpp"

namespace triptych::aam_fit {

// The current GPU, or less of it: see OnePassDeviceLimit.
OnePassDevice current_one_pass_device();

// Fits that run side by side, in rows of blocks of one launch.
constexpr int max_one_pass_fits = 8;

struct OnePassArguments {
  LevelOnDevice level;
  PlanesOnDevice planes;  // all but data
  const float* data[max_one_pass_fits];
  FitRules rules;
  std::int32_t columns;
  std::int32_t group;  // trials after the first that are evaluated in one pass: 1 or one_pass_group
  std::int32_t words_of_fit;
  // A row per fit.
  float* parameters;  // modes + 4: the start, then the result
  DeviceLevelFit* results;
  float* errors;          // 1 + max_iterations
  uint4* words;           // words_of_fit: word_count()
  std::uint32_t* epochs;  // tags continue from fit to fit, also when a graph is replayed
};
std::int64_t word_count(const OnePassPlan& plan);

// The kernel of a plan, null when there is none. Compiled for 3, 5, 8 and 9 rows per warp, each in a source
// of its own that CMake makes of one_pass_kernels.cu.in.
using OnePassKernel = void (*)(OnePassArguments);
template <int RowsPerWarp>
OnePassKernel one_pass_kernel_of(MatrixStorage storage, bool search);

// The number of fits whose blocks are resident on the current GPU at the same time, at most
// max_one_pass_fits.
int resident_fits(const OnePassPlan& plan);
// Allows the plan's kernel all shared memory of the current GPU, whatever this plan needs: fitters share the
// kernel. False when the plan's blocks would not be resident together.
bool prepare_one_pass(const OnePassPlan& plan);
// fits: up to resident_fits().
void launch_one_pass(const OnePassPlan& plan, const OnePassArguments& arguments, int fits, StreamRef stream);

}  // namespace triptych::aam_fit
