#include "aam.hpp"
#include "capsule.hpp"
#include "charts.hpp"
#include "grid.hpp"
#include "report.hpp"
#include "skin.hpp"
#include "table.hpp"
#include "text.hpp"
#include "verdict.hpp"

namespace triptych::report {

namespace {

std::string heading(const Results& results) {
  const std::string gpu = fact(results, "gpu");
  const std::string cpu = fact(results, "cpu");
  std::string title = gpu.empty() ? cpu : gpu + (cpu.empty() ? "" : ", " + cpu);
  if (title.empty()) title = "hardware not named";
  std::string text = "# Benchmarks: " + escape_markdown(title) + "\n\n";
  for (const auto& [key, value] : results.facts) {
    text += "- " + escape_markdown(key) + ": " + escape_markdown(value) + "\n";
  }
  return text +
         "\nTimes are medians. Every limit was measured in the same run as the times compared with it.\n\n";
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : "## " + title + "\n\n" + body;
}

std::string tables(const std::vector<Grid>& grids, const Limits& limits) {
  std::string text;
  std::string group;
  for (const Grid& grid : grids) {
    if (grid.group != group) {
      group = grid.group;
      text += "## " + escape_markdown(group) + "\n\nTime in us, the fastest of each size bold.\n\n";
    }
    text += "### " + escape_markdown(grid.type) + ", " + escape_markdown(grid.mode) + "\n\n" +
            grid_table(grid, limits);
  }
  return text;
}

std::string verdict_section(const std::string& lines) {
  if (lines.empty()) return "";
  return section(
      "Verdict",
      "A speed-up is the other side's time over ours: above 1, ours is faster. Same: the spreads, from "
      "the 10th to the 90th percentile, overlap.\n\n" +
          lines);
}

}  // namespace

std::vector<ReportFile> make_report(const Results& results) {
  const std::vector<Grid> grids = make_grids(results);
  const Limits limits = find_limits(results);
  std::vector<ReportFile> files = {{"comparison.md", "limits, verdict and every time as tables", ""}};
  std::string pictures;
  for (const Chart& chart : make_charts(results, grids)) {
    files.push_back({chart.file, chart.caption, draw(chart.figure)});
    pictures += "![" + escape_markdown(chart.caption) + "](" + chart.file + ")\n\n";
  }
  files.front().text =
      heading(results) + section("Limits", limits_table(results)) + verdict_section(verdict(results, grids)) +
      pictures + section("The paper's Table 1", skin_table(results)) +
      section("The paper's figures 5 and 6", capsule_table(results)) +
      section("The paper's Table 1 and figures 6 to 8", aam_table(results)) + tables(grids, limits) +
      other_tables(results) + section("Failed", failure_list(results));
  std::string& text = files.front().text;
  while (text.ends_with("\n\n")) text.pop_back();
  return files;
}

}  // namespace triptych::report
