#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

struct Weighed {
  Tempering tempering;
  std::vector<std::uint32_t> weights;
};

Weighed temper(const std::vector<double>& l, double target, double max_loss = 0) {
  Weighed result;
  result.weights.resize(l.size());
  result.tempering = temper_cpu(l, target, result.weights, max_loss);
  return result;
}

double effective(const std::vector<double>& l, double beta) {  // from the formula
  const double highest = *std::max_element(l.begin(), l.end());
  double first = 0, second = 0;
  for (const double x : l) {
    const double w = std::exp(beta * (x - highest));
    first += w;
    second += w * w;
  }
  return first * first / second;
}

// A step of beta is 2^-10 of it.
TEST(Temper, TheLossOfTheBestSampleCountsAsNoMoreThanTheLimit) {
  const auto l = test::random_values<double>(1000, -500.0, -400.0, 3);
  const double highest = *std::max_element(l.begin(), l.end());
  for (const double limit : {1e-3, 0.5, 20.0, 399.0}) {
    for (const double target : {0.0, 1.0}) {
      const Weighed found = temper(l, target, limit);
      EXPECT_LE(found.tempering.beta * -highest, limit);
      EXPECT_GT(found.tempering.beta * -highest, limit * (1 - 0x1p-10));
      EXPECT_NEAR(found.tempering.effective_samples, effective(l, found.tempering.beta),
                  1e-4 * found.tempering.effective_samples);
    }
  }
  // Where the target asks for a lower beta, the limit changes nothing.
  EXPECT_EQ(temper(l, 500, 399).weights, temper(l, 500).weights);
  EXPECT_LT(temper(l, 500, 5).tempering.beta, temper(l, 500).tempering.beta);
  // No limit, and a loss below it.
  EXPECT_EQ(temper(l, 0, 0).tempering.beta, 1);
  EXPECT_EQ(temper(l, 0, 501).tempering.beta, 1);
  EXPECT_EQ(temper({0, -3, 5}, 0, 1e-3).tempering.beta, 1);
}

TEST(Temper, WeighsByTheFormula) {
  const auto l = test::random_values<double>(1001, -50.0, 0.0, 3);
  const Weighed found = temper(l, 0);
  EXPECT_EQ(found.tempering.beta, 1.0);
  const double highest = *std::max_element(l.begin(), l.end());
  EXPECT_EQ(found.tempering.highest, highest);
  EXPECT_EQ(found.tempering.best, std::max_element(l.begin(), l.end()) - l.begin());
  std::uint64_t total = 0;
  for (std::size_t j = 0; j < l.size(); ++j) {
    // In floats: the exponent x is off by |x| 2^-24, and |x| e^x is at most 0.37; e^x by 2^-22 of itself,
    // four units; then it is rounded to a whole one.
    ASSERT_NEAR(found.weights[j], std::exp(l[j] - highest) * whole_weight, 0.37 + 4 + 1) << j;
    total += found.weights[j];
  }
  EXPECT_EQ(found.tempering.total, total);
  // A weight is off by 0.5 of 2^24, its square by the 4 bits that are cut off.
  EXPECT_NEAR(found.tempering.effective_samples, effective(l, 1.0), 1e-4);
}

TEST(Temper, SolvesForTheEffectiveSamples) {
  for (const double scale : {1.0, 1e3, 1e6}) {
    const auto l = test::random_values<double>(2003, -scale, 0.0, 5);
    for (const double share : {0.01, 0.1, 0.5, 0.9}) {
      const double target = share * 2003;
      const Tempering t = temper(l, target).tempering;
      EXPECT_GE(t.effective_samples, target);
      if (t.beta == 1.0) {
        EXPECT_GE(effective(l, 1.0), target - 1e-3);
        continue;
      }
      // One step up in beta, at most a relative 2^-10 (2^-9 to be past the weights' rounding), is too much.
      EXPECT_LT(effective(l, t.beta * (1 + 0x1p-9)), target) << scale << ' ' << share;
      EXPECT_NEAR(effective(l, t.beta), t.effective_samples, 1e-4 * target);
    }
  }
}

