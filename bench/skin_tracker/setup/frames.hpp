// What the halves of skin_tracker_bench share: the frames, the trials, and the table that is printed at the
// end.
#pragma once

#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/timing.hpp"

namespace triptych::bench {

inline constexpr int skin_width = 1920;
inline constexpr int skin_height = 1080;
inline constexpr std::size_t skin_bytes = std::size_t{4} * skin_width * skin_height;
inline constexpr skin_tracker::LinearFilter skin_filter{0.012, -0.004, -0.006, -0.3};

// Frames of random bytes, each different, one after the other.
inline void fill_frames(std::span<std::uint8_t> frames) {
  PhiloxStream random(3, 0);
  std::vector<std::uint8_t> first(skin_bytes);
  for (auto& byte : first) byte = static_cast<std::uint8_t>(random.next());
  for (std::size_t i = 0; i < frames.size(); ++i)
    frames[i] = static_cast<std::uint8_t>(first[i % skin_bytes] + 37 * (i / skin_bytes) * (i % 5));
}

// call(0) .. call(trials - 1), each by the host's clock, after three that only warm up.
template <class Call>
Timing time_trials(int trials, Call&& call) {
  std::vector<double> us;
  for (int r = -3; r < trials; ++r) {
    const Stopwatch watch;
    call(r < 0 ? 0 : r);
    if (r >= 0) us.push_back(watch.elapsed_us());
  }
  return summarize(std::move(us));
}

// The head of float sums against the exact one: as near as plain float32 sums of a 1080p frame come.
inline void check_head(const skin_tracker::Head& head, const skin_tracker::Head& exact) {
  if (!(std::abs(head.x_px - exact.x_px) < 5 && std::abs(head.y_px - exact.y_px) < 5 &&
        std::abs(head.area - exact.area) < 0.02 * exact.area))
    throw std::runtime_error("a wrong head");
}

// The paper's table: microseconds, 0 where there is nothing to say.
struct TableRow {
  double transfer = 0, calculation = 0, total = 0;
};
inline std::map<std::string, TableRow>& skin_table() {
  static std::map<std::string, TableRow> table;
  return table;
}

inline std::string skin_name(const std::string& variant, const std::string& mode,
                             const std::string& format = "rgba") {
  return "skin/" + format + "/" + variant + "/" + mode + "/" + std::to_string(skin_width) + "x" +
         std::to_string(skin_height);
}

void define_calibration(bool quick);
void define_gate(bool quick);
// The GPU's measurements; nothing in a build without CUDA.
void define_gpu_skin(bool quick);
void define_paper_joint(bool quick);   // called by it
void define_gpu_trackers(bool quick);  // likewise

}  // namespace triptych::bench
