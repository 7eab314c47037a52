// The measurements of skin_tracker_bench and of its peers, compared with the paper's Table 1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grid.hpp"

namespace triptych::report {

// The entries of one frame size: the first size in a name. Names of peers have no size; they belong to it.
class SkinEntries {
 public:
  // The results must outlive this.
  explicit SkinEntries(const Results& results);

  Size frame() const { return frame_; }  // 0 by 0 when no name has a size
  const std::vector<const Entry*>& all() const { return entries_; }

  // Null when it was not measured.
  const Entry* at(std::string_view series, std::string_view mode, std::string_view format = "rgba") const;

 private:
  Size frame_;
  std::vector<const Entry*> entries_;
};

enum class RunsOn { gpu, cpu, both };

// A row of the paper's table: milliseconds on a GT 630M and an i5-2450M.
struct PaperTimes {
  double transfer_ms = 0;  // 0 on the CPU
  double calculation_ms = 0;
  double total_ms() const { return transfer_ms + calculation_ms; }
};
constexpr double paper_cpu1_ms = 36.74;

struct SkinVariant {
  std::string_view series;
  RunsOn runs_on = RunsOn::gpu;
  std::optional<PaperTimes> paper = {};   // nothing: ours
  std::string_view total_mode = "total";  // the mode whose time is the total
};

struct SkinRow {
  SkinVariant variant;
  std::optional<double> transfer_us;
  std::optional<double> calculation_us;
  std::optional<double> total_us;
};

// Every variant of which something was measured: the paper's twelve in its order, then ours.
std::vector<SkinRow> skin_rows(const SkinEntries& entries);

// "tracker_cuda, pinned"
std::string row_label(const SkinVariant& variant);

// The paper's table with one row per variant, its times beside those measured here; "" when there are none.
std::string skin_table(const Results& results);

// The lines of the verdict about skin, each only when its data exist.
std::string skin_verdict(const Results& results, const Limits& limits);

}  // namespace triptych::report
