// Tuning on the GPU: the choice is valid, remembered, and not measured again.
#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/reduce.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "sizes.hpp"
#include "testing/gpu.hpp"
#include "testing/random.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::reduction {
namespace {

TEST(AutotuneCuda, AProductIsTunedOnceAndRemembered) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "tuning.json";
  const std::int64_t rows = 24, cols = std::min<std::int64_t>(20480, test::largest_size());
  Stream stream;
  Workspace workspace;
  DeviceBuffer<float> a(rows * cols), y(rows);
  fill_bytes(a.span(), 0, stream);
  const DeviceMatrixView<const float> view(a.data(), rows, cols);
  const DeviceSpan<const float> x(a.data(), cols);
  TuningCache cache(file);
  const RowPlan plan = tune_multiply_cuda(cache, view, x, y.span(), workspace, stream);
  const auto candidates = candidate_row_plans(rows, cols, current_row_device());
  EXPECT_NE(std::find(candidates.begin(), candidates.end(), plan), candidates.end());
  TuningCache again(file);
  EXPECT_EQ(again.size(), 1u);
  int measured = 0;
  const auto count = [&measured](const RowPlan&) { return static_cast<double>(++measured); };
  EXPECT_EQ(tune_rows(again, Device::cuda().properties().name, rows, cols, candidates, count), plan);
  EXPECT_EQ(measured, 0);
}

TEST(AutotuneCuda, AutomaticFollowsWhatWasMeasured) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  Stream stream;
  Workspace workspace;
  const std::int64_t n = std::min<std::int64_t>(1 << 16, test::largest_size());
  const auto values = test::random_values<std::int32_t>(n, -1, 1, 51);
  const std::vector<float> floats(values.begin(), values.end());
  DeviceBuffer<float> device(n), sum(1);
  copy_to_device(std::span<const float>(floats), device.span(), stream);
  TuningCache cache;
  const Strategy strategy = tune_sum_cuda(cache, device.span(), workspace, stream);
  EXPECT_EQ(promised(strategy, false), Determinism::gpu_to_gpu);
  EXPECT_EQ(tune_sum_cuda(cache, device.span(), workspace, stream), strategy);
  sum_cuda<float, float>(device.span(), sum.data(), {}, workspace, stream);
  std::vector<float> result(1);
  copy_to_host(DeviceSpan<const float>(sum.span()), std::span<float>(result), stream);
  stream.ref().synchronize();
  float expected = 0;
  for (const float v : floats) expected += v;
  EXPECT_EQ(result[0], expected);
}

TEST(AutotuneCuda, TypesAreTunedApart) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  Stream stream;
  Workspace workspace;
  DeviceBuffer<std::int32_t> values(1 << 12);
  fill_bytes(values.span(), 0, stream);
  TuningCache cache;
  tune_sum_cuda<std::int32_t, std::int32_t>(cache, values.span(), workspace, stream);
  EXPECT_EQ(cache.size(), 1u);
  tune_sum_cuda<std::int64_t, std::int32_t>(cache, values.span(), workspace, stream);
  EXPECT_EQ(cache.size(), 2u);
}

TEST(AutotuneCuda, ARememberedStrategyThatThisGpuLacksDoesNotThrow) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  Stream stream;
  Workspace workspace;
  const std::vector<double> numbers(1 << 10, 0.5);
  DeviceBuffer<double> device(1 << 10), sum(1);
  copy_to_device(std::span<const double>(numbers), device.span(), stream);
  TuningCache cache;
  cache.remember(Device::cuda().properties().name, "sum of double in double, 2^14 bytes", "cluster");
  EXPECT_EQ((tune_sum_cuda<double, double>(cache, device.span(), workspace, stream)), Strategy::cluster);
  sum_cuda<double, double>(device.span(), sum.data(), {}, workspace, stream);  // compute capability 7.5 too
  std::vector<double> result(1);
  copy_to_host(DeviceSpan<const double>(sum.span()), std::span<double>(result), stream);
  stream.ref().synchronize();
  EXPECT_EQ(result[0], 512);
}

}  // namespace
}  // namespace triptych::reduction
