// The filter's sampling, weighing and resampling in a linear Gaussian world, against a Kalman filter.
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/philox.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "filter/filter_cpu.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

constexpr int samples = 20000;
constexpr float step_m = 0.05f;                               // of the random walk, and of the start
constexpr std::array<double, 3> sigma_m = {0.02, 0.05, 0.2};  // of the measurements of x, y and z

// A body that has only a position.
FilterPlan plan_of_a_walk() {
  const Skeleton ball({{"ball", -1, {}, {}}}, {{0, {{}, 0.1f, {}}}});
  FilterOptions options;
  options.samples = samples;
  options.layers = 1;
  options.seed = 5;
  options.motion = MotionModel::random_walk;
  options.position_spread_m = step_m;
  options.rotation_spread_rad = 0;
  options.start_spread = 1;
  options.effective_share = 0;
  options.min_spread = 1;
  return make_plan(ball, options);
}

FilterCpu make_filter() {
  return FilterCpu(
      plan_of_a_walk(), 1,
      [](MatrixView<const float> poses, MatrixView<Vec3> joints) {
        for (std::int64_t i = 0; i < poses.rows(); ++i)
          joints(i, 0) = {poses(i, 0), poses(i, 1), poses(i, 2)};
      },
      2);
}

struct Kalman {
  double mean = 0, variance = double{step_m} * double{step_m};

  void step(double measured, double sigma) {  // returns the gain
    variance += double{step_m} * double{step_m};
    gain = variance / (variance + sigma * sigma);
    mean += gain * (measured - mean);
    variance *= 1 - gain;
  }
  double gain = 0;
};

TEST(FilterKalman, MeansAndVariancesAgree) {
  constexpr std::uint64_t seed = 31;
  TRIPTYCH_TRACE_SEED(seed);
  FilterCpu filter = make_filter();
  filter.start(std::vector<float>{0, 0, 0, 1, 0, 0, 0});
  std::array<Kalman, 3> kalman;
  std::array<double, 3> truth{};
  PhiloxStream random(seed, 0);
  for (int frame = 0; frame < 12; ++frame) {
    std::array<double, 3> measured{};
    for (std::size_t i = 0; i < 3; ++i) {
      const NormalPair normal = random.next_normal_pair();
      truth[i] += double{step_m} * double{normal.first};
      measured[i] = truth[i] + sigma_m[i] * double{normal.second};
      kalman[i].step(measured[i], sigma_m[i]);
    }
    filter.step([&](MatrixView<const float> poses, std::span<double> log_likelihoods) {
      for (std::int64_t row = 0; row < poses.rows(); ++row) {
        double l = -1e6;  // a constant that must not matter
        for (std::size_t i = 0; i < 3; ++i) {
          const double d = (double{poses(row, static_cast<std::int64_t>(i))} - measured[i]) / sigma_m[i];
          l -= d * d / 2;
        }
        log_likelihoods[static_cast<std::size_t>(row)] = l;
      }
    });
    const double effective = filter.effective_samples();
    EXPECT_GT(effective, 500);
    const std::array<double, 3> variances = {double{filter.covariances()[0][0]},
                                             double{filter.covariances()[0][3]},
                                             double{filter.covariances()[0][5]}};
    for (std::size_t i = 0; i < 3; ++i) {
      // A weighted mean of n effective samples is off by sqrt(variance / n), a variance by variance sqrt(2 /
      // n). The errors of earlier frames fade by 1 - gain each: all together at most 1 / gain times one of
      // them. Five deviations.
      const double deviation = std::sqrt(kalman[i].variance / effective) / kalman[i].gain;
      EXPECT_NEAR(filter.estimate()[i], kalman[i].mean, 5 * deviation) << "frame " << frame << " axis " << i;
      EXPECT_NEAR(variances[i], kalman[i].variance,
                  5 * kalman[i].variance * std::sqrt(2 / effective) / kalman[i].gain)
          << "frame " << frame << " axis " << i;
    }
  }
}

// Were the measurements another's, the same bounds would not hold.
TEST(FilterKalman, AnotherMeasurementIsNoticed) {
  FilterCpu filter = make_filter();
  filter.start(std::vector<float>{0, 0, 0, 1, 0, 0, 0});
  filter.step([&](MatrixView<const float> poses, std::span<double> log_likelihoods) {
    for (std::int64_t row = 0; row < poses.rows(); ++row) {
      const double d = (double{poses(row, 0)} - 0.1) / sigma_m[0];
      log_likelihoods[static_cast<std::size_t>(row)] = -d * d / 2;
    }
  });
  Kalman kalman;
  kalman.step(0.05, sigma_m[0]);
  EXPECT_GT(std::abs(double{filter.estimate()[0]} - kalman.mean),
            5 * std::sqrt(kalman.variance / filter.effective_samples()) / kalman.gain);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
