// Row plans: the threads that own a row, by the shape of the matrix.
#include <triptych/core/error.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/detail/shape.hpp>

#include <algorithm>

#include "row_plan.hpp"

namespace triptych::reduction {

namespace {

constexpr std::int64_t pack = 4;  // floats in a 16-byte load

RowPlan by_lanes(int lanes) { return {.lanes = lanes, .block = 0, .rows = 1, .shares = 1, .cluster = false}; }

RowPlan by_blocks(int block, int rows, int shares, bool cluster) {
  return {.lanes = 32, .block = block, .rows = rows, .shares = shares, .cluster = cluster && shares > 1};
}

// So that products of sizes and of the numbers of a plan do not overflow.
void check_shape(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t largest = std::int64_t{1} << 48;
  require(rows >= 0 && rows <= largest && cols >= 0 && cols <= largest, "a matrix cannot be ", rows, " x ",
          cols, ": a size is negative or above 2^48");
}

// Lanes per row when there are enough rows to fill the GPU: each lane has several packs in flight.
int lanes_for(std::int64_t cols) {
  if (cols <= 2 * pack) return 1;
  if (cols <= 16 * pack) return 4;
  if (cols <= 64 * pack) return 8;
  return 32;
}

}  // namespace

void check_plan(std::int64_t rows, const RowPlan& plan) {
  check_shape(rows, 1);
  const auto refuse = [&plan](const std::string& why) {
    throw InvalidArgument("row plan '" + to_string(plan) + "': " + why + ": use a plan from plan_rows()");
  };
  if (plan.block == 0) {
    if (plan.lanes != 1 && plan.lanes != 4 && plan.lanes != 8 && plan.lanes != 32)
      refuse("a row is owned by 1, 4, 8 or 32 lanes");
    if (plan.rows != 1 || plan.shares != 1 || plan.cluster)
      refuse("the lanes of a warp own one row, without shares");
    return;
  }
  if (plan.block != 256 && plan.block != 512 && plan.block != 1024)
    refuse("a block has 256, 512 or 1024 threads");
  if (plan.rows != 1 && !(plan.rows == 2 && plan.block < 1024))
    refuse("a block owns one row, or two with at most 512 threads");
  const int max_shares = plan.cluster ? 8 : 256;
  if (plan.shares < 1 || plan.shares > max_shares)
    refuse("a row has 1 to " + std::to_string(max_shares) + " shares");
  if (plan.cluster && plan.shares == 1) refuse("a cluster has at least two shares");
  const std::int64_t groups = detail::divide_up(rows, plan.rows);
  if (plan.shares > 1 && !plan.cluster && groups > Workspace::ticket_count)
    refuse("more than " + std::to_string(Workspace::ticket_count) +
           " groups of rows cannot be combined through memory");
  if (groups * plan.shares > 0x7fffffff) refuse("the grid is too large: use a plan by lanes");
}

std::size_t row_workspace_bytes(std::int64_t rows, const RowPlan& plan) {
  check_plan(rows, plan);
  if (plan.block == 0 || plan.shares == 1 || plan.cluster) return 0;
  const std::int64_t groups = detail::divide_up(rows, plan.rows);
  return sizeof(float) * static_cast<std::size_t>(groups * plan.rows * plan.shares);
}

// The limits are the crossing points of measured times on an H200.
RowPlan plan_rows(std::int64_t rows, std::int64_t cols, const RowDevice& device) {
  check_shape(rows, cols);
  require(device.multiprocessors >= 1, "a GPU cannot have ", device.multiprocessors, " multiprocessors");
  const std::int64_t sms = device.multiprocessors;
  if (cols <= 64 * pack) return by_lanes(lanes_for(cols));
  if (cols <= 512 * pack && rows >= 4 * sms) return by_lanes(32);
  if (rows >= 4 * sms) return by_blocks(256, 2, 1, false);  // enough rows to fill the GPU without shares
  if (cols <= 512 * pack) return by_blocks(256, 1, 1, false);
  if (cols <= 2048 * pack) return by_blocks(512, 1, 1, false);
  if (6 * rows <= sms && cols > 65536) {  // very few, very long rows: one block per multiprocessor
    const std::int64_t shares = std::min(sms / std::max<std::int64_t>(rows, 1), cols / pack / 2048);
    return by_blocks(1024, 1, static_cast<int>(std::clamp<std::int64_t>(shares, 1, 128)),
                     shares <= 8 && device.clusters);
  }
  // tens of long rows: one block per row while that is close to one block per multiprocessor, else clusters
  const bool half_full = 3 * rows >= sms && 2 * rows <= sms;
  if (cols <= 16384 || (half_full && cols <= 32768)) return by_blocks(1024, 1, 1, false);
  if (half_full && 18 * rows >= 8 * sms) return by_blocks(1024, 1, 2, device.clusters);
  if (rows <= 32) return by_blocks(256, 1, 8, device.clusters);
  const std::int64_t shares = 5 * sms / ((rows + 1) / 2);  // more blocks would not be resident
  return by_blocks(256, 2, static_cast<int>(std::clamp<std::int64_t>(shares, 1, 8)), device.clusters);
}

std::vector<RowPlan> candidate_row_plans(std::int64_t rows, std::int64_t cols, const RowDevice& device) {
  std::vector<RowPlan> plans{plan_rows(rows, cols, device)};
  const auto add = [&](const RowPlan& plan) {
    if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(plan);
  };
  if (cols <= 1024 * pack) {
    for (const int lanes : {1, 4, 8, 32}) add(by_lanes(lanes));
  }
  for (const int block : {256, 512, 1024}) {
    for (const int together : {1, 2}) {
      if (together == 2 && (block == 1024 || rows < 2)) continue;
      for (const int shares : {1, 2, 3, 4, 6, 8, 16, 32, 64}) {
        const bool too_short = shares > 1 && std::int64_t{shares} * block * pack > 2 * cols;
        const bool enough_with_fewer =
            shares > 1 && rows / together * (shares / 2) >= 4 * std::int64_t{device.multiprocessors};
        if (too_short || enough_with_fewer) continue;
        if (shares <= 8) add(by_blocks(block, together, shares, device.clusters));
        if (shares > 1) add(by_blocks(block, together, shares, false));
      }
    }
  }
  return plans;
}

}  // namespace triptych::reduction
