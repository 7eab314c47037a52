#include <array>

#include "aam.hpp"
#include "axis.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

// What a fit should take, on an H200.
struct Aim {
  std::int64_t modes, pixels;
  double max_us;
};
constexpr std::array<Aim, 2> aims = {{{60, 4096, 40}, {60, 65536, 70}}};
constexpr double literal_aim = 4;
constexpr double graph_aim = 10;
constexpr double batch_aim = 10;
constexpr double opencv_aim = 10;
constexpr double half_aim_px = 0.02;

constexpr std::array<std::int64_t, 3> sizes = {4096, 16384, 65536};
constexpr std::array<std::int64_t, 2> modes_of_interest = {60, 20};

std::string subject(std::int64_t faces, std::int64_t modes, std::int64_t pixels) {
  return "- aam, " + (faces == 1 ? std::string() : std::to_string(faces) + " faces, ") +
         std::to_string(modes) + " modes, " + std::to_string(pixels) + " pixels: ";
}

std::string bold_times(double factor) { return "**" + three_digits(factor) + "x**"; }

std::string aim_words(std::int64_t modes, std::int64_t pixels) {
  for (const Aim& aim : aims) {
    if (aim.modes == modes && aim.pixels == pixels)
      return " (aim on an H200: at most " + plain_tick(aim.max_us) + " us)";
  }
  return "";
}

std::string aim_over(std::string_view other) {
  const double aim = other == "gpu_literal" ? literal_aim : other == "peer_torch_graph" ? graph_aim : 0;
  return aim > 0 ? " (aim: " + plain_tick(aim) + "x)" : "";
}

// "gpu_one_pass takes **46.0 us** per fit (aim ...): **5.00x** as fast as gpu_literal (aim: 4x), ..."
std::string fit_line(const Results& results, std::string_view series, std::string_view storage,
                     std::int64_t modes, std::int64_t pixels,
                     std::initializer_list<std::string_view> others) {
  const Entry* ours = find_aam(results, series, storage, 1, modes, pixels);
  if (ours == nullptr) return "";
  std::string line = subject(1, modes, pixels) + aam_form(ours->name) + " takes **" +
                     three_digits(ours->time_us) + " us** per fit";
  if (series == "gpu_one_pass") line += aim_words(modes, pixels);
  const char* before = ": ";
  for (const std::string_view other : others) {
    const Entry* theirs = find_aam(results, other, "float", 1, modes, pixels);
    if (theirs == nullptr) continue;
    line.append(before).append(bold_times(theirs->time_us / ours->time_us)).append(" as fast as ");
    line.append(other).append(series == "gpu_one_pass" ? aim_over(other) : "");
    before = ", ";
  }
  return line + ".\n";
}

// A batch against as many single fits, and against a peer's batch.
std::string batch_lines(const Results& results) {
  std::string lines;
  for (const Entry& batch : results.entries) {
    const Name& name = batch.name;
    if (name.kind != Kind::aam || name.size.rows < 2 || name.series != "gpu_one_pass") continue;
    const auto faces = static_cast<double>(name.size.rows);
    lines.append(subject(name.size.rows, name.modes, name.size.cols))
        .append(aam_form(name))
        .append(" takes **")
        .append(three_digits(batch.time_us / faces))
        .append(" us** per fit");
    const char* before = ": ";
    if (const Entry* one = find_aam(results, name.series, name.type, 1, name.modes, name.size.cols)) {
      lines.append(before)
          .append(bold_times(one->time_us * faces / batch.time_us))
          .append(" the throughput of single fits (aim: ")
          .append(plain_tick(batch_aim))
          .append("x)");
      before = ", ";
    }
    for (const std::string_view peer : {"peer_torch_graph", "peer_torch_eager"}) {
      const Entry* theirs = find_aam(results, peer, "float", name.size.rows, name.modes, name.size.cols);
      if (theirs == nullptr) continue;
      lines.append(before).append(bold_times(theirs->time_us / batch.time_us)).append(" that of ");
      lines.append(peer);
      before = ", ";
    }
    lines.append(".\n");
  }
  return lines;
}

