// The choice of a row plan: every shape gets a valid plan on every device.
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include "row_plan.hpp"

namespace triptych::reduction {
namespace {

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

}  // namespace
}  // namespace triptych::reduction
