// The measurements of aam_fit_bench and of its peers: the paper's Table 1 and figures 6 to 8, and every form
// at every size. A time is that of a whole fit of ten iterations, of all faces of a batch together.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grid.hpp"

namespace triptych::report {

constexpr int aam_iterations = 10;  // per frame, in the paper and here
// The sequential form, the baseline of speed-ups.
constexpr std::string_view aam_baseline = "cpu_literal";

// The paper's Table 1: milliseconds per frame on an Athlon II X2 250 and on a GTX 650.
struct PaperFit {
  std::int64_t pixels = 0;
  double cpu_ms = 0;
  double gpu_ms = 0;
};
const std::array<PaperFit, 16>& paper_fits();

// "gpu_one_pass", "gpu_one_pass, half"
std::string aam_form(const Name& name);

// One face per frame; null when it was not measured.
const Entry* find_aam(const Results& results, std::string_view series, std::string_view storage,
                      std::int64_t faces, std::int64_t modes, std::int64_t pixels);

// A form for one face at the paper's sizes, with the number of modes that was measured most often.
struct AamCurve {
  std::string form;
  struct At {
    double pixels = 0;
    double us = 0;                   // per frame
    std::optional<double> speed_up;  // over the sequential form at the same size
  };
  std::vector<At> at;  // ascending
};
struct AamGrowth {
  std::int64_t modes = 0;
  std::vector<AamCurve> curves;  // in the order of the table
};
AamGrowth aam_by_pixels(const Results& results);

// The paper's Table 1 with its own times, then every time with its spread; "" when there are none.
std::string aam_table(const Results& results);

// The lines of the verdict about fits, each only when its data exist: the forms and peers beside the goals.
std::string aam_verdict(const Results& results);

}  // namespace triptych::report
