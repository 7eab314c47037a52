#include <algorithm>
#include <map>
#include <tuple>

#include "aam.hpp"
#include "table.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

constexpr std::array<std::string_view, 8> forms = {
    "cpu_literal",  "cpu_one_pass",       "cpu_threads",      "gpu_literal",
    "gpu_one_pass", "gpu_one_pass, half", "peer_torch_graph", "peer_torch_eager"};

constexpr std::string_view frames_mode = "frames_";  // of several frames together: figure 6 alone

std::vector<const Entry*> aam_entries(const Results& results) {
  std::vector<const Entry*> entries;
  for (const Entry& entry : results.entries) {
    if (entry.name.kind == Kind::aam && !entry.name.mode.starts_with(frames_mode)) entries.push_back(&entry);
  }
  return entries;
}

bool in_paper(std::int64_t pixels) {
  return std::any_of(paper_fits().begin(), paper_fits().end(),
                     [&](const PaperFit& fit) { return fit.pixels == pixels; });
}

std::optional<double> speed_up(const Results& results, const Entry& entry) {
  const Name& name = entry.name;
  const Entry* base = find_aam(results, aam_baseline, "float", 1, name.modes, name.size.cols);
  if (base == nullptr) return std::nullopt;
  return base->time_us * static_cast<double>(name.size.rows) / entry.time_us;
}

const AamCurve::At* place(const AamCurve& curve, std::int64_t pixels) {
  for (const AamCurve::At& at : curve.at) {
    if (at.pixels == static_cast<double>(pixels)) return &at;
  }
  return nullptr;
}

// The paper's table with its forms and ours; peers are in the tables of every time.
std::string paper_table(AamGrowth growth, bool per_frame) {
  std::erase_if(growth.curves, [](const AamCurve& curve) { return curve.form.starts_with("peer_"); });
  const auto of_paper = [&](double ms) {
    return per_frame ? fixed(ms, 2) : three_digits(ms * 1e3 / aam_iterations);
  };
  const double scale = per_frame ? 1e-3 : 1.0 / aam_iterations;
  std::vector<std::string> head = {"pixels", "paper: CPU", "paper: GPU"};
  if (per_frame) head.emplace_back("speed-up");
  const std::size_t ours = head.size();
  for (const AamCurve& curve : growth.curves) {
    head.push_back((head.size() == ours ? "here: " : "") + escape_markdown(curve.form));
    if (per_frame && curve.form != aam_baseline) head.emplace_back("speed-up");
  }
  std::string rows;
  for (const PaperFit& paper : paper_fits()) {
    std::vector<std::string> cells = {std::to_string(paper.pixels), of_paper(paper.cpu_ms),
                                      of_paper(paper.gpu_ms)};
    if (per_frame) cells.push_back(three_digits(paper.cpu_ms / paper.gpu_ms));
    bool measured = false;
    for (const AamCurve& curve : growth.curves) {
      const AamCurve::At* at = place(curve, paper.pixels);
      measured |= at != nullptr;
      cells.push_back(at ? three_digits(at->us * scale) : "-");
      if (per_frame && curve.form != aam_baseline)
        cells.push_back(at && at->speed_up ? three_digits(*at->speed_up) : "-");
    }
    if (measured) rows += table_row(cells);
  }
  return rows.empty() ? "" : table_header(head) + rows + "\n";
}

