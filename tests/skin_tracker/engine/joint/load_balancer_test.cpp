#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/load_balancer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::skin_tracker {
namespace {

// Two processors whose times are a + b n; one without rows has nothing to do.
struct Machine {
  double gpu_fixed_us, gpu_row_us, cpu_fixed_us, cpu_row_us;

  double gpu_us(std::int64_t n) const { return n > 0 ? gpu_fixed_us + gpu_row_us * double(n) : 0; }
  double cpu_us(std::int64_t n) const { return n > 0 ? cpu_fixed_us + cpu_row_us * double(n) : 0; }
  double frame_us(std::int64_t share, std::int64_t total) const {
    return std::max(gpu_us(share), cpu_us(total - share));
  }
  double best_us(std::int64_t total) const {
    double best = frame_us(0, total);
    for (std::int64_t share = 1; share <= total; ++share) best = std::min(best, frame_us(share, total));
    return best;
  }
};

// A GPU behind a bus beside 16 cores; two that are alike; a GPU far ahead; a GPU not worth its start.
constexpr Machine machines[] = {
    {12, 0.145, 4, 0.058}, {5, 0.1, 5, 0.1}, {8, 0.01, 2, 1.0}, {400, 0.1, 2, 0.2}, {3, 0.5, 900, 0.6}};
constexpr std::int64_t rows = 1080;

std::int64_t step(LoadBalancer& balancer, const Machine& machine, std::int64_t total, double gpu_noise = 1,
                  double cpu_noise = 1) {
  const std::int64_t share = balancer.next_gpu_share();
  EXPECT_GE(share, 0);
  EXPECT_LE(share, total);
  balancer.report(share, gpu_noise * machine.gpu_us(share), cpu_noise * machine.cpu_us(total - share));
  return share;
}

TEST(TimeModel, RecoversALine) {
  TimeModel model;
  EXPECT_FALSE(model.known());
  model.add(100, 25);
  EXPECT_FALSE(model.known());
  EXPECT_DOUBLE_EQ(model.expect_us(200), 50);  // all that can be said so far
  model.add(300, 35);
  ASSERT_TRUE(model.known());
  EXPECT_NEAR(model.fixed_us(), 20, 1e-9);
  EXPECT_NEAR(model.per_n_us(), 0.05, 1e-12);
  EXPECT_NEAR(model.expect_us(1000), 70, 1e-9);
}

TEST(TimeModel, HasNoNegativePart) {
  TimeModel falling;
  falling.add(100, 50);
  falling.add(200, 45);
  EXPECT_EQ(falling.per_n_us(), 0);
  EXPECT_NEAR(falling.fixed_us(), 47.5, 0.2);  // about the mean
  TimeModel steep;
  steep.add(100, 10);
  steep.add(200, 40);
  EXPECT_EQ(steep.fixed_us(), 0);
  EXPECT_GT(steep.per_n_us(), 0.1);
}

TEST(TimeModel, SetsOneOutlierAsideAndFollowsTwo) {
  TimeModel model;
  for (int i = 0; i < 20; ++i) model.add(100 + 10 * (i % 3), 10 + 0.1 * (100 + 10 * (i % 3)));
  const double before = model.expect_us(100);
  model.add(100, 10 * before);
  EXPECT_DOUBLE_EQ(model.expect_us(100), before);
  model.add(100, before);
  model.add(100, 3 * before);
  EXPECT_NEAR(model.expect_us(100), before, 1e-6 * before);
  model.add(100, 3 * before);
  EXPECT_NEAR(model.expect_us(100), 3 * before, 1e-6 * before);
}

TEST(TimeModel, IgnoresWhatTellsNothing) {
  TimeModel model;
  model.add(0, 5);
  model.add(10, 0);
  model.add(10, std::numeric_limits<double>::quiet_NaN());
  model.add(10, std::numeric_limits<double>::infinity());
  EXPECT_EQ(model.expect_us(10), 0);
}

TEST(BalancedShare, EndsBothSidesAtTheSameTime) {
  TimeModel gpu, cpu;  // 20 + 0.1 n and 10 + 0.3 n
  for (const double n : {100.0, 500.0}) {
    gpu.add(n, 20 + 0.1 * n);
    cpu.add(n, 10 + 0.3 * n);
  }
  // (10 - 20 + 0.3 * 1000) / 0.4
  EXPECT_EQ(balanced_share(gpu, cpu, 1000), 725);
  EXPECT_EQ(balanced_share(gpu, cpu, 10), 0);  // done before the GPU has started
  EXPECT_EQ(balanced_share(gpu, cpu, 0), 0);
}

TEST(LoadBalancer, ComesWithinThreePercentOfTheBestInFewFrames) {
  for (const Machine& machine : machines) {
    SCOPED_TRACE("GPU " + std::to_string(machine.gpu_fixed_us) + " + " + std::to_string(machine.gpu_row_us) +
                 " n");
    LoadBalancer balancer(rows);
    const double best_us = machine.best_us(rows);
    int off = 0;
    for (int frame = 0; frame < 200; ++frame) {
      const std::int64_t share = step(balancer, machine, rows);
      if (frame < 7) continue;  // one that is not measured, three shares twice
      off += machine.frame_us(share, rows) > 1.03 * best_us;
      EXPECT_LE(off, frame / 16) << frame;  // one frame in 16 may explore
    }
  }
}

TEST(LoadBalancer, LearnsAgainWhenOneSideSlowsDownThreefold) {
  for (const bool gpu_slows : {false, true}) {
    const Machine before{12, 0.145, 4, 0.058};
    Machine after = before;
    (gpu_slows ? after.gpu_fixed_us : after.cpu_fixed_us) *= 3;
    (gpu_slows ? after.gpu_row_us : after.cpu_row_us) *= 3;
    LoadBalancer balancer(rows);
    int frame = 0;
    for (; frame < 70; ++frame) step(balancer, before, rows);
    int off = 0;
    for (; frame < 140; ++frame) {
      const std::int64_t share = step(balancer, after, rows);
      if (frame < 76) continue;
      off += after.frame_us(share, rows) > 1.03 * after.best_us(rows);
      EXPECT_LE(off, 1 + (frame - 76) / 16) << frame;
    }
  }
}

TEST(LoadBalancer, LearnsAgainWhenOnlyTheFixedPartGrows) {
  const Machine before{12, 0.145, 4, 0.058};
  Machine after = before;
  after.gpu_fixed_us = 30;
  LoadBalancer balancer(rows);
  int frame = 0;
  for (; frame < 64; ++frame) step(balancer, before, rows);
  double time_us = 0, best_us = 0;
  for (; frame < 264; ++frame) {
    const double us = after.frame_us(step(balancer, after, rows), rows);
    if (frame < 164) continue;
    time_us += us;
    best_us += after.best_us(rows);
  }
  EXPECT_LE(time_us, 1.03 * best_us);
}

TEST(LoadBalancer, LivesWithNoiseAndOutliers) {
  constexpr std::uint64_t seed = 29;
  TRIPTYCH_TRACE_SEED(seed);
  PhiloxStream random(seed, 0);
  for (const Machine& machine : machines) {
    LoadBalancer balancer(rows);
    double time_us = 0, best_us = 0;
    for (int frame = 0; frame < 1000; ++frame) {
      const auto noise = [&] {
        const double spread = 1 + 0.05 * double(random.next_normal_pair().first);
        return random.next_uniform() < 0.02f ? 8 * spread : spread;  // now and then something else ran
      };
      const double gpu_noise = noise();
      const std::int64_t share = step(balancer, machine, rows, gpu_noise, noise());
      if (frame < 10) continue;
      time_us += machine.frame_us(share, rows);
      best_us += machine.best_us(rows);
    }
    // 3 % for the noise and as much for exploring.
    EXPECT_LE(time_us, 1.06 * best_us) << machine.gpu_fixed_us;
  }
}

// A first frame that takes a hundred times as long, as it does when threads are made and code is fetched,
// leaves no trace; a GPU that was slow for a while is tried again soon.
TEST(LoadBalancer, IsNotMisledByASlowStartNorByABadSpell) {
  const Machine machine{12, 0.145, 4, 0.058};
  const double best_us = machine.best_us(rows);
  LoadBalancer balancer(rows);
  const std::int64_t first = balancer.next_gpu_share();
  balancer.report(first, 50000, 80000);
  for (int frame = 1; frame < 7; ++frame) step(balancer, machine, rows);
  for (int frame = 7; frame < 16; ++frame)
    EXPECT_LE(machine.frame_us(step(balancer, machine, rows), rows), 1.03 * best_us) << frame;
  Machine slow = machine;
  slow.gpu_fixed_us = 20000;
  for (int frame = 0; frame < 50; ++frame) step(balancer, slow, rows);
  EXPECT_EQ(step(balancer, slow, rows), 0);
  int frame = 0;
  while (machine.frame_us(step(balancer, machine, rows), rows) > 1.03 * best_us && frame < 1000) ++frame;
  EXPECT_LE(frame, 600);
}

// A clock that jumped: a time that no frame takes is not a measurement.
TEST(LoadBalancer, AnAbsurdTimeDoesNotStay) {
  const Machine& machine = machines[0];
  for (const double absurd_us : {1e308, 1e16, 1e-320}) {
    LoadBalancer balancer(rows);
    for (int frame = 0; frame < 60; ++frame) {
      if (frame < 20) {
        step(balancer, machine, rows);
        continue;
      }
      const std::int64_t share = balancer.next_gpu_share();
      ASSERT_TRUE(share >= 0 && share <= rows);
      balancer.report(share, absurd_us, absurd_us);
    }
    for (const TimeModel* model : {&balancer.gpu(), &balancer.cpu()}) {
      EXPECT_TRUE(std::isfinite(model->per_n_us())) << absurd_us;
      EXPECT_TRUE(std::isfinite(model->fixed_us())) << absurd_us;
    }
    double time_us = 0;
    constexpr int frames = 100;
    for (int frame = 0; frame < frames; ++frame)
      time_us += machine.frame_us(step(balancer, machine, rows), rows);
    EXPECT_LE(time_us, 1.05 * frames * machine.best_us(rows)) << absurd_us;
  }
  TimeModel model;
  model.add(1e-200, 1e-200);
  model.add(1e300, 1e300);
  EXPECT_TRUE(std::isfinite(model.expect_us(10)));
  EXPECT_ERROR(LoadBalancer{std::numeric_limits<std::int64_t>::max()}, InvalidArgument, "cannot share");
  EXPECT_ERROR(balanced_share(model, model, -1), InvalidArgument, "-1");
}

TEST(LoadBalancer, SharesTinyFrames) {
  for (const std::int64_t total : {0, 1, 2, 3}) {
    for (const Machine& machine : machines) {
      LoadBalancer balancer(total);
      double time_us = 0;
      for (int frame = 0; frame < 300; ++frame) {
        const std::int64_t share = step(balancer, machine, total);
        if (frame >= 10) time_us += machine.frame_us(share, total);
      }
      EXPECT_LE(time_us, 1.5 * 290 * machine.best_us(total)) << total;  // a row more or less is a third
    }
  }
}

TEST(LoadBalancer, RejectsWhatIsNoShare) {
  EXPECT_ERROR(LoadBalancer(-1), InvalidArgument, "-1 rows");
  LoadBalancer balancer(10);
  EXPECT_ERROR(balancer.report(11, 1, 1), InvalidArgument, "11 rows");
  EXPECT_ERROR(balancer.report(-1, 1, 1), InvalidArgument, "-1 rows");
}

}  // namespace
}  // namespace triptych::skin_tracker
