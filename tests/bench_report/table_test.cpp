#include <gtest/gtest.h>

#include "report/table.hpp"
#include "samples.hpp"

namespace triptych::report {
namespace {

using test::entry;

TEST(Table, SizesDownSeriesAcrossFastestBold) {
  const Results all = test::results({
      entry("limit/read/gpu", 1, 1e7),  // 10 TB/s
      entry("sum/float/peer_cub/rotating/2048", 3),
      entry("sum/float/mine/rotating/2048", 2.004),
      entry("sum/float/automatic/rotating/2048", 2, 8192),
      entry("sum/float/automatic/rotating/1000", 1, 4000),
  });
  const std::vector<Grid> grids = make_grids(all);
  ASSERT_EQ(grids.size(), 1u);
  EXPECT_EQ(grid_table(grids[0], find_limits(all)),
            "| size | automatic | peer_cub | mine | automatic, GB/s | share of read |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: |\n"
            "| 1000 | **1.00** |  |  | 4.00 | 0 % |\n"
            "| 2^11 | **2.00** | 3.00 | **2.00** | 4.10 | 0 % |\n\n");
}

TEST(Table, GpuSumsOfFloatComeFirst) {
  const Results all = test::results({
      entry("sum_cpu/float/simd/memory/2", 1),
      entry("multiply/float/plan/resident/2x2", 1),
      entry("min/float/automatic/rotating/2", 1),
      entry("sum/double/automatic/resident/2", 1),
      entry("sum/float/automatic/resident/2", 1),
      entry("sum/float/automatic/rotating/2", 1),
  });
  std::string order;
  for (const Grid& grid : make_grids(all)) order += grid.group + " " + grid.type + " " + grid.mode + "; ";
  EXPECT_EQ(order,
            "sum float rotating; sum float resident; sum double resident; min float rotating; "
            "multiply float resident; sum_cpu float memory; ");
}

TEST(Table, Limits) {
  EXPECT_EQ(
      limits_table(test::results({entry("limit/read/cpu_1", 2, 1, 3, 4e4), entry("limit/launch/x", 2.5, 0)})),
      "| limit | measured | time (us) | 10th to 90th percentile (us) |\n"
      "| --- | ---: | ---: | ---: |\n"
      "| read, one core | 20.0 GB/s | 2.00 | 1.00 to 3.00 |\n"
      "| limit/launch/x | 2.50 us | 2.50 | - |\n\n");
  EXPECT_EQ(limits_table(test::results({entry("x", 1)})), "");
  const std::string copy = limits_table(test::results({entry("limit/copy/gpu", 100, 2e6)}));
  EXPECT_NE(copy.find("| copy of a frame from pinned memory to the GPU | 20.0 GB/s | 100 | - |"),
            std::string::npos);
}

TEST(Table, OtherNamesByTheirFirstPart) {
  const std::string text =
      other_tables(test::results({entry("b/one", 1), entry("a|", 2), entry("b/two/3", 3)}));
  EXPECT_LT(text.find("## a\\|\n"), text.find("## b\n"));
  EXPECT_NE(text.find("| a\\| | 2.00 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| one | 1.00 |"), std::string::npos);
  EXPECT_NE(text.find("| two/3 | 3.00 |"), std::string::npos);
  EXPECT_NE(other_tables(test::results({entry("skin/rgba/fast/total/1920x1080", 4)}))
                .find("| rgba/fast/total/1920x1080 | 4.00 |"),
            std::string::npos);
}

TEST(Table, Failures) {
  const Json failed = {{"name", "sum/a"}, {"error_occurred", true}, {"error_message", "wrong *result*"}};
  EXPECT_EQ(failure_list(test::results({failed})), "- sum/a: wrong \\*result\\*\n\n");
}

}  // namespace
}  // namespace triptych::report