std::string every_time(const Results& results) {
  std::vector<const Entry*> entries = aam_entries(results);
  const auto key = [](const Entry* e) {
    return std::tuple(e->name.size.rows, e->name.modes, e->name.size.cols);
  };
  std::stable_sort(entries.begin(), entries.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  std::string text;
  const Entry* last = nullptr;
  for (const Entry* entry : entries) {
    const Name& name = entry->name;
    const auto faces = static_cast<double>(name.size.rows);
    if (last == nullptr || key(last) != key(entry)) {
      if (last != nullptr) text += "\n";
      text += "### " + std::to_string(name.size.rows) + (name.size.rows == 1 ? " face, " : " faces, ") +
              std::to_string(name.modes) + " modes, " + std::to_string(name.size.cols) + " pixels\n\n" +
              table_header({"form", "us per fit", "us per iteration", "10th percentile", "90th percentile",
                            "speed-up", "share of read"});
    }
    last = entry;
    const auto each = [&](std::optional<double> us) { return us ? three_digits(*us / faces) : "-"; };
    const std::optional<double> over = speed_up(results, *entry);
    text += table_row({escape_markdown(aam_form(name)) + ", " + escape_markdown(name.mode),
                       each(entry->time_us), three_digits(entry->time_us / faces / aam_iterations),
                       each(entry->low_us), each(entry->high_us), over ? three_digits(*over) : "-",
                       entry->share ? fixed(*entry->share * 100, 0) + " %" : "-"});
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

const std::array<PaperFit, 16>& paper_fits() {
  static constexpr std::array<PaperFit, 16> fits = {{{4096, 75.57, 9.74},
                                                     {8192, 180.58, 11.08},
                                                     {12288, 271.40, 12.65},
                                                     {16384, 366.81, 14.06},
                                                     {20480, 445.58, 15.18},
                                                     {24576, 543.34, 16.64},
                                                     {28672, 632.59, 17.94},
                                                     {32768, 727.48, 19.15},
                                                     {36864, 813.35, 20.58},
                                                     {40960, 903.71, 21.85},
                                                     {45056, 1000.40, 23.02},
                                                     {49152, 1077.62, 24.47},
                                                     {53248, 1158.40, 26.54},
                                                     {57344, 1243.77, 26.91},
                                                     {61440, 1333.50, 28.26},
                                                     {65536, 1423.24, 29.58}}};
  return fits;
}

std::string aam_form(const Name& name) {
  return name.type == "float" ? name.series : name.series + ", " + name.type;
}

const Entry* find_aam(const Results& results, std::string_view series, std::string_view storage,
                      std::int64_t faces, std::int64_t modes, std::int64_t pixels) {
  for (const Entry* entry : aam_entries(results)) {
    const Name& name = entry->name;
    if (name.series == series && name.type == storage && name.modes == modes &&
        name.size == Size{faces, pixels})
      return entry;
  }
  return nullptr;
}

AamGrowth aam_by_pixels(const Results& results) {
  const std::vector<const Entry*> entries = aam_entries(results);
  std::map<std::int64_t, std::size_t> of_modes;
  for (const Entry* entry : entries)
    of_modes[entry->name.modes] += entry->name.size.rows == 1 && in_paper(entry->name.size.cols);
  AamGrowth growth;
  std::size_t most = 0;
  for (const auto& [modes, count] : of_modes) {
    if (count >= most && count > 0) {
      growth.modes = modes;
      most = count;
    }
  }
  for (const Entry* entry : entries) {
    const Name& name = entry->name;
    if (name.size.rows != 1 || name.modes != growth.modes || !in_paper(name.size.cols)) continue;
    const std::string form = aam_form(name);
    auto curve = std::find_if(growth.curves.begin(), growth.curves.end(),
                              [&](const AamCurve& c) { return c.form == form; });
    if (curve == growth.curves.end()) curve = growth.curves.insert(curve, AamCurve{form, {}});
    curve->at.push_back({static_cast<double>(name.size.cols), entry->time_us, speed_up(results, *entry)});
  }
  for (AamCurve& curve : growth.curves)
    std::sort(curve.at.begin(), curve.at.end(),
              [](const auto& a, const auto& b) { return a.pixels < b.pixels; });
  std::stable_sort(growth.curves.begin(), growth.curves.end(), [](const AamCurve& a, const AamCurve& b) {
    return rank(forms, a.form) < rank(forms, b.form);
  });
  return growth;
}

std::string aam_table(const Results& results) {
  const std::string all = every_time(results);
  if (all.empty()) return "";
  const AamGrowth growth = aam_by_pixels(results);
  std::string text;
  if (const std::string frames = paper_table(growth, true); !frames.empty()) {
    text +=
        "Paper: its Table 1, on an Athlon II X2 250 and a GTX 650, 2014; it does not say how many modes its "
        "models have. Here: " +
        std::to_string(growth.modes) +
        " modes, 68 points. Ten iterations a frame. A speed-up is over the sequential form: the paper's "
        "CPU, here cpu_literal.\n\n### Milliseconds a frame\n\n" +
        frames + "### Microseconds an iteration\n\n" + paper_table(growth, false);
  }
  return text +
         "Every time, of one fit; of a batch, its time over its faces. Share of read: what ten iterations "
         "would read of the matrix over the bandwidth of the cache that could hold it; above 100 %: the "
         "matrix "
         "stays closer to the cores.\n\n" +
         all;
}

}  // namespace triptych::report
