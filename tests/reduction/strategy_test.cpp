// Names, lists and determinism of the strategies.
#include <triptych/core/error.hpp>
#include <triptych/reduction/detail/automatic.hpp>
#include <triptych/reduction/detail/shape.hpp>
#include <triptych/reduction/reduce.hpp>
#include <triptych/reduction/strategy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "testing/expect_error.hpp"

namespace triptych::reduction {
namespace {

TEST(Strategy, ListsHoldEveryStrategyOnceAndNotAutomatic) {
  const auto gpu = all_strategies();
  const auto cpu = all_cpu_strategies();
  EXPECT_EQ(gpu.size(), 14u);
  EXPECT_EQ(cpu.size(), 6u);
  EXPECT_EQ(std::set<Strategy>(gpu.begin(), gpu.end()).size(), gpu.size());
  EXPECT_EQ(std::set<CpuStrategy>(cpu.begin(), cpu.end()).size(), cpu.size());
  EXPECT_EQ(std::count(gpu.begin(), gpu.end(), Strategy::automatic), 0);
  EXPECT_EQ(std::count(cpu.begin(), cpu.end(), CpuStrategy::automatic), 0);
}

TEST(Strategy, NamesComeBack) {
  for (const Strategy s : all_strategies()) EXPECT_EQ(parse_strategy(to_string(s)), s) << to_string(s);
  for (const CpuStrategy s : all_cpu_strategies())
    EXPECT_EQ(parse_cpu_strategy(to_string(s)), s) << to_string(s);
  EXPECT_EQ(parse_strategy("automatic"), Strategy::automatic);
  EXPECT_EQ(parse_cpu_strategy("automatic"), CpuStrategy::automatic);
  for (const Determinism d :
       {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::gpu_to_gpu, Determinism::exact}) {
    EXPECT_EQ(parse_determinism(to_string(d)), d);
  }
  EXPECT_EQ(to_string(Strategy::grid_stride_shared_x2), "grid_stride_shared_x2");
  EXPECT_EQ(to_string(CpuStrategy::thrust_omp), "thrust_omp");
}

TEST(Strategy, UnknownNamesAreAnsweredWithTheKnownOnes) {
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  const std::string gpu = message([] { parse_strategy("singlepass"); });
  EXPECT_NE(gpu.find("'singlepass'"), std::string::npos) << gpu;
  EXPECT_NE(gpu.find("single_pass"), std::string::npos) << gpu;
  const std::string cpu = message([] { parse_cpu_strategy(""); });
  EXPECT_NE(cpu.find("compensated"), std::string::npos) << cpu;
  const std::string level = message([] { parse_determinism("Run_To_Run"); });
  EXPECT_NE(level.find("run_to_run"), std::string::npos) << level;
  EXPECT_THROW(parse_strategy(std::string("thrust\0", 7)), InvalidArgument);
  EXPECT_LT(message([] { parse_strategy(std::string(100000, 'x')); }).size(), 1000u);
}

TEST(Strategy, ExactMonoidsKeepTheStrictestPromise) {
  for (const Strategy s : all_strategies()) EXPECT_EQ(promised(s, true), Determinism::exact) << to_string(s);
}

TEST(Strategy, InexactMonoidsAreLimitedByTheStrategy) {
  using enum Strategy;
  for (const Strategy s : {global_atomic, shared_atomic, grid_stride_atomic}) {
    EXPECT_EQ(promised(s, false), Determinism::not_guaranteed) << to_string(s);
  }
  for (const Strategy s : {cub_block, cub_device, thrust}) {
    EXPECT_EQ(promised(s, false), Determinism::run_to_run) << to_string(s);
  }
  for (const Strategy s : {automatic, tree_interleaved, tree_sequential, grid_stride_shared,
                           grid_stride_shared_x2, grid_stride_register, warp_shuffle, single_pass, cluster}) {
    EXPECT_EQ(promised(s, false), Determinism::gpu_to_gpu) << to_string(s);
  }
}

TEST(Strategy, NumbersThatAreNoEnumeratorsAreRefused) {
  for (const int number : {-1, 99}) {
    const std::string text = " number " + std::to_string(number);
    EXPECT_ERROR(to_string(static_cast<Strategy>(number)), InvalidArgument, "strategy" + text);
    EXPECT_ERROR(to_string(static_cast<CpuStrategy>(number)), InvalidArgument, "CPU strategy" + text);
    EXPECT_ERROR(to_string(static_cast<Determinism>(number)), InvalidArgument, "level of determinism" + text);
    for (const bool exact : {false, true}) {
      EXPECT_ERROR(promised(static_cast<Strategy>(number), exact), InvalidArgument, "strategy" + text);
    }
  }
}

TEST(Strategy, ReductionsRefuseThemToo) {
  int result = 0;
  const auto check = [&](const Options& options, std::int64_t n) {
    detail::check_reduce(n, &result, options, true);
  };
  EXPECT_ERROR(check({.strategy = static_cast<Strategy>(99)}, 5), InvalidArgument, "strategy number 99");
  EXPECT_ERROR(check({.determinism = static_cast<Determinism>(-1)}, 5), InvalidArgument,
               "determinism number -1");
  EXPECT_ERROR(check({}, INT64_MAX), InvalidArgument, "elements is above");
  EXPECT_NO_THROW(check({}, INT64_MAX / 16));
}

// The shapes are constant expressions, in which an overflow does not compile.
TEST(Shape, LargeRangesDoNotOverflow) {
  static_assert(detail::ladder_blocks(INT64_MAX, 256, detail::max_partials) == detail::max_partials);
  static_assert(detail::cluster_count(INT64_MAX) == 32);
  static_assert(detail::pass_shape(INT64_MAX).blocks == 256);
  EXPECT_EQ(reduce_workspace_bytes(INT64_MAX), 24u * 65536);
  EXPECT_ERROR(reduce_workspace_bytes(-1), InvalidArgument, "cannot reduce -1 elements");
}

}  // namespace
}  // namespace triptych::reduction