TEST(Temper, SurvivesLikelihoodsOfMinusAMillion) {
  std::vector<double> l(500);
  for (std::size_t j = 0; j < l.size(); ++j) l[j] = -1e6 - 1e4 * static_cast<double>(j);
  const Weighed sharp = temper(l, 0);
  EXPECT_EQ(sharp.weights[0], whole_weight);
  EXPECT_EQ(sharp.tempering.total, whole_weight);
  EXPECT_EQ(sharp.tempering.effective_samples, 1.0);
  const Weighed soft = temper(l, 50);
  EXPECT_GE(soft.tempering.effective_samples, 50);
  EXPECT_LT(soft.tempering.effective_samples, 51);
  l.assign(500, -1e6);
  EXPECT_EQ(temper(l, 100).tempering.effective_samples, 500.0);
}

TEST(Temper, AConstantChangesNothing) {
  auto l = test::random_values<double>(257, -4096.0, 0.0, 9);
  for (double& x : l) x = std::round(x * 64) / 64;  // so that adding the constant is exact
  const Weighed before = temper(l, 60);
  for (double& x : l) x -= 1048576.0;
  const Weighed after = temper(l, 60);
  EXPECT_EQ(before.weights, after.weights);
  EXPECT_EQ(before.tempering.beta, after.tempering.beta);
}

TEST(Temper, LeavesOutWhatHasNoLikelihood) {
  const double nan = std::nan(""), never = -std::numeric_limits<double>::infinity();
  const Weighed some = temper({nan, -3.0, never, -3.0}, 1);
  EXPECT_EQ(some.weights, (std::vector<std::uint32_t>{0, whole_weight, 0, whole_weight}));
  const Weighed none = temper({nan, never, nan}, 1);
  EXPECT_EQ(none.weights, (std::vector<std::uint32_t>(3, whole_weight)));
  EXPECT_EQ(none.tempering.highest, never);
  EXPECT_EQ(none.tempering.beta, 0.0);
  EXPECT_EQ(temper({}, 5).tempering.total, 0u);
  EXPECT_EQ(temper({-7.0}, 5).weights[0], whole_weight);
}

TEST(Temper, RefusesWhatMakesNoSense) {
  std::vector<std::uint32_t> weights(2);
  const std::vector<double> l(3);
  EXPECT_ERROR(temper_cpu(l, 1, weights), InvalidArgument, "3 samples with room for 2");
  weights.resize(3);
  EXPECT_ERROR(temper_cpu(l, -1, weights), InvalidArgument, "-1");
  EXPECT_ERROR(temper_cpu(l, std::nan(""), weights), InvalidArgument, "nan");
  EXPECT_ERROR(temper_cpu(l, 1, weights, -2), InvalidArgument, "max_loss must not be negative: -2");
  EXPECT_ERROR(temper_cpu(l, 1, weights, std::nan("")), InvalidArgument, "nan");
}

// Sample j is drawn floor or ceil of n w_j / sum w times, by integers.
void expect_fair(const std::vector<std::uint32_t>& weights, std::uint32_t bits, std::size_t n) {
  std::vector<std::int32_t> ancestors(n);
  resample_cpu(weights, bits, ancestors);
  std::vector<std::uint64_t> counts(weights.size());
  for (std::size_t k = 0; k < n; ++k) {
    ASSERT_GE(ancestors[k], k == 0 ? 0 : ancestors[k - 1]);
    ASSERT_LT(ancestors[k], static_cast<std::int32_t>(weights.size()));
    ++counts[static_cast<std::size_t>(ancestors[k])];
  }
  const std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const std::uint64_t share = n * weights[j];
    ASSERT_GE(counts[j], share / total) << "sample " << j << " of " << weights.size() << ", bits " << bits;
    ASSERT_LE(counts[j], (share + total - 1) / total) << "sample " << j << ", bits " << bits;
  }
}

