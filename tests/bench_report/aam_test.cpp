#include <gtest/gtest.h>

#include "report/aam.hpp"
#include "report/charts.hpp"
#include "report/report.hpp"
#include "samples.hpp"

namespace triptych::report {
namespace {

using test::entry;

Json aam(const std::string& series, const std::string& size, double us,
         const std::string& storage = "float") {
  return entry("aam/" + storage + "/" + series + "/rotating/" + size, us, 0);
}

Json frames(const std::string& series, int count, const std::string& size, double us) {
  return entry("aam/float/" + series + "/frames_" + std::to_string(count) + "/" + size, us, 0);
}

// Two of the paper's sizes with 60 modes, one with 20, a batch, and a size that the paper does not have.
Results sample() {
  return test::results({aam("gpu_one_pass", "1x60x4096", 25), aam("gpu_one_pass", "1x60x4096", 20, "half"),
                        aam("cpu_literal", "1x60x4096", 10000), aam("gpu_one_pass", "1x60x65536", 50),
                        aam("cpu_literal", "1x60x65536", 200000), aam("gpu_one_pass", "1x20x4096", 18),
                        aam("gpu_one_pass", "256x60x4096", 640), aam("cpu_one_pass", "1x60x777", 5),
                        aam("peer_torch_graph", "1x60x4096", 500)});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(AamReport, ANameTellsFacesModesAndPixels) {
  const Name name = parse_name("aam/half/gpu_one_pass/rotating/256x60x16384/iterations:1/manual_time");
  EXPECT_EQ(name.kind, Kind::aam);
  EXPECT_EQ(aam_form(name), "gpu_one_pass, half");
  EXPECT_EQ(name.size, (Size{256, 16384}));
  EXPECT_EQ(name.modes, 60);
  EXPECT_EQ(name.capsules, 0);
  for (const char* wrong : {"aam/float/gpu_one_pass/rotating/60x4096",
                            "aam/float/gpu_one_pass/rotating/1x0x5", "aam/float/gpu_one_pass/1x60x4096"})
    EXPECT_EQ(parse_name(wrong).kind, Kind::other) << wrong;
}

TEST(AamReport, ThePapersTableIsWhole) {
  ASSERT_EQ(paper_fits().size(), 16u);
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_EQ(paper_fits()[i].pixels, 4096 * (static_cast<std::int64_t>(i) + 1));
  // What the paper says of it: 18.8 and 3 times as long at 16 times the size, and speed-ups of 7.8 and 48.1.
  const PaperFit &first = paper_fits().front(), &last = paper_fits().back();
  EXPECT_NEAR(last.cpu_ms / first.cpu_ms, 18.8, 0.05);
  EXPECT_NEAR(last.gpu_ms / first.gpu_ms, 3.0, 0.05);
  EXPECT_NEAR(first.cpu_ms / first.gpu_ms, 7.8, 0.05);
  EXPECT_NEAR(last.cpu_ms / last.gpu_ms, 48.1, 0.05);
}

TEST(AamReport, GrowsByPixels) {
  const AamGrowth growth = aam_by_pixels(sample());
  EXPECT_EQ(growth.modes, 60);
  ASSERT_EQ(growth.curves.size(), 4u);  // the sequential form first; 777 pixels are no size of the paper
  EXPECT_EQ(growth.curves[0].form, "cpu_literal");
  EXPECT_EQ(growth.curves[1].form, "gpu_one_pass");
  EXPECT_EQ(growth.curves[2].form, "gpu_one_pass, half");
  ASSERT_EQ(growth.curves[1].at.size(), 2u);
  EXPECT_EQ(growth.curves[1].at[0].pixels, 4096);
  EXPECT_DOUBLE_EQ(*growth.curves[1].at[1].speed_up, 4000);
  EXPECT_TRUE(aam_by_pixels(test::results({entry("limit/launch/gpu", 1.5)})).curves.empty());
}

TEST(AamReport, TheTableHasThePapersTimesBesideOurs) {
  const std::string table = aam_table(sample());
  EXPECT_TRUE(has(table, "Here: 60 modes")) << table;
  EXPECT_TRUE(has(table,
                  "| pixels | paper: CPU | paper: GPU | speed-up | here: cpu_literal | "
                  "gpu_one_pass | speed-up | gpu_one_pass, half | speed-up |\n"))
      << table;
  EXPECT_TRUE(has(table, "| 4096 | 75.57 | 9.74 | 7.76 | 10.0 | 0.0250 | 400 | 0.0200 | 500 |\n")) << table;
  EXPECT_TRUE(has(table, "| 65536 | 1423.24 | 29.58 | 48.1 | 200 | 0.0500 | 4000 | - | - |\n")) << table;
  // and an iteration, in microseconds
  EXPECT_TRUE(has(table, "| 4096 | 7560 | 974 | 1000 | 2.50 | 2.00 |\n")) << table;
  EXPECT_FALSE(has(table, "| 8192 |")) << table;  // not measured
  EXPECT_TRUE(has(table, "### 256 faces, 60 modes, 4096 pixels\n")) << table;
  EXPECT_TRUE(has(table, "| gpu_one_pass, rotating | 2.50 | 0.250 | - | - | 4000 | - |\n")) << table;
  EXPECT_TRUE(has(table, "### 1 face, 60 modes, 777 pixels\n")) << table;
  EXPECT_EQ(aam_table(test::results({entry("limit/launch/gpu", 1.5)})), "");
}

TEST(AamReport, TheVerdictHoldsTheFormsAgainstTheirAims) {
  EXPECT_EQ(aam_verdict(test::results(
                {aam("gpu_one_pass", "1x60x65536", 50), aam("gpu_literal", "1x60x65536", 250),
                 aam("peer_torch_graph", "1x60x65536", 900), aam("cpu_literal", "1x60x65536", 100000),
                 aam("cpu_one_pass", "1x60x65536", 20000)})),
            "- aam, 60 modes, 65536 pixels: gpu_one_pass takes **50.0 us** per fit (aim on an H200: at most "
            "70 us): "
            "**5.00x** as fast as gpu_literal (aim: 4x), **18.0x** as fast as peer_torch_graph (aim: 10x), "
            "**2000x** as fast as cpu_literal.\n"
            "- aam, 60 modes, 65536 pixels: cpu_one_pass takes **20000 us** per fit: **5.00x** as fast as "
            "cpu_literal.\n");
  EXPECT_EQ(aam_verdict(test::results({entry("limit/launch/gpu", 1.5)})), "");
}

TEST(AamReport, TheVerdictHoldsABatchAgainstSingleFits) {
  EXPECT_EQ(aam_verdict(
                test::results({aam("gpu_one_pass", "256x60x8192", 512), aam("gpu_one_pass", "1x60x8192", 30),
                               aam("peer_torch_graph", "256x60x8192", 5120)})),
            "- aam, 256 faces, 60 modes, 8192 pixels: gpu_one_pass takes **2.00 us** per fit: **15.0x** the "
            "throughput of single fits (aim: 10x), **10.0x** that of peer_torch_graph.\n");
}

TEST(AamReport, TheVerdictNamesTheWorstHalf) {
  Json small = aam("gpu_one_pass", "1x5x4096", 20, "half"),
       large = aam("gpu_one_pass", "1x5x8192", 20, "half");
  small["difference_px"] = 0.001;
  large["difference_px"] = 0.004;
  EXPECT_EQ(
      aam_verdict(test::results({small, large})),
      "- aam: halves move a landmark by at most **0.00400 px** against floats, at 5 modes and 8192 pixels "
      "(aim: at most 0.02 px).\n");
}

TEST(AamReport, TheVerdictHoldsTheTwinAgainstOpenCv) {
  Json theirs = aam("peer_opencv", "1x50x9000", 90000), ours = aam("cpu_one_pass", "1x50x9000", 6000);
  theirs["mean_error"] = 0.091;
  theirs["share_below"] = 0.35;
  EXPECT_EQ(aam_verdict(test::results({theirs, ours, aam("peer_opencv", "1x50x5", 1)})),
            "- aam, 50 modes, 9000 pixels: an iteration of cpu_one_pass takes **600 us** on one thread: "
            "**15.0x** as fast as one of OpenCV's FacemarkAAM (mean error 0.0910, 35 % below 0.05) (aim: "
            "10x).\n");
}

TEST(AamReport, TheVerdictComparesOurModelWithTheBestOfOpenCv) {
  const auto with = [](Json one, double mean, double below) {
    one["mean_error"] = mean;
    one["share_below"] = below;
    return one;
  };
  EXPECT_EQ(aam_verdict(test::results({with(aam("peer_opencv", "1x50x9000", 90000), 0.09, 0.3),
                                       with(aam("cpu_fitter", "1x22x6748", 2500), 0.036, 0.89),
                                       with(aam("peer_opencv", "1x50x3000", 30000), 0.08, 0.25)})),
            "- aam, held-out faces from five starts each: our default model takes **2.50 ms** per fit on one "
            "thread (mean error 0.0360, 89 % below 0.05); OpenCV's FacemarkAAM at its best takes 3.00 ms per "
            "iteration (mean error 0.0800, 25 % below 0.05).\n");
}

TEST(AamReport, DrawsTheFigures) {
  const Results all = test::results(
      {aam("gpu_one_pass", "1x60x4096", 25), aam("cpu_literal", "1x60x4096", 1e4),
       aam("gpu_one_pass", "1x60x65536", 50), aam("cpu_literal", "1x60x65536", 2e5),
       frames("gpu_one_pass", 10, "1x60x4096", 250), frames("cpu_literal", 10, "1x60x4096", 1e5),
       frames("gpu_one_pass", 10, "1x60x65536", 500)});
  const std::optional<Chart> by_frames = aam_frames_chart(all, {}), growth = aam_growth_chart(all, {}),
                             speed_up = aam_speed_up_chart(all, {});
  ASSERT_TRUE(by_frames && growth && speed_up);
  ASSERT_EQ(by_frames->figure.panels.size(), 2u);
  EXPECT_EQ(by_frames->figure.panels[0].title, "cpu_literal");
  EXPECT_EQ(by_frames->figure.panels[0].lines.size(), 1u);  // 65536 has one number of frames
  EXPECT_EQ(by_frames->figure.panels[1].lines.size(), 2u);
  ASSERT_EQ(growth->figure.panels[0].lines.size(), 4u);  // with the paper's two
  EXPECT_DOUBLE_EQ(growth->figure.panels[0].lines[1].points[1].y, 2);
  ASSERT_EQ(speed_up->figure.panels[0].lines.size(), 2u);  // not the baseline over itself
  EXPECT_DOUBLE_EQ(speed_up->figure.panels[0].lines[0].points[1].y, 4000);
  for (const auto& chart : {by_frames, growth, speed_up})
    EXPECT_EQ(test::xml_problem(draw(chart->figure)), "");
  const Results one = test::results({aam("gpu_one_pass", "1x60x4096", 25)});
  EXPECT_FALSE(aam_frames_chart(one, {}) || aam_growth_chart(one, {}) || aam_speed_up_chart(one, {}));
}

TEST(AamReport, IsASectionOfTheReport) {
  const std::vector<ReportFile> files = make_report(sample());
  EXPECT_TRUE(has(files.front().text, "## The paper's Table 1 and figures 6 to 8\n")) << files.front().text;
  EXPECT_TRUE(has(files.front().text, "](aam_speed_up.svg)"));
  EXPECT_FALSE(has(make_report(test::results({entry("x", 1)})).front().text, "figures 6 to 8"));
}

}  // namespace
}  // namespace triptych::report
