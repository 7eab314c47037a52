// From the t at which a ray hits a body to the log-likelihood, in integers: the order of the points does not
// matter. Host and device; see exact_math.hpp.
//
// A point whose ray hits the body at residual res (in units of tau) gains 2^22 (1 - min(1, res)^2), or 2^22
// (1 - min(1, res)) for Loss::absolute, rounded once. A ray without a hit gains 0, so a tile of rays that no
// capsule can hit costs nothing. With a sigma for each point a gain is multiplied by a weight, in steps of
// 2^-20, and counts in steps of 2^-26.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>

#include "geometry/exact_math.hpp"

namespace triptych::capsule_likelihood {

using Gain = unsigned long long;  // a sum of gains on the GPU, the type of its atomics

constexpr int gain_bits = 22, weight_bits = 20, weighted_bits = 26;
// A point's weight is (sigma / its sigma)^2 or sigma / its sigma, kept between these.
constexpr double min_weight = 1e-6, max_weight = 64;

// best: the least residual, at most 1. The bits of 2 + best^2 count in steps of 2^-22; those of 3 are
// 0x40400000.
TRIPTYCH_EXACT_HD std::int32_t gain_of(Loss loss, float best) {
  const float level = loss == Loss::squared ? exact::fused(best, best, 2.0f) : best + 2.0f;
  return 0x40400000 - exact::bits_of(level);
}

TRIPTYCH_EXACT_HD std::uint64_t weighted_gain(std::int32_t gain, std::uint32_t weight) {
  constexpr int shift = gain_bits + weight_bits - weighted_bits;
  const std::uint64_t product = static_cast<std::uint64_t>(static_cast<std::uint32_t>(gain)) * weight;
  return (product + (std::uint64_t{1} << (shift - 1))) >> shift;
}

TRIPTYCH_EXACT_HD std::uint32_t weight_of(const SensorModel& sensor, float sigma_m) {
  const double ratio = double{sensor.sigma_m} / double{sigma_m};
  double weight = sensor.loss == Loss::squared ? ratio * ratio : ratio;
  weight = weight < min_weight ? min_weight : weight > max_weight ? max_weight : weight;
  return static_cast<std::uint32_t>(weight * (1 << weight_bits) + 0.5);
}

// The largest gain of a point, in the steps of the sum.
TRIPTYCH_EXACT_HD std::uint64_t max_gain(bool weighted, std::uint32_t weight) {
  return weighted ? std::uint64_t{weight} << (weighted_bits - weight_bits) : std::uint64_t{1} << gain_bits;
}

// The log-likelihood of one step that was not gained.
inline double log_of_step(const SensorModel& sensor, bool weighted) {
  const double tau = double{sensor.tau_m}, sigma = double{sensor.sigma_m};
  const double most = sensor.loss == Loss::squared ? tau * tau / (2 * sigma * sigma) : tau / sigma;
  return most / static_cast<double>(std::int64_t{1} << (weighted ? weighted_bits : gain_bits));
}

// A sum in the steps of weighted gains, whether or not the points have weights: sums of several clouds add
// up.
TRIPTYCH_EXACT_HD std::uint64_t loss_steps(bool weighted, std::uint64_t not_gained) {
  return weighted ? not_gained : not_gained << (weighted_bits - gain_bits);
}

// gained of what all points together can gain. Rounded once for the difference (above 2^53) and once for the
// product.
TRIPTYCH_EXACT_HD double log_likelihood(std::uint64_t most, std::uint64_t gained, double log_of_step) {
  return -(static_cast<double>(most - gained) * log_of_step);
}

// The loss of points that gain nothing, when together they can gain `most`.
inline double max_loss(const SensorModel& sensor, bool weighted, std::uint64_t most) {
  return -log_likelihood(most, 0, log_of_step(sensor, weighted));
}

// The running best over the capsules of a body: of closest, the least residual; of first, the least t.
TRIPTYCH_EXACT_HD float no_hit(Surface surface) {
  return surface == Surface::closest ? 1.0f : std::numeric_limits<float>::infinity();
}
TRIPTYCH_EXACT_HD float better(Surface surface, float best, float t, float g, float h) {
  return exact::smaller(best, surface == Surface::closest ? fabsf(exact::fused(t, g, -h)) : t);
}
// The residual, at most 1, of the running best.
TRIPTYCH_EXACT_HD float residual_of(Surface surface, float best, float g, float h) {
  return surface == Surface::closest ? best : exact::smaller(1.0f, fabsf(exact::fused(best, g, -h)));
}

}  // namespace triptych::capsule_likelihood
