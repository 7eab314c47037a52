#include <algorithm>
#include <map>
#include <set>

#include "charts.hpp"
#include "text.hpp"
#include "verdict.hpp"

namespace triptych::report {

namespace {

// The speed-ups of one side, by number of rows.
std::map<std::int64_t, std::vector<Point>> lines_by_rows(const Grid& grid, const std::string& ours) {
  std::map<std::int64_t, std::vector<Point>> lines;
  for (const Comparison& one : compare(grid, ours, "peer_cublas")) {
    lines[one.size.rows].push_back({static_cast<double>(one.size.cols), one.speed_up});
  }
  return lines;
}

std::size_t index_of(const std::vector<std::int64_t>& all, std::int64_t rows) {
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), rows) - all.begin());
}

std::vector<std::int64_t> all_rows(const std::vector<Grid>& grids) {
  std::set<std::int64_t> rows;
  for (const Grid& grid : grids) {
    if (grid.kind != Kind::matrix) continue;
    for (const Size& size : grid.sizes) rows.insert(size.rows);
  }
  return {rows.begin(), rows.end()};
}

std::string rows_label(std::int64_t rows) {
  return (rows < 1000 ? std::to_string(rows) : size_text(rows)) + (rows == 1 ? " row" : " rows");
}

}  // namespace

std::optional<Chart> multiply_chart(const Results& results, const std::vector<Grid>& grids) {
  const std::vector<std::int64_t> rows_of_all = all_rows(grids);
  std::vector<Panel> panels;
  Range x;
  Range y;
  bool tuned = true;
  for (const char* mode : {"rotating", "resident"}) {
    const Grid* grid = find_grid(grids, "multiply", "float", mode);
    if (!grid) continue;
    Panel panel;
    panel.title = mode_words(mode);
    tuned &= !grid->has("plan");
    for (const auto& [rows, points] : lines_by_rows(*grid, grid->has("plan") ? "plan" : "tuned")) {
      const Style style = ordered_style(index_of(rows_of_all, rows), rows_of_all.size());
      panel.lines.push_back({rows_label(rows), style, points});
      for (const Point& point : points) {
        x.add(point.x);
        y.add(point.y);
      }
    }
    if (!panel.lines.empty()) panels.push_back(std::move(panel));
  }
  if (panels.empty()) return std::nullopt;
  y.add(1);
  for (Panel& panel : panels) {
    panel.x = size_axis("columns", x.low, x.high, panels.size() > 1 ? 7 : 12);
    panel.y = log_axis(&panel == &panels.front() ? "speed-up over cuBLAS" : "", y.low, y.high,
                       [](double value) { return plain_tick(value) + "x"; });
    panel.rules.push_back({1, "cuBLAS"});
  }
  std::string subtitle = "cuBLAS's time over ours, higher is better";
  subtitle += tuned ? "; tuned on the machine" : "; the plan is chosen by the shape";
  if (panels.size() == 1) {
    subtitle += "; " + panels.front().title;
    panels.front().title.clear();
  }
  Chart chart;
  chart.file = "multiply.svg";
  chart.caption = "speed-up of matrix times vector over cuBLAS, against the number of columns";
  chart.figure = {"Matrix times vector, float, on " + machine(results, "gpu", "the GPU"),
                  subtitle + quick_note(results), std::move(panels)};
  return chart;
}

}  // namespace triptych::report
