// How the one-pass kernel divides a level between the blocks of a GPU. Needs no CUDA: a plan follows from the
// level and a description of the GPU.
#pragma once

#include <triptych/aam_fit/fit.hpp>

#include <cstdint>
#include <string>

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
  int columns = 0;     // samples of a block: a multiple of 128, of 256 when halves
  int blocks = 0;      // all resident together, one per multiprocessor. 0: no plan
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
  friend bool operator==(const OnePassDevice&, const OnePassDevice&) = default;
};
// While it lives, the fitters that this thread makes take the current GPU for one of at most this size: a
// slice of a GPU, or a small one, on the GPU at hand. One at a time.
class OnePassDeviceLimit {
 public:
  explicit OnePassDeviceLimit(const OnePassDevice& limit);
  ~OnePassDeviceLimit();
  OnePassDeviceLimit(const OnePassDeviceLimit&) = delete;
  OnePassDeviceLimit& operator=(const OnePassDeviceLimit&) = delete;

  static OnePassDevice applied_to(const OnePassDevice& device);
};

// The plan for a level; rows_per_warp and blocks are 0 when the kernel cannot serve it on this device.
OnePassPlan plan_one_pass(std::int64_t samples, int modes, int points, Storage storage, bool search,
                          const OnePassDevice& device);
bool fits(const OnePassPlan& plan, const OnePassDevice& device);

// How many quarters of the products with c lie in shared memory, for every four threads.
constexpr int shared_product_parts(int rows_per_warp, MatrixStorage storage, bool search) {
  if (storage != MatrixStorage::registers_float) return padded_modes(rows_per_warp) / 4;
  return search ? 0 : 8;
}
// Shared memory of a block: what a launch asks for, and a bound of what the kernels declare.
std::int64_t shared_bytes(const OnePassPlan& plan);
constexpr std::int64_t max_static_shared_bytes(bool search) { return (search ? 23 : 16) * 1024; }

}  // namespace triptych::aam_fit
