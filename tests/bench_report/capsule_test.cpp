#include <gtest/gtest.h>

#include "report/capsule.hpp"
#include "report/charts.hpp"
#include "report/report.hpp"
#include "samples.hpp"

namespace triptych::report {
namespace {

using test::entry;

Json capsule(const std::string& series, const std::string& size, double us) {
  return entry("capsule/squared/" + series + "/rotating/" + size, us, 0);
}

// Two ways to grow that meet in 40 x 48 x 1000, and a body of other capsules.
Results sample() {
  return test::results({capsule("culled", "40x48x1000", 10), capsule("listing", "40x48x1000", 20000),
                        capsule("culled", "40x48x500", 6), capsule("listing", "40x48x500", 10000),
                        capsule("culled", "20x48x1000", 5), capsule("listing", "20x48x1000", 10000),
                        capsule("brute", "40x48x1000", 400), capsule("culled", "30x7x900", 3)});
}

TEST(CapsuleReport, ANameTellsSamplesCapsulesAndPoints) {
  const Name name = parse_name("capsule/squared/culled/rotating/2000x40x50000/iterations:1/manual_time");
  EXPECT_EQ(name.kind, Kind::capsule);
  EXPECT_EQ(name.series, "culled");
  EXPECT_EQ(name.size, (Size{2000, 50000}));
  EXPECT_EQ(name.capsules, 40);
  for (const char* wrong :
       {"capsule/squared/culled/rotating/2000x40", "capsule/squared/culled/rotating/2000xx5",
        "capsule/squared/culled/rotating/0x40x5", "capsule/squared/culled/2000x40x5"})
    EXPECT_EQ(parse_name(wrong).kind, Kind::other) << wrong;
}

TEST(CapsuleReport, GrowsByPointsAndBySamples) {
  const CapsuleGrowth points = capsules_by_points(sample());
  EXPECT_EQ(points.fixed, 40);
  EXPECT_EQ(points.capsules, 48);
  ASSERT_EQ(points.curves.size(), 2u);  // brute has but one size
  EXPECT_EQ(points.curves[0].series, "culled");
  ASSERT_EQ(points.curves[0].at.size(), 2u);
  EXPECT_EQ(points.curves[0].at[0].size, 500);
  EXPECT_EQ(points.curves[0].at[0].us, 6);
  EXPECT_DOUBLE_EQ(*points.curves[0].at[1].speed_up, 2000);
  const CapsuleGrowth samples = capsules_by_samples(sample());
  EXPECT_EQ(samples.fixed, 1000);
  EXPECT_EQ(samples.curves[0].at[0].size, 20);
  EXPECT_TRUE(capsules_by_points(test::results({entry("limit/launch/gpu", 1.5)})).curves.empty());
}

TEST(CapsuleReport, TheTableHasEverySizeAndSpeedUp) {
  const std::string table = capsule_table(sample());
  EXPECT_NE(table.find("### 40 samples, 48 capsules, 1000 points, squared\n"), std::string::npos) << table;
  EXPECT_NE(table.find("| culled, rotating | 0.0100 | - | - | 2000 |\n"), std::string::npos) << table;
  EXPECT_NE(table.find("| brute, rotating | 0.400 | - | - | 50.0 |\n"), std::string::npos) << table;
  EXPECT_NE(table.find("### 30 samples, 7 capsules, 900 points, squared\n"), std::string::npos) << table;
  EXPECT_NE(table.find("| culled, rotating | 0.00300 | - | - | - |\n"), std::string::npos) << table;
  EXPECT_EQ(capsule_table(test::results({entry("limit/launch/gpu", 1.5)})), "");
}

TEST(CapsuleReport, TheVerdictHoldsTheFormsAgainstTheirAims) {
  const Results all =
      test::results({capsule("culled", "2000x40x50000", 200), capsule("brute", "2000x40x50000", 3000),
                     capsule("peer_torch_compiled", "2000x40x50000", 50000),
                     capsule("threads", "2000x40x50000", 1e5), capsule("listing", "2000x40x50000", 1e7),
                     capsule("culled", "4000x40x50000", 300), capsule("culled", "8000x40x50000", 600)});
  EXPECT_EQ(
      capsule_verdict(all),
      "- capsule, 2000 x 40 x 50000: culled takes **0.200 ms** (aim on an H200: at most 0.25 ms): **15.0x** "
      "as "
      "fast as brute, **250x** as fast as peer_torch_compiled (aim: 150x), **500x** as fast as threads, "
      "**50000x** as fast as listing.\n"
      "- capsule, 2000 x 40 x 50000: brute takes **3.00 ms** (aim on an H200: at most 4 ms): **16.7x** as "
      "fast as "
      "peer_torch_compiled, **3330x** as fast as listing.\n"
      "- capsule, 2000 x 40 x 50000: threads takes **100 ms**: **100x** as fast as listing (aim on two "
      "cores: "
      "30x).\n"
      "- capsule, 50000 points: from 2000 to 8000 samples, 4.00 times as many, culled takes **3.00** times "
      "as "
      "long.\n");
  EXPECT_EQ(capsule_verdict(test::results({entry("limit/launch/gpu", 1.5)})), "");
}

TEST(CapsuleReport, DrawsBothFigures) {
  const std::optional<Chart> time = capsule_time_chart(sample(), {}),
                             speed_up = capsule_speed_up_chart(sample(), {});
  ASSERT_TRUE(time && speed_up);
  EXPECT_EQ(time->figure.panels.size(), 2u);
  EXPECT_EQ(time->figure.panels[0].lines.size(), 2u);
  EXPECT_EQ(speed_up->figure.panels[0].lines.size(), 1u);  // not the listing over itself
  EXPECT_EQ(test::xml_problem(draw(time->figure)), "");
  EXPECT_EQ(test::xml_problem(draw(speed_up->figure)), "");
  EXPECT_FALSE(capsule_time_chart(test::results({capsule("culled", "40x48x1000", 10)}), {}));
}

}  // namespace
}  // namespace triptych::report