std::string half_line(const Results& results) {
  const Entry* worst = nullptr;
  for (const Entry& entry : results.entries) {
    if (entry.name.kind != Kind::aam || !entry.counters.contains("difference_px")) continue;
    if (worst == nullptr || entry.counters.at("difference_px") > worst->counters.at("difference_px"))
      worst = &entry;
  }
  if (worst == nullptr) return "";
  return "- aam: halves move a landmark by at most **" + three_digits(worst->counters.at("difference_px")) +
         " px** against floats, at " + std::to_string(worst->name.modes) + " modes and " +
         std::to_string(worst->name.size.cols) + " pixels (aim: at most " + plain_tick(half_aim_px) +
         " px).\n";
}

std::string error_words(const Entry& entry) {
  const auto mean = entry.counters.find("mean_error");
  const auto below = entry.counters.find("share_below");
  if (mean == entry.counters.end() || below == entry.counters.end()) return "";
  return " (mean error " + three_digits(mean->second) + ", " + fixed(below->second * 100, 0) +
         " % below 0.05)";
}

// OpenCV's FacemarkAAM and the twin at the same pixels and modes, one thread each.
std::string opencv_lines(const Results& results) {
  std::string lines;
  for (const Entry& theirs : results.entries) {
    const Name& name = theirs.name;
    if (name.kind != Kind::aam || name.series != "peer_opencv") continue;
    const Entry* ours = find_aam(results, "cpu_one_pass", "float", 1, name.modes, name.size.cols);
    if (ours == nullptr) continue;
    lines.append(subject(1, name.modes, name.size.cols))
        .append("an iteration of cpu_one_pass takes **")
        .append(three_digits(ours->time_us / aam_iterations))
        .append(" us** on one thread")
        .append(error_words(*ours))
        .append(": ")
        .append(bold_times(theirs.time_us / ours->time_us))
        .append(" as fast as one of OpenCV's FacemarkAAM")
        .append(error_words(theirs))
        .append(" (aim: ")
        .append(plain_tick(opencv_aim))
        .append("x).\n");
  }
  return lines;
}

// Our default model against the best of FacemarkAAM's.
std::string faces_line(const Results& results) {
  const Entry* ours = nullptr;
  const Entry* theirs = nullptr;
  for (const Entry& entry : results.entries) {
    if (entry.name.kind != Kind::aam || error_words(entry).empty()) continue;
    if (entry.name.series == "cpu_fitter") ours = &entry;
    const bool better =
        theirs == nullptr || entry.counters.at("mean_error") < theirs->counters.at("mean_error");
    if (entry.name.series == "peer_opencv" && better) theirs = &entry;
  }
  if (ours == nullptr) return "";
  std::string line = "- aam, held-out faces from five starts each: our default model takes **" +
                     three_digits(ours->time_us / 1e3) + " ms** per fit on one thread" + error_words(*ours);
  if (theirs != nullptr)
    line += "; OpenCV's FacemarkAAM at its best takes " +
            three_digits(theirs->time_us / aam_iterations / 1e3) + " ms per iteration" + error_words(*theirs);
  return line + ".\n";
}

}  // namespace

std::string aam_verdict(const Results& results) {
  std::string lines;
  for (const std::int64_t modes : modes_of_interest) {
    for (const std::int64_t pixels : sizes) {
      for (const std::string_view storage : {"float", "half"})
        lines +=
            fit_line(results, "gpu_one_pass", storage, modes, pixels,
                     {"gpu_literal", "peer_torch_graph", "peer_torch_eager", "cpu_threads", aam_baseline});
      lines += fit_line(results, "cpu_one_pass", "float", modes, pixels, {aam_baseline});
      lines += fit_line(results, "cpu_threads", "float", modes, pixels, {"cpu_one_pass", aam_baseline});
    }
  }
  return lines + batch_lines(results) + half_line(results) + opencv_lines(results) + faces_line(results);
}

}  // namespace triptych::report
