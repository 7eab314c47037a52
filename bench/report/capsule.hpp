// The measurements of capsule_likelihood_bench and of its peers: the paper's figures 5 and 6, and every form
// at every size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grid.hpp"

namespace triptych::report {

// The sequential loop that speed-ups are over.
constexpr std::string_view capsule_baseline = "listing";

// A form of the likelihood at sizes that differ in one thing: points, or samples.
struct CapsuleCurve {
  std::string series;
  struct At {
    double size = 0;  // points or samples
    double us = 0;
    std::optional<double> speed_up;  // over the sequential loop at the same size
  };
  std::vector<At> at;  // ascending
};

// One of the paper's two ways to grow: the largest number of samples and every number of points, or the other
// way round. Only curves of two sizes and more.
struct CapsuleGrowth {
  std::int64_t fixed = 0;  // samples or points
  std::int64_t capsules = 0;
  std::vector<CapsuleCurve> curves;
};
CapsuleGrowth capsules_by_points(const Results& results);
CapsuleGrowth capsules_by_samples(const Results& results);

// Every time, with its speed-up over the sequential loop, a table for each number of samples, capsules and
// points; "" when there are none.
std::string capsule_table(const Results& results);

// The lines of the verdict about capsules, each only where its data is there: the forms and peers at the
// paper's sizes, beside what was aimed at, and how the time grows.
std::string capsule_verdict(const Results& results);

}  // namespace triptych::report
