// Weights and systematic resampling on the CPU.
#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/core/error.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "resample/resample_checks.hpp"
#include "resample/resample_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

WeightSums sums_at(std::span<const float> below, float beta) {
  WeightSums sums;
  for (const float x : below) sums.add(weight_of(x, beta));
  return sums;
}

// The largest step up to `most` whose beta leaves enough samples effective; 0 when none does.
std::uint32_t solve(std::span<const float> below, double target, std::uint32_t most) {
  if (!(target > 0) || reaches(sums_at(below, beta_of(most)), target)) return most;
  std::uint32_t step = 0;
  for (std::uint32_t bit = 1u << (beta_bits - 1); bit > 0; bit >>= 1) {
    const std::uint32_t tried = step | bit;
    if (tried < most && reaches(sums_at(below, beta_of(tried)), target)) step = tried;
  }
  return step;
}

}  // namespace

Tempering temper_cpu(std::span<const double> log_likelihoods, double target_effective_samples,
                     std::span<std::uint32_t> weights, double max_loss) {
  check_temper(static_cast<std::int64_t>(log_likelihoods.size()), target_effective_samples, max_loss,
               static_cast<std::int64_t>(weights.size()));
  Tempering tempering;
  tempering.highest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < log_likelihoods.size(); ++j) {
    if (!(log_likelihoods[j] > tempering.highest)) continue;
    tempering.highest = log_likelihoods[j];
    tempering.best = static_cast<std::int64_t>(j);
  }
  WeightSums sums;
  const bool none = !(tempering.highest >= -1e300);
  std::vector<float> below;
  float beta = 0;
  if (!none) {
    below.reserve(log_likelihoods.size());
    for (const double l : log_likelihoods) below.push_back(below_highest(l, tempering.highest));
    beta = beta_of(solve(below, target_effective_samples, max_beta_step(tempering.highest, max_loss)));
  }
  tempering.beta = double{beta};
  for (std::size_t j = 0; j < weights.size(); ++j) {
    weights[j] = none ? whole_weight : weight_of(below[j], beta);
    sums.add(weights[j]);
  }
  tempering.total = sums.first;
  tempering.effective_samples = effective_samples(sums);
  return tempering;
}

void resample_cpu(std::span<const std::uint32_t> weights, std::uint32_t bits,
                  std::span<std::int32_t> ancestors) {
  check_resample(static_cast<std::int64_t>(weights.size()), static_cast<std::int64_t>(ancestors.size()));
  if (ancestors.empty()) return;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require(weights[i] <= whole_weight, "weight ", i, " is ", weights[i],
            ", above whole_weight = ", whole_weight);
    total += weights[i];
  }
  require(total > 0, "cannot draw from ", weights.size(), " samples that all weigh 0");
  const Comb comb = make_comb(total, bits, ancestors.size());
  std::uint64_t reached = 0;
  std::size_t j = 0;
  reached = weights[0];
  for (std::size_t k = 0; k < ancestors.size(); ++k) {
    const std::uint64_t tooth = comb.tooth(k);
    while (reached <= tooth) reached += weights[++j];
    ancestors[k] = static_cast<std::int32_t>(j);
  }
}

}  // namespace triptych::capsule_likelihood
