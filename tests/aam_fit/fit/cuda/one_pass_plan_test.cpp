// Plans of the one-pass kernel for GPUs of many sizes, described by numbers: no GPU is needed.
#include <gtest/gtest.h>

#include "fit/cuda/one_pass_plan.hpp"

namespace triptych::aam_fit {
namespace {

constexpr std::int64_t kib = 1024;
struct NamedDevice {
  const char* name;
  OnePassDevice device;
};
constexpr NamedDevice h200{"H200", {132, 227 * kib}};
constexpr NamedDevice t4{"T4", {40, 64 * kib}};
constexpr NamedDevice small_turing{"small Turing", {14, 64 * kib}};
constexpr NamedDevice devices[] = {h200,
                                   t4,
                                   small_turing,
                                   {"A100", {108, 163 * kib}},
                                   {"A10", {72, 99 * kib}},
                                   {"slice of 16 multiprocessors", {16, 227 * kib}},
                                   {"slice of 14 multiprocessors", {14, 163 * kib}},
                                   {"one multiprocessor", {1, 99 * kib}},
                                   {"no opt-in", {20, 48 * kib}},
                                   {"nothing", {0, 0}}};
constexpr std::int64_t sizes[] = {1,
                                  127,
                                  128,
                                  129,
                                  255,
                                  256,
                                  257,
                                  1000,
                                  4095,
                                  4096,
                                  4097,
                                  8192,
                                  16383,
                                  16384,
                                  16385,
                                  20480,
                                  33000,
                                  65536,
                                  65537,
                                  131072,
                                  262144,
                                  600000,
                                  1000003,
                                  std::int64_t{1} << 21,
                                  std::int64_t{1} << 24,
                                  std::int64_t{1} << 30,
                                  (std::int64_t{1} << 30) + 1};
constexpr int mode_counts[] = {0, 1, 20, 21, 36, 37, 60, 61, 64, 65};

bool has_plan(const OnePassPlan& plan) { return plan.blocks > 0; }

TEST(OnePassPlan, EveryPlanFitsItsDevice) {
  int plans = 0;
  for (const auto& [name, device] : devices)
    for (const std::int64_t samples : sizes)
      for (const int modes : mode_counts)
        for (const Storage storage : {Storage::float32, Storage::float16})
          for (const bool search : {false, true}) {
            const OnePassPlan plan = plan_one_pass(samples, modes, 68, storage, search, device);
            if (!has_plan(plan)) {
              EXPECT_EQ(plan.rows_per_warp, 0);
              continue;
            }
            ++plans;
            SCOPED_TRACE(testing::Message() << name << ", " << samples << " samples, " << modes
                                            << " modes: " << to_string(plan));
            EXPECT_LE(shared_bytes(plan) + max_static_shared_bytes(search), device.shared_bytes);
            EXPECT_LE(plan.blocks, device.multiprocessors);
            EXPECT_GE(padded_samples(plan), samples);
            EXPECT_LT(padded_samples(plan) - plan.columns, samples) << "a block without samples";
            EXPECT_EQ(plan.columns % (storage == Storage::float16 ? 256 : 128), 0);
            EXPECT_GE(padded_modes(plan.rows_per_warp), modes);
            EXPECT_EQ(plan.search, search);
            EXPECT_TRUE(plan.storage != MatrixStorage::registers_float ||
                        (plan.rows_per_warp == 8 && plan.columns == 512));
          }
  EXPECT_GT(plans, 1000);
}

// The sizes that no block of these devices can hold, and the largest that some can.
TEST(OnePassPlan, WhatDoesNotFitHasNoPlan) {
  const auto planned = [](const NamedDevice& device, std::int64_t samples) {
    return has_plan(plan_one_pass(samples, 60, 68, Storage::float32, true, device.device));
  };
  EXPECT_FALSE(planned(t4, 65536));
  EXPECT_TRUE(planned(t4, 16384));
  EXPECT_FALSE(planned(small_turing, 16384));
  EXPECT_TRUE(planned(small_turing, 4096));
  EXPECT_FALSE(planned(h200, std::int64_t{1} << 21));
  EXPECT_TRUE(planned(h200, std::int64_t{1} << 20));
  EXPECT_FALSE(has_plan(plan_one_pass(4096, 65, 68, Storage::float32, true, h200.device)));
  EXPECT_FALSE(has_plan(plan_one_pass(4096, 60, 129, Storage::float32, true, h200.device)));
}

TEST(OnePassPlan, OfTheCommonSizesOnAnH200) {
  const auto plan = [](std::int64_t samples, int modes, Storage storage) {
    return to_string(plan_one_pass(samples, modes, 68, storage, true, h200.device));
  };
  EXPECT_EQ(plan(4096, 20, Storage::float32), "one pass, 32 blocks of 128 samples, floats in shared memory");
  EXPECT_EQ(plan(16384, 60, Storage::float32), "one pass, 64 blocks of 256 samples, floats in shared memory");
  EXPECT_EQ(plan(65536, 60, Storage::float32),
            "one pass, 128 blocks of 512 samples, floats in registers and shared memory");
  EXPECT_EQ(plan(65536, 60, Storage::float16),
            "one pass, 128 blocks of 512 samples, halves in shared memory");
  EXPECT_EQ(plan(262144, 60, Storage::float32),
            "one pass, 128 blocks of 2048 samples, floats streamed from memory");
}

}  // namespace
}  // namespace triptych::aam_fit
