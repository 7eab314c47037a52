#include <array>

#include "skin.hpp"
#include "table.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

constexpr PaperTimes on_gpu(double calculation_ms) { return {2.05, calculation_ms}; }
constexpr PaperTimes on_cpu(double calculation_ms) { return {0, calculation_ms}; }

constexpr std::array<SkinVariant, 20> variants = {{
    {"gpu1", RunsOn::gpu, on_gpu(131.34)},
    {"gpu2", RunsOn::gpu, on_gpu(38.59)},
    {"gpu3", RunsOn::gpu, on_gpu(23.19)},
    {"gpu4", RunsOn::gpu, on_gpu(9.68)},
    {"gpu5", RunsOn::gpu, on_gpu(3.81)},
    {"gpu6", RunsOn::gpu, on_gpu(3.36)},
    {"gpu7", RunsOn::gpu, on_gpu(3.06)},
    {"gpu8", RunsOn::gpu, on_gpu(2.94)},
    {"cpu1", RunsOn::cpu, on_cpu(paper_cpu1_ms)},
    {"cpu2", RunsOn::cpu, on_cpu(23.12)},
    {"cpu3", RunsOn::cpu, on_cpu(12.34)},
    {"joint", RunsOn::both, PaperTimes{1.54, 2.12}},
    {"fixed", RunsOn::cpu},
    {"simd", RunsOn::cpu},
    {"threads", RunsOn::cpu},
    {"fast"},
    {"cub"},
    {"thrust"},
    {"tracker_cuda", RunsOn::gpu, {}, "pinned"},
    {"tracker_joint", RunsOn::both, {}, "pinned"},
}};

std::optional<double> time_of(const Entry* entry) {
  return entry ? std::optional(entry->time_us) : std::nullopt;
}

std::string or_nothing(const std::optional<double>& value, double unit = 1) {
  return value ? three_digits(*value / unit) : "\xe2\x80\x93";
}

// The value of a paper's column, where there is one, with the digits that the paper gives.
std::string paper_cell(double ms) { return ms > 0 ? fixed(ms, 2) : or_nothing({}); }

std::vector<std::string> cells_of(const SkinRow& row, std::optional<double> cpu1_us) {
  std::vector<std::string> cells = {row_label(row.variant)};
  const PaperTimes paper = row.variant.paper.value_or(PaperTimes{});
  const double paper_ms = paper.total_ms();
  for (const double ms : {paper.transfer_ms, paper.calculation_ms, paper_ms}) cells.push_back(paper_cell(ms));
  cells.push_back(paper_ms > 0 ? three_digits(paper_cpu1_ms / paper_ms) : or_nothing({}));
  for (const auto& us : {row.transfer_us, row.calculation_us, row.total_us})
    cells.push_back(or_nothing(us, 1e3));
  std::optional<double> speed_up;
  std::optional<double> rate;
  if (row.total_us && cpu1_us) speed_up = *cpu1_us / *row.total_us;
  if (row.total_us) rate = 1e6 / *row.total_us;
  cells.push_back(or_nothing(speed_up));
  cells.push_back(or_nothing(rate));
  return cells;
}

}  // namespace

SkinEntries::SkinEntries(const Results& results) {
  for (const Entry& entry : results.entries) {
    const Name& name = entry.name;
    if (name.kind != Kind::skin) continue;
    if (frame_ == Size{}) frame_ = name.size;
    if (name.size == Size{} || name.size == frame_) entries_.push_back(&entry);
  }
}

const Entry* SkinEntries::at(std::string_view series, std::string_view mode, std::string_view format) const {
  for (const Entry* entry : entries_) {
    const Name& name = entry->name;
    if (name.series == series && name.mode == mode && name.type == format) return entry;
  }
  return nullptr;
}

std::vector<SkinRow> skin_rows(const SkinEntries& entries) {
  std::vector<SkinRow> rows;
  for (const SkinVariant& variant : variants) {
    const auto time = [&](std::string_view mode) { return time_of(entries.at(variant.series, mode)); };
    SkinRow row{variant, time("transfer"), time("calculation"), time(variant.total_mode)};
    // There is nothing else on the CPU.
    if (variant.runs_on == RunsOn::cpu && !row.calculation_us) row.calculation_us = row.total_us;
    if (row.transfer_us || row.calculation_us || row.total_us) rows.push_back(row);
  }
  return rows;
}

std::string row_label(const SkinVariant& variant) {
  std::string label(variant.series);
  if (variant.total_mode != "total") label.append(", ").append(variant.total_mode);
  return label;
}

std::string skin_table(const Results& results) {
  const SkinEntries entries(results);
  const std::vector<SkinRow> rows = skin_rows(entries);
  if (rows.empty()) return "";
  const Size frame = entries.frame();
  std::string text =
      "Milliseconds per frame. Paper: its Table 1, on a GT 630M and an i5-2450M, 2013. Here: RGBA frames";
  if (frame != Size{})
    text += " of " + std::to_string(frame.cols) + " x " + std::to_string(frame.rows) + " pixels";
  text +=
      ", in pinned memory where the GPU takes part. A speed-up is the total of cpu1 over that of the "
      "variant, on the same machine.\n\n";
  text += table_header({"variant", "paper: transfer", "calculation", "total", "speed-up", "here: transfer",
                        "calculation", "total", "speed-up", "frames per second"});
  const std::optional<double> cpu1_us = time_of(entries.at("cpu1", "total"));
  for (const SkinRow& row : rows) text += table_row(cells_of(row, cpu1_us));
  return text + "\n";
}

}  // namespace triptych::report
