#include <gtest/gtest.h>

#include <algorithm>

#include "report/charts.hpp"
#include "report/report.hpp"
#include "samples.hpp"

namespace triptych::report {
namespace {

using test::entry;

std::vector<Chart> charts_of(std::vector<Json> entries) {
  const Results all = test::results(std::move(entries));
  return make_charts(all, make_grids(all));
}

std::string files_of(std::vector<Json> entries) {
  std::string names;
  for (const Chart& chart : charts_of(std::move(entries))) names += chart.file + " ";
  return names;
}

TEST(Charts, OnlyWithData) {
  EXPECT_EQ(files_of(test::sample_entries()),
            "sum_float.svg sum_float_share.svg multiply.svg sum_cpu.svg skin_table.svg ");
  EXPECT_EQ(files_of({entry("x", 1)}), "");
  EXPECT_EQ(files_of({entry("sum_cpu/double/simd/memory/4", 1)}), "sum_cpu.svg ");
  EXPECT_EQ(files_of({entry("sum/double/automatic/rotating/4", 1)}), "");
  EXPECT_EQ(files_of({entry("sum/float/thrust/resident/4", 1)}), "sum_float.svg ");
  EXPECT_EQ(files_of({entry("multiply/float/plan/resident/4x4", 1)}), "");  // no cuBLAS
}

TEST(Charts, TheFloorIsLaunchThenBandwidth) {
  // 4 bytes at 1000 GB/s: 2^20 floats take 4.19 us, 2^10 the launch.
  const std::vector<Chart> charts = charts_of(
      {entry("limit/read/gpu", 1000, 1e9), entry("limit/launch/gpu", 1.5),
       entry("sum/float/automatic/rotating/1024", 2), entry("sum/float/automatic/rotating/1048576", 6)});
  const Panel& panel = charts.at(0).figure.panels.at(0);
  ASSERT_TRUE(panel.floor);
  EXPECT_EQ(panel.floor->points.front().y, 1.5);
  const Point last = panel.floor->points.back();
  EXPECT_NEAR(last.y, last.x * 4 / 1e6, 1e-9);
  EXPECT_EQ(panel.floor->label, "physical floor: launch 1.50 \xc2\xb5s, read 1.00 TB/s");
}

TEST(Charts, MultiplyHasAPanelForEachModeAndALineForEachRowCount) {
  std::vector<Json> entries;
  for (const std::string size : {"4x64", "4x128", "1x64"}) {
    entries.push_back(entry("multiply/float/plan/resident/" + size, 2));
    entries.push_back(entry("multiply/float/peer_cublas/resident/" + size, 3));
    entries.push_back(entry("multiply/float/plan/rotating/" + size, 2));
    entries.push_back(entry("multiply/float/peer_cublas/rotating/" + size, 4));
  }
  const std::vector<Chart> charts = charts_of(entries);
  ASSERT_EQ(charts.size(), 1u);
  const std::vector<Panel>& panels = charts[0].figure.panels;
  ASSERT_EQ(panels.size(), 2u);
  ASSERT_EQ(panels[0].lines.size(), 2u);
  EXPECT_EQ(panels[0].lines[0].label, "1 row");
  EXPECT_EQ(panels[0].lines[1].label, "4 rows");
  EXPECT_EQ(panels[0].lines[1].points.at(1).x, 128);
  EXPECT_EQ(panels[0].lines[1].points.at(1).y, 2);
  EXPECT_EQ(panels[1].lines[1].points.at(1).y, 1.5);
}

TEST(Charts, LabelsAreCutAtCharacters) {
  EXPECT_EQ(short_label("grid_stride_shared_x2"), "grid_stride_shared_x2");
  std::string long_name;
  for (int i = 0; i < 30; ++i) long_name += "\xc2\xb5";
  const std::string cut = short_label(long_name);
  EXPECT_TRUE(cut.ends_with("...")) << cut;
  EXPECT_EQ(cut.find("\xef\xbf\xbd"), std::string::npos);
  EXPECT_EQ(short_label(cut), cut);
}

TEST(Charts, ExtremeNumbersAreDrawn) {
  for (const double time : {1e-6, 1.0, 1e18}) {
    for (const double bytes : {1e-6, 1.0, 1e18}) {
      std::vector<Json> entries = test::sample_entries();
      for (const std::string name :
           {"sum/float/automatic/resident/9223372036854775807", "sum_cpu/float/simd/memory/1",
            "multiply/float/plan/resident/1x1", "limit/read/gpu", "limit/copy/gpu",
            "skin/rgba/gpu1/total/1920x1080", "skin/rgba/fast/resident/1920x1080",
            "skin/rgba/batch9223372036854775807/rotating/1920x1080"}) {
        entries.push_back(entry(name, time, bytes));
      }
      for (const ReportFile& file : make_report(test::results(entries))) {
        EXPECT_EQ(file.text.find("nan"), std::string::npos) << file.name;
        EXPECT_EQ(file.text.find("inf\""), std::string::npos) << file.name;
        EXPECT_LT(file.text.size(), 100000u);
      }
    }
  }
}

TEST(Axis, Ticks) {
  EXPECT_EQ(time_tick(0.5), "500 ns");
  EXPECT_EQ(time_tick(1), "1 \xc2\xb5s");
  EXPECT_EQ(time_tick(999.9999), "1 ms");
  EXPECT_EQ(time_tick(2e6), "2 s");
  const Axis sizes = size_axis("", 1 << 10, 1 << 30, 12);
  EXPECT_EQ(sizes.ticks.size(), 11u);
  EXPECT_EQ(sizes.ticks.back().power_of_2, 30);
  EXPECT_NEAR(sizes.position(sizes.low), 0, 1e-12);
  EXPECT_NEAR(sizes.position(sizes.high), 1, 1e-12);
  EXPECT_GE(log_axis("", 1, 1.3, plain_tick).ticks.size(), 3u);
  EXPECT_EQ(log_axis("", 1, 1000, plain_tick).ticks.size(), 4u);
  EXPECT_LE(share_axis("", 1e6).ticks.size(), 10u);
}

}  // namespace
}  // namespace triptych::report
