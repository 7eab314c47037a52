// The charts of the report, each only when its data exist.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figure.hpp"
#include "grid.hpp"

namespace triptych::report {

struct Chart {
  std::string file;     // name, without folder
  std::string caption;  // one line: what it shows
  Figure figure;
};

// Time against size for every strategy; rotating inputs where measured, else resident ones.
std::optional<Chart> sum_chart(const Results& results, const std::vector<Grid>& grids);
// Share of the read bandwidth against size; a panel for each mode.
std::optional<Chart> share_chart(const Results& results, const std::vector<Grid>& grids);
// Speed-up of the plan (of tuned, where there is no plan) over cuBLAS against columns, a line for each number
// of rows; a panel for each mode.
std::optional<Chart> multiply_chart(const Results& results, const std::vector<Grid>& grids);
// Bandwidth against size for the CPU's strategies.
std::optional<Chart> cpu_chart(const Results& results, const std::vector<Grid>& grids);
// Total time of a frame by every version of the skin sums, the paper's own times beside them.
std::optional<Chart> skin_chart(const Results& results, const std::vector<Grid>& grids);
// The paper's figure 5: time against points and against samples; and its figure 6: the same as speed-up over
// the sequential loop.
std::optional<Chart> capsule_time_chart(const Results& results, const std::vector<Grid>& grids);
std::optional<Chart> capsule_speed_up_chart(const Results& results, const std::vector<Grid>& grids);
// The paper's figures 6 to 8 of fits: time against frames, growth with the size, speed-up over the sequential
// form.
std::optional<Chart> aam_frames_chart(const Results& results, const std::vector<Grid>& grids);
std::optional<Chart> aam_growth_chart(const Results& results, const std::vector<Grid>& grids);
std::optional<Chart> aam_speed_up_chart(const Results& results, const std::vector<Grid>& grids);

std::vector<Chart> make_charts(const Results& results, const std::vector<Grid>& grids);

// Helpers of the charts.

// The smallest and largest value seen.
struct Range {
  double low = 0;
  double high = 0;
  void add(double value);
  bool empty() const { return high == 0; }
};

// A name shortened to fit beside a plot.
std::string short_label(const std::string& text);

// "NVIDIA H200", or the given text when it is unknown; a note for a quick run.
std::string machine(const Results& results, const char* key, const std::string& otherwise);
std::string quick_note(const Results& results);

// What a mode means.
std::string mode_words(const std::string& mode);

}  // namespace triptych::report
