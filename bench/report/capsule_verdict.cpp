#include <array>

#include "axis.hpp"
#include "capsule.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

struct Work {
  Size size;
  std::int64_t capsules;
};

// What the forms should reach: on an H200, but for the last.
struct Aim {
  std::string_view series;
  Work work;
  double max_ms;
};
constexpr std::array<Aim, 3> aims = {{{"culled", {{2000, 50000}, 40}, 0.25},
                                      {"culled", {{3500, 43000}, 48}, 0.45},
                                      {"brute", {{2000, 50000}, 40}, 4}}};
constexpr double compiled_aim = 150;
constexpr double threads_aim = 30;

const Entry* find(const Results& results, std::string_view series, const Work& work) {
  for (const Entry& entry : results.entries) {
    const Name& name = entry.name;
    if (name.kind == Kind::capsule && name.series == series && name.size == work.size &&
        name.capsules == work.capsules)
      return &entry;
  }
  return nullptr;
}

std::string aim_words(std::string_view series, const Work& work) {
  for (const Aim& aim : aims) {
    if (aim.series == series && aim.work.size == work.size && aim.work.capsules == work.capsules)
      return " (aim on an H200: at most " + plain_tick(aim.max_ms) + " ms)";
  }
  return "";
}

// "**0.234 ms** (aim ...): **12.0x** as fast as brute, ..."
std::string line_of(const Results& results, std::string_view series, const Work& work,
                    std::initializer_list<std::string_view> others) {
  const Entry* ours = find(results, series, work);
  if (ours == nullptr) return "";
  std::string line = "- capsule, " + std::to_string(work.size.rows) + " x " + std::to_string(work.capsules) +
                     " x " + std::to_string(work.size.cols) + ": " + std::string(series) + " takes **" +
                     three_digits(ours->time_us / 1e3) + " ms**" + aim_words(series, work);
  const char* before = ": ";
  for (const std::string_view other : others) {
    const Entry* theirs = find(results, other, work);
    if (theirs == nullptr) continue;
    line.append(before)
        .append("**")
        .append(three_digits(theirs->time_us / ours->time_us))
        .append("x** as fast as ");
    line.append(other);
    if (series == "culled" && other == "peer_torch_compiled")
      line.append(" (aim: ").append(plain_tick(compiled_aim)).append("x)");
    if (series == "threads" && other == capsule_baseline)
      line.append(" (aim on two cores: ").append(plain_tick(threads_aim)).append("x)");
    before = ", ";
  }
  return line + ".\n";
}

// How the time grows along a curve's last doublings.
std::string growth_line(const CapsuleGrowth& growth, const char* what, const char* fixed) {
  for (const CapsuleCurve& curve : growth.curves) {
    if (curve.series != "culled" || curve.at.size() < 3) continue;
    const CapsuleCurve::At &from = curve.at[curve.at.size() - 3], &to = curve.at.back();
    return "- capsule, " + std::to_string(growth.fixed) + " " + fixed + ": from " + plain_tick(from.size) +
           " to " + plain_tick(to.size) + " " + what + ", " + three_digits(to.size / from.size) +
           " times as many, culled takes **" + three_digits(to.us / from.us) + "** times as long.\n";
  }
  return "";
}

}  // namespace

std::string capsule_verdict(const Results& results) {
  std::string lines;
  for (const Work& work : {Work{{2000, 50000}, 40}, Work{{3500, 43000}, 48}}) {
    lines +=
        line_of(results, "culled", work,
                {"brute", "tiled", "peer_torch_compiled", "peer_torch_eager", "threads", capsule_baseline});
    lines += line_of(results, "brute", work, {"peer_torch_compiled", capsule_baseline});
    lines += line_of(results, "threads", work, {"simd", "brute_cpu", capsule_baseline});
  }
  lines += growth_line(capsules_by_points(results), "points", "samples");
  lines += growth_line(capsules_by_samples(results), "samples", "points");
  return lines;
}

}  // namespace triptych::report
