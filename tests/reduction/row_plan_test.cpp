// The choice of a row plan: every shape gets a valid plan on every device.
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>

#include "row_plan.hpp"
#include "testing/expect_error.hpp"

namespace triptych::reduction {
namespace {

RowPlan by_shares(int block, int shares) {
  return {.lanes = 32, .block = block, .rows = 1, .shares = shares, .cluster = false};
}

TEST(RowPlan, EveryShapeAndDeviceGetsAValidPlan) {
  for (const int multiprocessors : {1, 20, 46, 108, 132, 192}) {
    for (const bool clusters : {false, true}) {
      for (const std::int64_t rows : {1, 2, 24, 44, 84, 500, 5000, 70000, 3000000}) {
        for (const std::int64_t cols : {0, 1, 7, 64, 129, 1024, 4096, 16384, 65536, 1000003}) {
          const RowDevice device{multiprocessors, clusters};
          const auto candidates = candidate_row_plans(rows, cols, device);
          ASSERT_EQ(candidates.front(), plan_rows(rows, cols, device));
          for (const RowPlan& plan : candidates) {
            EXPECT_NO_THROW(check_plan(rows, plan)) << rows << " x " << cols;
            EXPECT_TRUE(clusters || !plan.cluster);
            EXPECT_EQ(parse_row_plan(to_string(plan)), plan);
          }
        }
      }
    }
  }
}

TEST(RowPlan, LongRowsGetMoreThreadsThanShortOnes) {
  const RowDevice h200{132, true};
  EXPECT_EQ(threads_per_row(plan_rows(1000000, 3, h200)), 1);
  EXPECT_EQ(threads_per_row(plan_rows(100000, 1000, h200)), 32);
  EXPECT_EQ(threads_per_row(plan_rows(24, 8192, h200)), 512);
  EXPECT_EQ(threads_per_row(plan_rows(64, 65536, h200)), 2048);
  EXPECT_TRUE(plan_rows(64, 65536, h200).cluster);
  EXPECT_FALSE(plan_rows(64, 65536, {132, false}).cluster);
}

TEST(RowPlan, APlanWithoutRowsIsRefused) {
  const RowPlan no_rows{.lanes = 32, .block = 256, .rows = 0, .shares = 4, .cluster = false};
  EXPECT_ERROR(row_workspace_bytes(5, no_rows), InvalidArgument, "a block owns one row");
  EXPECT_ERROR(check_plan(5, no_rows), InvalidArgument, "a block owns one row");
}

TEST(RowPlan, NumbersThatOverflowAreRefused) {
  const RowPlan shared = by_shares(256, 4);
  EXPECT_ERROR(row_workspace_bytes(INT64_MAX, shared), InvalidArgument, "above 2^48");
  EXPECT_ERROR(row_workspace_bytes(-1, shared), InvalidArgument, "-1 x 1");
  EXPECT_ERROR(row_workspace_bytes(std::int64_t{1} << 48, by_shares(256, 1)), InvalidArgument,
               "the grid is too large");
  EXPECT_ERROR(threads_per_row(by_shares(INT_MAX, INT_MAX)), InvalidArgument, "256, 512 or 1024 threads");
  for (const std::int64_t bad : {std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
    EXPECT_ERROR(plan_rows(bad, 100000, {}), InvalidArgument, "a matrix cannot be");
    EXPECT_ERROR(candidate_row_plans(5, bad, {}), InvalidArgument, "a matrix cannot be");
    EXPECT_ERROR(candidate_row_plans(bad, 100000, {}), InvalidArgument, "a matrix cannot be");
  }
  EXPECT_ERROR(plan_rows(5, 5, {.multiprocessors = 0}), InvalidArgument, "0 multiprocessors");
  EXPECT_NO_THROW(
      candidate_row_plans(std::int64_t{1} << 48, std::int64_t{1} << 48, {.multiprocessors = INT_MAX}));
}

}  // namespace
}  // namespace triptych::reduction
