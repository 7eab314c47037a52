#include <gtest/gtest.h>

#include "report/charts.hpp"
#include "report/report.hpp"
#include "report/skin.hpp"
#include "samples.hpp"

namespace triptych::report {
namespace {

using test::entry;

constexpr double frame_bytes = 8294400;

Json skin(const std::string& variant, const std::string& mode, double us,
          const std::string& format = "rgba") {
  return entry("skin/" + format + "/" + variant + "/" + mode + "/1920x1080", us, frame_bytes);
}

Json peer(const std::string& name, double us) { return {{"name", "skin/rgba/peer_" + name}, {"us", us}}; }

std::string verdict_of(std::vector<Json> entries, const std::string& cpu = "Some CPU") {
  Json json = test::results_json(std::move(entries));
  json["context"]["cpu"] = cpu;
  const Results all = parse_results(json, "sample.json");
  return skin_verdict(all, find_limits(all));
}

// The cells of one row of the table, "" when it is not there.
std::string row_of(const Results& all, const std::string& label) {
  const std::string table = skin_table(all);
  const std::size_t start = table.find("\n| " + label + " |");
  if (start == std::string::npos) return "";
  return table.substr(start + 1, table.find('\n', start + 1) - start - 1);
}

TEST(SkinTable, ThePapersTimesBesideOurs) {
  const Results all = test::results({
      skin("fast", "total", 200),
      skin("cpu1", "total", 20000),
      skin("gpu8", "transfer", 150),
      skin("gpu8", "calculation", 12.5),
      skin("gpu8", "total", 170),
      skin("tracker_cuda", "pinned", 160),
      skin("joint", "total", 400),
  });
  EXPECT_EQ(
      skin_table(all),
      "Milliseconds per frame. Paper: its Table 1, on a GT 630M and an i5-2450M, 2013. Here: RGBA frames of "
      "1920 x 1080 pixels, in pinned memory where the GPU takes part. A speed-up is the total of cpu1 "
      "over that of the variant, on the same machine.\n\n"
      "| variant | paper: transfer | calculation | total | speed-up | here: transfer | calculation | total | "
      "speed-up | frames per second |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
      "| gpu8 | 2.05 | 2.94 | 4.99 | 7.36 | 0.150 | 0.0125 | 0.170 | 118 | 5880 |\n"
      "| cpu1 | – | 36.74 | 36.74 | 1.00 | – | 20.0 | 20.0 | 1.00 | 50.0 |\n"
      "| joint | 1.54 | 2.12 | 3.66 | 10.0 | – | – | 0.400 | 50.0 | 2500 |\n"
      "| fast | – | – | – | – | – | – | 0.200 | 100 | 5000 |\n"
      "| tracker_cuda, pinned | – | – | – | – | – | – | 0.160 | 125 | 6250 |\n\n");
}

TEST(SkinTable, ThePapersTotals) {
  const std::vector<std::pair<std::string, std::string>> totals = {
      {"gpu1", "133.39"}, {"gpu2", "40.64"}, {"gpu3", "25.24"}, {"gpu4", "11.73"},
      {"gpu5", "5.86"},   {"gpu6", "5.41"},  {"gpu7", "5.11"},  {"gpu8", "4.99"},
      {"cpu1", "36.74"},  {"cpu2", "23.12"}, {"cpu3", "12.34"}, {"joint", "3.66"}};
  for (const auto& [variant, total] : totals) {
    const std::string row = row_of(test::results({skin(variant, "total", 1000)}), variant);
    EXPECT_NE(row.find(" | " + total + " | "), std::string::npos) << variant << ": " << row;
    EXPECT_EQ(row.find("| 2.05 |") != std::string::npos, variant.starts_with("gpu")) << row;
  }
}

TEST(SkinTable, ThePapersOrderThenOurs) {
  const std::vector<std::string> order = {
      "gpu1", "gpu2",  "gpu3",  "gpu4", "gpu5",    "gpu6", "gpu7", "gpu8",   "cpu1",         "cpu2",
      "cpu3", "joint", "fixed", "simd", "threads", "fast", "cub",  "thrust", "tracker_cuda", "tracker_joint"};
  std::vector<Json> entries = {skin("unknown", "total", 5)};
  for (const std::string& variant : order) {
    const bool pinned = variant.starts_with("tracker");
    entries.insert(entries.begin(), skin(variant, pinned ? "pinned" : "total", 5));
  }
  const Results all = test::results(entries);
  std::vector<std::string> found;
  for (const SkinRow& row : skin_rows(SkinEntries(all))) found.emplace_back(row.variant.series);
  EXPECT_EQ(found, order);
}

TEST(SkinTable, WhatIsMissingIsLeftOut) {
  EXPECT_EQ(skin_table(test::results({entry("sum/float/automatic/rotating/4", 1)})), "");
  EXPECT_EQ(skin_table(test::results({peer("torch_eager/resident", 3)})), "");
  // Only in other formats or modes than the table's.
  EXPECT_EQ(skin_table(test::results({skin("gpu1", "total", 4, "nv12"), skin("fast", "resident", 4),
                                      skin("tracker_cuda", "pageable", 4)})),
            "");
  const Results no_cpu1 = test::results({skin("simd", "total", 500)});
  EXPECT_EQ(row_of(no_cpu1, "simd"), "| simd | – | – | – | – | – | 0.500 | 0.500 | – | 2000 |");
  // The total failed: there is neither a speed-up nor a rate.
  const Results no_total = test::results({skin("gpu8", "transfer", 150), skin("cpu1", "total", 100)});
  EXPECT_EQ(row_of(no_total, "gpu8"), "| gpu8 | 2.05 | 2.94 | 4.99 | 7.36 | 0.150 | – | – | – | – |");
}

TEST(SkinTable, CpuOnly) {
  const Results all = test::results(
      {skin("threads", "total", 386), skin("threads", "resident", 218), skin("cpu1", "total", 27800)});
  EXPECT_EQ(row_of(all, "threads"), "| threads | – | – | – | – | – | 0.386 | 0.386 | 72.0 | 2590 |");
  EXPECT_EQ(skin_table(all).find("gpu"), std::string::npos);
  EXPECT_EQ(skin_table(all).find("joint"), std::string::npos);
}

TEST(SkinTable, SizesAreNotMixed) {
  const Results all = test::results({peer("torch_eager/resident", 3), skin("cpu1", "total", 100),
                                     entry("skin/rgba/simd/total/640x480", 1), skin("threads", "total", 50)});
  const SkinEntries entries(all);
  EXPECT_EQ(entries.frame(), (Size{1080, 1920}));
  EXPECT_EQ(entries.all().size(), 3u);
  EXPECT_EQ(row_of(all, "simd"), "");
  EXPECT_NE(row_of(all, "threads"), "");
}

TEST(SkinVerdict, FastAgainstTheOthers) {
  EXPECT_EQ(
      verdict_of({skin("fast", "resident", 5), skin("gpu8", "resident", 186), skin("gpu8", "calculation", 1),
                  skin("cub", "resident", 20), skin("thrust", "calculation", 57.5),
                  peer("torch_compiled/resident", 150), peer("torch_graph/resident", 125)}),
      "- skin of rgba, resident: fast takes **5.00 us**, calls in a graph: **37.2x** as fast as gpu8, "
      "**4.0x** as fast as cub, **11.5x** as fast as thrust (calls one by one), **30.0x** as fast as "
      "peer_torch_compiled (calls one by one), **25.0x** as fast as peer_torch_graph (calls one by one).\n");
  EXPECT_EQ(verdict_of({skin("fast", "resident", 5)}),
            "- skin of rgba, resident: fast takes **5.00 us**, calls in a graph.\n");
  // Others alone, other formats and rotating frames say nothing about it.
  EXPECT_EQ(verdict_of({skin("gpu8", "resident", 186), skin("fast", "resident", 5, "nv12"),
                        skin("fast", "rotating", 6), skin("fast", "total", 178)}),
            "");
}

TEST(SkinVerdict, BatchByTheFrame) {
  Json batch = skin("batch64", "rotating", 128);
  batch["bytes"] = 64 * frame_bytes;  // 4147 GB/s
  EXPECT_EQ(verdict_of({batch}), "- skin of rgba, rotating: batch64 takes **2.00 us** per frame.\n");
  EXPECT_EQ(verdict_of({entry("limit/read/gpu", 1, 5e6), skin("batch16", "rotating", 16), batch}),
            "- skin of rgba, rotating: batch64 takes **2.00 us** per frame and reaches **83 %** of what the "
            "GPU can "
            "read.\n");
  batch["share"] = 0.93;  // of its own run
  EXPECT_NE(verdict_of({entry("limit/read/gpu", 1, 5e6), batch}).find("**93 %**"), std::string::npos);
  EXPECT_EQ(verdict_of({skin("batch", "rotating", 1), skin("batch0", "rotating", 1),
                        skin("batchx", "rotating", 1), skin("batch64", "rotating", 1, "nv12")}),
            "");
}

TEST(SkinVerdict, TrackerOverTheCopy) {
  EXPECT_EQ(
      verdict_of({entry("limit/copy/gpu", 150, frame_bytes), skin("tracker_cuda", "pinned", 165)}),
      "- skin of rgba, pinned: tracker_cuda takes **1.10x** the time of the pure copy (165 us, the copy 150 "
      "us).\n");
  EXPECT_EQ(verdict_of({skin("tracker_cuda", "pinned", 165)}), "");
  EXPECT_EQ(verdict_of({entry("limit/copy/gpu", 150, frame_bytes)}), "");
}

TEST(SkinVerdict, JointAgainstTheBetterSide) {
  const Json joint = skin("tracker_joint", "pinned", 50);
  const Json cpu = skin("tracker_cpu", "pinned", 60);
  EXPECT_EQ(
      verdict_of({joint, cpu, skin("tracker_cuda", "pinned", 170)}),
      "- skin of rgba, pinned: tracker_joint is **1.20x** as fast as tracker_cpu, the better of tracker_cpu "
      "and tracker_cuda.\n");
  EXPECT_EQ(verdict_of({joint, cpu, skin("tracker_cuda", "pinned", 40)}),
            "- skin of rgba, pinned: tracker_joint is **0.800x** as fast as tracker_cuda, the better of "
            "tracker_cpu and tracker_cuda.\n");
  EXPECT_EQ(verdict_of({joint, cpu}),
            "- skin of rgba, pinned: tracker_joint is **1.20x** as fast as tracker_cpu.\n");
  EXPECT_EQ(verdict_of({joint}), "");
  EXPECT_EQ(verdict_of({joint, skin("tracker_cpu", "pageable", 60)}), "");
  Json wide = cpu;
  wide["low_us"] = 45;
  wide["high_us"] = 70;
  EXPECT_EQ(verdict_of({joint, wide}),
            "- skin of rgba, pinned: tracker_joint is **1.20x** as fast as tracker_cpu (same: the spreads "
            "overlap).\n");
}

TEST(SkinVerdict, Nv12AgainstRgba) {
  const std::string text =
      verdict_of({skin("tracker_cuda", "pinned", 80, "nv12"), skin("tracker_cuda", "pinned", 170)});
  EXPECT_EQ(
      text,
      "- skin of nv12, pinned: tracker_cuda is **2.12x** as fast as with rgba: 80.0 us instead of 170 us.\n");
  EXPECT_EQ(verdict_of({skin("tracker_cuda", "pinned", 80, "nv12")}), "");
}

TEST(SkinVerdict, CpuAgainstOpenCvOnAsManyThreads) {
  const std::vector<Json> entries = {
      entry("limit/read/cpu_1", 1, 2e4),
      entry("limit/read/cpu_all", 1, 2e5),
      skin("threads", "total", 82.944),  // 100 GB/s
      skin("simd", "total", 829.44),     // 10 GB/s
      peer("opencv/clip by numpy/threads:1", 16588.8),
      peer("opencv/clip by OpenCV/threads:1", 20000),
      peer("opencv/clip by numpy/threads:16", 9000),
      peer("opencv/clip by OpenCV/threads:16", 8294.4),
  };
  const std::string simd =
      "- skin of rgba, total: simd is **20.0x** as fast as peer_opencv (clip by numpy) on 1 thread and "
      "reaches "
      "**50 %** of what one core can read.\n";
  EXPECT_EQ(
      verdict_of(entries, "CPU: A of B, 16 of 32 logical cores, 1 GiB"),
      "- skin of rgba, total: threads is **100x** as fast as peer_opencv (clip by OpenCV) on 16 threads and "
      "reaches **50 %** of what all cores can read.\n" +
          simd);
  // On another number of threads, or on an unknown one, it is not compared.
  const std::string alone = "- skin of rgba, total: threads reaches **50 %** of what all cores can read.\n";
  for (const char* cpu :
       {"CPU: A, 8 of 16 logical cores, 1 GiB", "CPU: A of B", "A, x of 16 logical cores", ""}) {
    EXPECT_EQ(verdict_of(entries, cpu), alone + simd) << cpu;
  }
}

TEST(SkinVerdict, CpuWithoutPeersOrLimits) {
  EXPECT_EQ(verdict_of({skin("simd", "total", 829.44), peer("opencv/x|y/threads:1", 8294.4)}),
            "- skin of rgba, total: simd is **10.0x** as fast as peer_opencv (x\\|y) on 1 thread.\n");
  EXPECT_EQ(verdict_of({entry("limit/read/cpu_1", 1, 2e4), skin("simd", "total", 829.44)}),
            "- skin of rgba, total: simd reaches **50 %** of what one core can read.\n");
  EXPECT_EQ(verdict_of({skin("simd", "total", 829.44), skin("threads", "total", 82.944)}), "");
  EXPECT_EQ(verdict_of({peer("opencv/clip by numpy/threads:1", 1)}), "");
}

TEST(SkinVerdict, StandsInTheReport) {
  const std::string text = make_report(test::results({skin("fast", "resident", 5)})).at(0).text;
  EXPECT_NE(text.find("## Verdict\n"), std::string::npos);
  EXPECT_NE(text.find("fast takes **5.00 us**"), std::string::npos) << text;
  EXPECT_EQ(text.find("Table 1"), std::string::npos);
}

std::optional<BarPanel> bars_of(std::vector<Json> entries) {
  const std::optional<Chart> chart = skin_chart(test::results(std::move(entries)), {});
  return chart ? chart->figure.bars : std::nullopt;
}

TEST(SkinChart, ThePapersBarIsGreyAndAboveOurs) {
  const std::optional<BarPanel> panel = bars_of(
      {entry("limit/copy/gpu", 150, frame_bytes), skin("gpu8", "total", 170), skin("cpu1", "total", 20000),
       skin("fast", "total", 160), skin("tracker_joint", "pinned", 60)});
  ASSERT_TRUE(panel);
  ASSERT_EQ(panel->groups.size(), 2u);
  const BarRow& gpu8 = panel->groups[0].rows.at(0);
  EXPECT_EQ(gpu8.label, "gpu8");
  ASSERT_EQ(gpu8.bars.size(), 2u);
  EXPECT_NEAR(gpu8.bars[0].value, 4990, 1e-9);
  EXPECT_EQ(gpu8.bars[0].text, "4.99 ms");
  EXPECT_EQ(gpu8.bars[1].value, 170);
  EXPECT_EQ(gpu8.bars[1].text, "170 \xc2\xb5s");
  EXPECT_EQ(panel->keys.back().colour, gpu8.bars[0].colour);
  EXPECT_NE(gpu8.bars[0].colour, gpu8.bars[1].colour);
  const BarRow& joint = panel->groups[1].rows.at(1);
  EXPECT_EQ(joint.label, "tracker_joint, pinned");
  EXPECT_EQ(joint.bars.size(), 1u);
  EXPECT_EQ(panel->keys.size(), 4u);  // GPU, CPU, both, the paper
  ASSERT_EQ(panel->rules.size(), 1u);
  EXPECT_EQ(panel->rules[0].at, 150);
  EXPECT_EQ(panel->x.low, 10);
  for (const BarGroup& group : panel->groups) {
    for (const BarRow& row : group.rows) {
      for (const Bar& bar : row.bars) {
        EXPECT_GT(panel->x.position(bar.value), 0.02) << row.label;
        EXPECT_LT(panel->x.position(bar.value), 1) << row.label;
      }
    }
  }
}

TEST(SkinChart, CpuOnlyHasNothingOfTheGpu) {
  const std::optional<BarPanel> panel =
      bars_of({entry("limit/copy/gpu", 150, frame_bytes), skin("simd", "total", 600)});
  ASSERT_TRUE(panel);
  ASSERT_EQ(panel->groups.size(), 1u);
  EXPECT_EQ(panel->groups[0].title, "ours");
  EXPECT_EQ(panel->keys.size(), 1u);
  EXPECT_TRUE(panel->rules.empty());
}

TEST(SkinChart, OnlyWithTotals) {
  EXPECT_FALSE(bars_of({skin("gpu8", "transfer", 150), skin("fast", "resident", 5)}));
  EXPECT_FALSE(bars_of({peer("torch_eager/resident", 3)}));
  for (const ReportFile& file : make_report(test::results({skin("fast", "resident", 5)}))) {
    EXPECT_EQ(file.name, "comparison.md");
    EXPECT_EQ(file.text.find("skin_table.svg"), std::string::npos);
  }
}

TEST(SkinChart, TextsStayOnThePage) {
  std::vector<Json> entries = {entry("limit/copy/gpu", 1e-6, frame_bytes)};
  for (const char* variant : {"gpu1", "cpu1", "joint", "thrust"})
    entries.push_back(skin(variant, "total", 1e18));
  const std::vector<ReportFile> files = make_report(test::results(entries));
  ASSERT_EQ(files.size(), 2u);
  const std::string& text = files[1].text;
  EXPECT_EQ(test::xml_problem(text), "");
  EXPECT_EQ(text.find("=\"-"), std::string::npos);  // no negative place or length
  EXPECT_NE(text.find("the pure copy"), std::string::npos);
}

}  // namespace
}  // namespace triptych::report
