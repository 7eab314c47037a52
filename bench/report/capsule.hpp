// The measurements of capsule_likelihood_bench and of its peers: the paper's figures 5 and 6, and every form
// at every size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grid.hpp"

namespace triptych::report {

// The sequential loop, the baseline of speed-ups.
constexpr std::string_view capsule_baseline = "listing";

// A form of the likelihood at sizes that differ in one number: points, or samples.
struct CapsuleCurve {
  std::string series;
  struct At {
    double size = 0;  // points or samples
    double us = 0;
    std::optional<double> speed_up;  // over the sequential loop at the same size
  };
  std::vector<At> at;  // ascending
};

// One of the paper's two series of sizes: the largest number of samples and every number of points, or the
// reverse. Only curves of at least two sizes.
struct CapsuleGrowth {
  std::int64_t fixed = 0;  // samples or points
  std::int64_t capsules = 0;
  std::vector<CapsuleCurve> curves;
};
CapsuleGrowth capsules_by_points(const Results& results);
CapsuleGrowth capsules_by_samples(const Results& results);

// Every time with its speed-up over the sequential loop, one table per number of samples, capsules and
// points; "" when there are none.
std::string capsule_table(const Results& results);

// The lines of the verdict about capsules, each only when its data exist: the forms and peers at the paper's
// sizes, beside the goals, and the growth of the time.
std::string capsule_verdict(const Results& results);

}  // namespace triptych::report
