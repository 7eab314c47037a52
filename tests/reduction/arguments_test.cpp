// Bad arguments of the public functions of reduction.
#include <triptych/core/device.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/collective/chunks.hpp>
#include <triptych/reduction/reduce.hpp>
#include <triptych/reduction/reducer.hpp>
#include <triptych/reduction/rows.hpp>
#include <triptych/reduction/transform_reduce_cpu.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "testing/refusals.hpp"

namespace triptych::reduction {
namespace {

using test::Refusal;

const auto no_strategy = static_cast<CpuStrategy>(99);

// The operations on an array of T: null, an unknown strategy, a negative number of threads.
template <class T>
void add_array_operations(std::vector<Refusal>& refusals, const std::string& type) {
  static const T values[3] = {};
  const auto add = [&](const std::string& name, auto reduce) {
    using Values = std::span<const T>;
    const Values some(values), null(static_cast<const T*>(nullptr), 3);
    refusals.push_back({name + type + ": null", [=] { reduce(null, CpuOptions{}); }, "no data"});
    refusals.push_back({name + type + ": strategy",
                        [=] { reduce(some, CpuOptions{.strategy = no_strategy}); }, "CPU strategy"});
    refusals.push_back(
        {name + type + ": threads", [=] { reduce(some, CpuOptions{.threads = -1}); }, "-1 threads"});
  };
  add("sum_cpu", [](std::span<const T> v, const CpuOptions& o) { sum_cpu<T, T>(v, o); });
  add("min_cpu", [](std::span<const T> v, const CpuOptions& o) { min_cpu<T>(v, o); });
  add("max_cpu", [](std::span<const T> v, const CpuOptions& o) { max_cpu<T>(v, o); });
  add("argmin_cpu", [](std::span<const T> v, const CpuOptions& o) { argmin_cpu<T>(v, o); });
  add("argmax_cpu", [](std::span<const T> v, const CpuOptions& o) { argmax_cpu<T>(v, o); });
  if constexpr (MomentElement<T>) {
    add("moments_cpu", [](std::span<const T> v, const CpuOptions& o) { moments_cpu<T>(v, o); });
    add("dot_cpu", [](std::span<const T> v, const CpuOptions& o) {
      dot_cpu<std::conditional_t<std::is_integral_v<T>, std::int64_t, double>, T>(v, v, o);
    });
  }
}

TEST(Arguments, OfArrayReductionsAreRefused) {
  std::vector<Refusal> refusals;
  add_array_operations<float>(refusals, "<float>");
  add_array_operations<double>(refusals, "<double>");
  add_array_operations<std::int32_t>(refusals, "<int32>");
  add_array_operations<std::uint32_t>(refusals, "<uint32>");
  add_array_operations<std::int64_t>(refusals, "<int64>");
  add_array_operations<std::uint64_t>(refusals, "<uint64>");
  test::expect_refusals(refusals);
}

TEST(Arguments, OfOtherReductionsAreRefused) {
  static const float three[3] = {}, two[2] = {};
  const std::span<const float> a(three), b(two);
  const auto source = [](std::int64_t i) { return static_cast<double>(i); };
  Reducer on_cpu(Device::cpu(1));
  Reducer negative(Device::cpu(1), {}, {.threads = -1});
  Reducer unknown(Device::cpu(1), {}, {.strategy = no_strategy});
  const DeviceSpan<const float> device(three, 3);
  const Refusal refusals[] = {
      {"dot_cpu: lengths", [&] { dot_cpu<double, float>(a, b, {}); }, "3 and 2"},
      {"moments_cpu: compensated", [&] { moments_cpu<float>(a, {.strategy = CpuStrategy::compensated}); },
       "compensated"},
      {"transform_reduce_cpu: negative",
       [&] { transform_reduce_cpu(source, -1, Sum<double>{}, CpuOptions{}); }, "-1 elements"},
      {"transform_reduce_cpu: threads",
       [&] { transform_reduce_cpu(source, 1, Sum<double>{}, CpuOptions{.threads = INT32_MIN}); }, "threads"},
      {"transform_reduce_cpu: strategy",
       [&] { transform_reduce_cpu(source, 1, Sum<double>{}, CpuOptions{.strategy = no_strategy}); },
       "CPU strategy"},
      {"Reducer: device memory, sum", [&] { on_cpu.sum<double, float>(device); }, "runs on the CPU"},
      {"Reducer: device memory, min", [&] { on_cpu.min<float>(device); }, "runs on the CPU"},
      {"Reducer: device memory, max", [&] { on_cpu.max<float>(device); }, "runs on the CPU"},
      {"Reducer: device memory, argmin", [&] { on_cpu.argmin<float>(device); }, "runs on the CPU"},
      {"Reducer: device memory, argmax", [&] { on_cpu.argmax<float>(device); }, "runs on the CPU"},
      {"Reducer: device memory, dot", [&] { on_cpu.dot<double, float>(device, device); }, "runs on the CPU"},
      {"Reducer: device memory, moments", [&] { on_cpu.moments<float>(device); }, "runs on the CPU"},
      {"Reducer: lengths", [&] { on_cpu.dot<double, float>(a, b); }, "3 and 2"},
      {"Reducer: null",
       [&] { on_cpu.sum<double, float>(std::span<const float>(static_cast<const float*>(nullptr), 3)); },
       "no data"},
      {"Reducer: threads", [&] { negative.sum<double, float>(a); }, "-1 threads"},
      {"Reducer: strategy", [&] { unknown.sum<double, float>(a); }, "CPU strategy"},
      {"reduce_workspace_bytes", [] { reduce_workspace_bytes(-1); }, "-1 elements"},
      {"to_string(Strategy)", [] { to_string(static_cast<Strategy>(99)); }, "99"},
      {"to_string(CpuStrategy)", [] { to_string(no_strategy); }, "99"},
      {"to_string(Determinism)", [] { to_string(static_cast<Determinism>(-1)); }, "-1"},
      {"promised", [] { promised(static_cast<Strategy>(99), true); }, "99"},
      {"parse_strategy", [] { parse_strategy("fast"); }, "'fast'"},
      {"parse_cpu_strategy: empty", [] { parse_cpu_strategy(""); }, "''"},
      {"parse_determinism", [] { parse_determinism("always"); }, "'always'"},
  };
  test::expect_refusals(refusals);
}

TEST(Arguments, OfRowsAreRefusedAndResultsUnchanged) {
  const std::vector<float> memory(12, 1), pattern(4, 7);
  const MatrixView<const float> matrix(memory.data(), 3, 4);
  std::vector<float> x(4, 1), y3(3, 7), y4(4, 7);
  const std::span<float> null(static_cast<float*>(nullptr), 3);
  const std::span<const float> null_x(static_cast<const float*>(nullptr), 4);
  const RowPlan no_rows{.lanes = 32, .block = 256, .rows = 0, .shares = 4, .cluster = false};
  const RowPlan shares{.lanes = 32, .block = 256, .rows = 1, .shares = 4, .cluster = false};
  const std::vector<RowPlan> plans{RowPlan{}};
  const auto measure = [](const RowPlan&) { return 1.0; };
  TuningCache cache;
  const Refusal refusals[] = {
      {"row_sums_cpu: size", [&] { row_sums_cpu(matrix, y4, 1); }, "3 rows"},
      {"row_sums_cpu: null", [&] { row_sums_cpu(matrix, null, 1); }, "result"},
      {"row_sums_cpu: threads", [&] { row_sums_cpu(matrix, y3, -1); }, "-1 threads"},
      {"multiply_cpu: vector", [&] { multiply_cpu(matrix, y3, y3, 1); }, "vector of 3"},
      {"multiply_cpu: size", [&] { multiply_cpu(matrix, x, y4, 1); }, "result of 4"},
      {"multiply_cpu: null vector", [&] { multiply_cpu(matrix, null_x, y3, 1); }, "vector"},
      {"multiply_cpu: null result", [&] { multiply_cpu(matrix, x, null, 1); }, "result"},
      {"multiply_cpu: threads", [&] { multiply_cpu(matrix, x, y3, INT32_MIN); }, "threads"},
      {"plan_rows: negative rows", [] { plan_rows(-1, 4, {}); }, "-1 x 4"},
      {"plan_rows: least rows", [] { plan_rows(INT64_MIN, 100000, {}); }, "cannot be"},
      {"plan_rows: negative cols", [] { plan_rows(3, -1, {}); }, "3 x -1"},
      {"plan_rows: overflow", [] { plan_rows(3, INT64_MAX, {}); }, "above 2^48"},
      {"plan_rows: device", [] { plan_rows(3, 4, {.multiprocessors = -1}); }, "-1 multiprocessors"},
      {"candidate_row_plans: rows", [] { candidate_row_plans(INT64_MAX, 4, {}); }, "above 2^48"},
      {"candidate_row_plans: cols", [] { candidate_row_plans(3, -1, {}); }, "3 x -1"},
      {"row_workspace_bytes: plan", [&] { row_workspace_bytes(3, no_rows); }, "rows=0"},
      {"row_workspace_bytes: negative", [&] { row_workspace_bytes(-1, shares); }, "-1 x"},
      {"row_workspace_bytes: overflow", [&] { row_workspace_bytes(INT64_MAX, shares); }, "above 2^48"},
      {"threads_per_row",
       [] {
         threads_per_row({32, INT32_MAX, 1, INT32_MAX, false});
       },
       "threads"},
      {"parse_row_plan: empty", [] { parse_row_plan(""); }, "''"},
      {"parse_row_plan: other", [] { parse_row_plan("lanes=0"); }, "'lanes=0'"},
      {"tune_rows: negative", [&] { tune_rows(cache, "GPU", -1, 4, plans, measure); }, "-1 x 4"},
      {"tune_rows: no plans", [&] { tune_rows(cache, "GPU", 3, 4, {}, measure); }, "no row plan"},
      {"tune_rows: no function", [&] { tune_rows(cache, "GPU", 3, 4, plans, nullptr); }, "measure"},
      {"remember: device", [&] { cache.remember("\xff", "key", "choice"); }, "device"},
      {"remember: key", [&] { cache.remember("GPU", "\xff", "choice"); }, "key"},
      {"remember: choice", [&] { cache.remember("GPU", "key", "\xff"); }, "choice"},
  };
  test::expect_refusals(refusals);
  EXPECT_EQ(y4, pattern);
  EXPECT_EQ(y3, std::vector<float>(3, 7));
  EXPECT_EQ(cache.size(), 0u);
}

TEST(Arguments, OfChunksAreRefused) {
  std::vector<int> parts(2);
  const auto body = [](int& part, std::int64_t, std::int64_t) { part = 1; };
  const auto fold = [](int&) {};
  const auto value = [](std::int64_t, std::int64_t) { return 1; };
  const Refusal refusals[] = {
      {"fold_chunks: too few parts", [&] { fold_chunks(std::span(parts), 5, 2, 1, body, fold); },
       "3 parts, not 2"},
      {"fold_chunks: negative", [&] { fold_chunks(std::span(parts), -1, 2, 1, body, fold); }, "-1 elements"},
      {"fold_chunks: no chunk", [&] { fold_chunks(std::span(parts), 1, 0, 1, body, fold); }, "chunks of 0"},
      {"reduce_chunks: negative", [&] { reduce_chunks(-1, 1, 1, Sum<int>{}, value); }, "-1 elements"},
      {"reduce_chunks: chunk", [&] { reduce_chunks(1, -1, 1, Sum<int>{}, value); }, "chunks of -1"},
      {"split_among_threads", [&] { split_among_threads(-1, 1, value); }, "-1 elements"},
  };
  test::expect_refusals(refusals);
  EXPECT_EQ(parts, std::vector<int>(2));
}

}  // namespace
}  // namespace triptych::reduction
