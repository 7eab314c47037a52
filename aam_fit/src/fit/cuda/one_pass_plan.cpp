// Which storage and how many columns a block of the one-pass kernel takes, for a level and a GPU.
#include <algorithm>
#include <optional>

#include "fit/cuda/one_pass_plan.hpp"

namespace triptych::aam_fit {

namespace {

int rows_per_warp_for(int modes) {
  if (modes <= 20) return 3;
  if (modes <= 36) return 5;
  if (modes <= 60) return 8;
  return modes <= 64 ? 9 : 0;
}

thread_local std::optional<OnePassDevice> device_limit;

}  // namespace

OnePassDeviceLimit::OnePassDeviceLimit(const OnePassDevice& limit) { device_limit = limit; }
OnePassDeviceLimit::~OnePassDeviceLimit() { device_limit.reset(); }

OnePassDevice OnePassDeviceLimit::applied_to(const OnePassDevice& device) {
  if (!device_limit) return device;
  return {std::min(device.multiprocessors, device_limit->multiprocessors),
          std::min(device.shared_bytes, device_limit->shared_bytes)};
}

std::int64_t shared_bytes(const OnePassPlan& plan) {
  const std::int64_t columns = plan.columns;
  const std::int64_t x = (plan.search ? one_pass_group : 1) * columns * 4 +
                         std::int64_t{32 * one_pass_warps * 4} *
                             shared_product_parts(plan.rows_per_warp, plan.storage, plan.search);
  switch (plan.storage) {
    case MatrixStorage::shared_float:
      return x + slots(plan) * columns * 4;
    case MatrixStorage::registers_float:
      return x + std::int64_t{one_pass_warps} * (plan.rows_per_warp - 2) * columns * 4;
    case MatrixStorage::shared_half:
      return x + slots(plan) * columns * 2;
    default:
      return x;
  }
}

bool fits(const OnePassPlan& plan, const OnePassDevice& device) {
  return shared_bytes(plan) + max_static_shared_bytes(plan.search) <= device.shared_bytes &&
         plan.blocks <= device.multiprocessors;
}

// Every block sends words to every block: few blocks with many samples are best, as long as their part of the
// matrix stays on the chip.
OnePassPlan plan_one_pass(std::int64_t samples, int modes, int points, Storage storage, bool search,
                          const OnePassDevice& device) {
  const int rows = rows_per_warp_for(modes);
  if (rows == 0 || points > max_one_pass_points || samples < 1 || samples > (std::int64_t{1} << 30) ||
      device.multiprocessors < 1)
    return {};
  const bool half = storage == Storage::float16;
  const int grain = half ? 256 : 128;
  const auto blocks_of = [&](int columns) { return static_cast<int>((samples + columns - 1) / columns); };
  constexpr int max_blocks_small = 32, max_blocks_middle = 64;
  int columns = samples <= std::int64_t{128} * max_blocks_small    ? 128
                : samples <= std::int64_t{256} * max_blocks_middle ? 256
                                                                   : 512;
  columns = std::max(columns, grain);
  if (blocks_of(columns) > device.multiprocessors) {
    const auto share = static_cast<int>((samples + device.multiprocessors - 1) / device.multiprocessors);
    columns = (share + grain - 1) / grain * grain;
  }
  OnePassPlan plan;
  plan.rows_per_warp = rows;
  plan.search = search;
  const auto kept = [&](int c, MatrixStorage where) {
    plan.columns = c;
    plan.blocks = blocks_of(c);
    plan.storage = where;
    return fits(plan, device);
  };
  // From `largest` columns down, as long as there are no more than max_blocks.
  const auto kept_up_to = [&](int largest, int max_blocks, MatrixStorage where) {
    for (int c = largest; c >= grain && blocks_of(c) <= max_blocks; c -= grain)
      if (kept(c, where)) return true;
    return false;
  };
  const auto shared = half ? MatrixStorage::shared_half : MatrixStorage::shared_float;
  const auto streamed = half ? MatrixStorage::streamed_half : MatrixStorage::streamed_float;
  if (kept(columns, shared)) return plan;
  if (!half) {
    if (kept_up_to(columns - grain, 96, shared)) return plan;
    if (rows == 8 && columns <= 512 && kept(512, MatrixStorage::registers_float)) return plan;
  }
  if (kept_up_to(columns - grain, device.multiprocessors, shared)) return plan;
  if (kept_up_to(columns, device.multiprocessors, streamed)) return plan;
  return {};
}

std::string to_string(const OnePassPlan& plan) {
  const char* where = plan.storage == MatrixStorage::shared_float ? "floats in shared memory"
                      : plan.storage == MatrixStorage::registers_float
                          ? "floats in registers and shared memory"
                      : plan.storage == MatrixStorage::shared_half    ? "halves in shared memory"
                      : plan.storage == MatrixStorage::streamed_float ? "floats streamed from memory"
                                                                      : "halves streamed from memory";
  return "one pass, " + std::to_string(plan.blocks) + " blocks of " + std::to_string(plan.columns) +
         " samples, " + where;
}

}  // namespace triptych::aam_fit
