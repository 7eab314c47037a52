// From log-likelihoods to weights, and from weights to the surviving samples. Weights are integers, so
// that their sums are exact in any order; CPU and GPU give the same bits.
#pragma once

#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>

#include <cstdint>
#include <span>

namespace triptych::capsule_likelihood {

// The weight of the best sample; the others' are at most that.
inline constexpr std::uint32_t whole_weight = std::uint32_t{1} << 24;
inline constexpr std::int64_t max_weighed_samples = std::int64_t{1} << 20;

struct Tempering {
  double beta = 0;               // the exponent of the likelihood, 0 .. 1
  double effective_samples = 0;  // (sum w)^2 / sum w^2
  double highest = 0;            // the best log-likelihood; -infinity when no sample has one
  std::int64_t best = 0;         // the first sample that has it; 0 when none has
  std::uint64_t total = 0;       // the sum of the weights; 0 only when there are no samples
};

// weights[j] = exp(beta (l_j - highest)) in units of 1 / whole_weight, rounded, with the largest beta in 0 ..
// 1 that leaves at least target_effective_samples effective (to a relative step of 2^-10 in beta); a target
// of 0 means beta = 1. Likelihoods may have any magnitude. A NaN or -infinity weighs 0; when all are, all
// weigh the same. Beside a +infinity all that are less weigh 0. InvalidArgument when sizes do not fit, there
// are over max_weighed_samples samples, or the target or max_loss is negative or NaN.
// max_loss: when above 0, beta is at most max_loss / -highest, so that the loss of the best sample counts as
// no more than that.
Tempering temper_cpu(std::span<const double> log_likelihoods, double target_effective_samples,
                     std::span<std::uint32_t> weights, double max_loss = 0);

// The same bits on the GPU: enqueues and returns; can be captured in a graph.
void temper_cuda(DeviceSpan<const double> log_likelihoods, double target_effective_samples,
                 DeviceSpan<std::uint32_t> weights, Tempering* tempering_on_device, StreamRef stream,
                 double max_loss = 0);

// Systematic resampling: ancestors[k] is the sample drawn for row k, in rising order; sample j is drawn
// floor or ceil of n w_j / sum w times, n = ancestors.size(). bits: random bits that shift the comb.
// InvalidArgument when all weights are 0, one is above whole_weight, there are none, or there are over
// max_weighed_samples of either.
void resample_cpu(std::span<const std::uint32_t> weights, std::uint32_t bits,
                  std::span<std::int32_t> ancestors);

// The same on the GPU: enqueues and returns; can be captured in a graph. The weights are not checked: when
// all are 0, all ancestors are the last sample.
void resample_cuda(DeviceSpan<const std::uint32_t> weights, std::uint32_t bits,
                   DeviceSpan<std::int32_t> ancestors, Workspace& workspace, StreamRef stream);

}  // namespace triptych::capsule_likelihood