TEST(Resample, CountsAreWithinOneOfTheShare) {
  constexpr std::uint64_t seed = 17;
  TRIPTYCH_TRACE_SEED(seed);
  PhiloxStream stream(seed, 0);
  for (const std::size_t m : {1u, 2u, 31u, 32u, 33u, 1009u, 4000u}) {
    for (const std::size_t n : {1u, 31u, 1000u, 4001u}) {
      std::vector<std::uint32_t> weights(m);
      for (std::uint32_t& w : weights) {
        const float u = stream.next_uniform();
        w = static_cast<std::uint32_t>(u * u * u * u * static_cast<float>(whole_weight));
      }
      weights[m / 2] = whole_weight;
      for (const std::uint32_t bits : {0u, 0xFFFFFFFFu, stream.next(), stream.next()})
        expect_fair(weights, bits, n);
    }
  }
}

TEST(Resample, EqualWeightsKeepEverySample) {
  const std::vector<std::uint32_t> weights(1000, whole_weight);
  for (const std::uint32_t bits : {0u, 0x80000000u, 0xFFFFFFFFu}) {
    std::vector<std::int32_t> ancestors(1000);
    resample_cpu(weights, bits, ancestors);
    for (std::int32_t k = 0; k < 1000; ++k) ASSERT_EQ(ancestors[static_cast<std::size_t>(k)], k);
  }
}

TEST(Resample, LargestSizesDoNotOverflow) {
  const std::vector<std::uint32_t> weights(static_cast<std::size_t>(max_weighed_samples), whole_weight);
  std::vector<std::int32_t> ancestors(weights.size());
  resample_cpu(weights, 0xFFFFFFFFu, ancestors);
  EXPECT_EQ(ancestors.front(), 0);
  EXPECT_EQ(ancestors.back(), max_weighed_samples - 1);
}

// Over many shifts of the comb a sample is drawn in proportion to its weight: n w / sum w = 2.25 here, so 2
// or 3 times with a chance of 1/4 for 3; five deviations of the mean of 4000 such draws.
TEST(Resample, IsUnbiased) {
  const std::vector<std::uint32_t> weights = {3, 9, 4};
  constexpr std::uint64_t seed = 4;
  TRIPTYCH_TRACE_SEED(seed);
  PhiloxStream stream(seed, 0);
  int drawn = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::int32_t> ancestors(4);
    resample_cpu(weights, stream.next(), ancestors);
    drawn += static_cast<int>(std::count(ancestors.begin(), ancestors.end(), 1));
  }
  EXPECT_NEAR(drawn / 4000.0, 2.25, 5 * std::sqrt(0.25 * 0.75 / 4000));
}

TEST(Temper, GivesAllWeightToAnEndlessLikelihood) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> likelihoods = {0, inf, -inf, std::nan(""), inf};
  for (const double target : {0.0, 3.0, inf}) {
    std::vector<std::uint32_t> weights(5);
    const Tempering tempering = temper_cpu(likelihoods, target, weights);
    EXPECT_EQ(weights, (std::vector<std::uint32_t>{0, whole_weight, 0, 0, whole_weight})) << target;
    EXPECT_EQ(tempering.total, 2 * std::uint64_t{whole_weight});
    EXPECT_EQ(tempering.effective_samples, 2);
    EXPECT_EQ(tempering.best, 1);
  }
}

TEST(Resample, RefusesWhatMakesNoSense) {
  std::vector<std::int32_t> ancestors(2);
  const std::vector<std::uint32_t> none, zeros(3);
  EXPECT_ERROR(resample_cpu(none, 0, ancestors), InvalidArgument, "out of none");
  EXPECT_ERROR(resample_cpu(zeros, 0, ancestors), InvalidArgument, "all weigh 0");
  std::vector<std::int32_t> nothing;
  resample_cpu(none, 0, nothing);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
