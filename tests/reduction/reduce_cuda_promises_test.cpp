// Guarantees of the CUDA reductions besides the value: reproducible bits, capture, no allocation, order on
// the stream, rejection of invalid arguments, and lengths above 2^31.
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "reduce_cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::reduction {
namespace {

using test::GuardedDevice;
using test::random_values;

TEST_F(ReduceCuda, PromisedBitsRepeatAHundredTimes) {
  constexpr std::uint64_t seed = 14;
  TRIPTYCH_TRACE_SEED(seed);
  const std::int64_t n = std::min<std::int64_t>(2073600, test::largest_size());
  const auto values = random_values<float>(n, -1.0f, 1.0f, seed);
  const auto device = upload(values);
  for (const Strategy strategy : strategies_and_automatic()) {
    if (promised(strategy, false) == Determinism::not_guaranteed) continue;
    GuardedDevice<float> results(test::hundred_runs(), stream());
    for (int run = 0; run < test::hundred_runs(); ++run) {
      sum_cuda<float, float>(device.span(), results.span().data() + run,
                             {strategy, Determinism::run_to_run, 0}, workspace_, stream());
    }
    const auto sums = results.to_host();
    EXPECT_TRUE(results.intact());
    for (const float sum : sums)
      EXPECT_EQ(std::bit_cast<std::uint32_t>(sum), std::bit_cast<std::uint32_t>(sums[0]))
          << to_string(strategy);
  }
}

TEST_F(ReduceCuda, GpuToGpuBitsDoNotDependOnTheGrid) {
  constexpr std::uint64_t seed = 15;
  TRIPTYCH_TRACE_SEED(seed);
  for (const std::int64_t n : {1000, 20001, 65537, 600011, 2073600, 20000003}) {
    if (n > test::largest_size()) continue;
    const auto values = random_values<float>(n, -1.0f, 1.0f, seed);
    const auto device = upload(values);
    for (const Strategy strategy : strategies_and_automatic()) {
      if (promised(strategy, false) != Determinism::gpu_to_gpu) continue;
      const auto sum_with = [&](int max_blocks) {
        return result_of<float>([&](float* result) {
          sum_cuda<float, float>(device.span(), result, {strategy, Determinism::gpu_to_gpu, max_blocks},
                                 workspace_, stream());
        });
      };
      const float unlimited = sum_with(0);
      for (const int max_blocks : {1, 2, 3, 7, 64, 132, 1000})
        EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_with(max_blocks)), std::bit_cast<std::uint32_t>(unlimited))
            << to_string(strategy) << ", n = " << n << ", at most " << max_blocks << " blocks";
    }
  }
}

TEST_F(ReduceCuda, EveryStrategyButThrustIsCapturedAndReplayed) {
  const std::int64_t n = 65537;
  DeviceBuffer<std::int32_t> values(n);
  workspace_.reserve(reduce_workspace_bytes(n), stream());
  for (const Strategy strategy : strategies_and_automatic()) {
    SCOPED_TRACE(to_string(strategy));
    GuardedDevice<std::int64_t> result(1, stream());
    const auto enqueue = [&] {
      sum_cuda<std::int64_t, std::int32_t>(values.span(), result.span().data(), by(strategy), workspace_,
                                           stream());
    };
    if (strategy == Strategy::thrust) {
      EXPECT_ERROR(Graph::capture(stream(), enqueue), InvalidArgument, "cannot be captured");
      continue;
    }
    const Graph graph = Graph::capture(stream(), enqueue);
    if (strategy == Strategy::single_pass) {
      EXPECT_EQ(graph.node_count(), 1);
    }
    for (const int byte : {0x01, 0x7f}) {
      fill_bytes(values.span(), byte, stream());
      graph.launch(stream());
      graph.launch(stream());
      EXPECT_EQ(result.to_host()[0], n * (byte * std::int64_t{0x01010101}));
    }
    EXPECT_TRUE(result.intact());
  }
}

TEST_F(ReduceCuda, SteadyStateAllocatesNothing) {
  const auto values = upload(exact_values<float>(600011, 20));
  DeviceBuffer<float> result(1);
  const auto all = [&] {
    for (const Strategy strategy : strategies_and_automatic())
      sum_cuda<float, float>(values.span(), result.data(), by(strategy), workspace_, stream());
  };
  all();
  const auto before = device_allocation_count();
  all();
  EXPECT_EQ(device_allocation_count(), before);
}

// Grids may overlap: each sum here reads the result of the one before, at sizes that use every kernel of
// single_pass.
TEST_F(ReduceCuda, AChainOfOverlappingSumsKeepsItsOrder) {
  const std::int64_t largest = 200000;
  auto values = random_values<std::int64_t>(largest, -1000, 1000, 21);
  auto device = upload(values);
  const std::int64_t sizes[] = {3, 5000, 20000, 100000, largest};
  const Graph graph = [&] {
    workspace_.reserve(reduce_workspace_bytes(largest), stream());
    return Graph::capture(stream(), [&] {
      for (int k = 0; k < 40; ++k)
        sum_cuda<std::int64_t, std::int64_t>(device.span().first(sizes[k % 5]), device.data() + k % 3, {},
                                             workspace_, stream());
    });
  }();
  graph.launch(stream());
  for (int k = 0; k < 40; ++k) {
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < sizes[k % 5]; ++i)
      sum += static_cast<std::uint64_t>(values[static_cast<std::size_t>(i)]);
    values[static_cast<std::size_t>(k % 3)] = static_cast<std::int64_t>(sum);
  }
  std::vector<std::int64_t> after(3);
  copy_to_host(DeviceSpan<const std::int64_t>(device.span().first(3)), std::span<std::int64_t>(after),
               stream());
  stream().synchronize();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(after[k], values[k]);
}

TEST_F(ReduceCuda, BadInputIsRefusedBeforeAnythingIsWritten) {
  const auto values = upload<float>({1, 2, 3});
  GuardedDevice<float> result(1, stream());
  float* r = result.span().data();
  EXPECT_ERROR((sum_cuda<float, float>(values.span(), nullptr, {}, workspace_, stream())), InvalidArgument,
               "result");
  EXPECT_ERROR(
      (sum_cuda<float, float>(values.span(), r, {Strategy::automatic, {}, -1}, workspace_, stream())),
      InvalidArgument, "max_blocks");
  EXPECT_ERROR(
      (sum_cuda<float, float>(values.span(), r, {Strategy::global_atomic, Determinism::run_to_run, 0},
                              workspace_, stream())),
      InvalidArgument, "the determinism not_guaranteed");
  EXPECT_ERROR((sum_cuda<float, float>(values.span(), r, {Strategy::cub_device, Determinism::gpu_to_gpu, 0},
                                       workspace_, stream())),
               InvalidArgument, "the determinism run_to_run");
  EXPECT_ERROR((dot_cuda<float, float>(values.span(), values.span().first(2), r, {}, workspace_, stream())),
               InvalidArgument, "3 and 2");
  const auto untouched = result.to_host()[0];
  EXPECT_EQ(std::bit_cast<std::uint32_t>(untouched), 0xCDCDCDCDu);
  // integer sums have the level with any strategy
  const auto ints = upload<std::int32_t>({1, 2, 3});
  DeviceBuffer<std::int32_t> sum(1);
  EXPECT_NO_THROW((sum_cuda<std::int32_t, std::int32_t>(
      ints.span(), sum.data(), {Strategy::global_atomic, Determinism::gpu_to_gpu, 0}, workspace_, stream())));
}

// One past 2^31 elements and an odd rest: every index needs 64 bits.
TEST_F(ReduceCuda, MoreThanTwoToThe31Elements) {
  const std::int64_t n = (std::int64_t{1} << 31) + 12345;
  if (n > test::largest_size()) GTEST_SKIP() << "left out by TRIPTYCH_TEST_LARGEST";
  if (Device::cuda().properties().memory_bytes < (std::size_t{12} << 30))
    GTEST_SKIP() << "needs 12 GiB of GPU memory";
  DeviceBuffer<std::int32_t> values(n);
  fill_bytes(values.span(), 0x80, stream());
  const auto filled = static_cast<std::int32_t>(0x80808080);
  const std::vector<std::int32_t> extremes{-7, 2000000000};
  copy_to_device(std::span<const std::int32_t>(extremes), values.span().subspan(n - 5, 2), stream());
  const std::int64_t expected = (n - 2) * filled - 7 + 2000000000;
  for (const Strategy strategy : strategies_and_automatic()) {
    SCOPED_TRACE(to_string(strategy));
    EXPECT_EQ(expected, result_of<std::int64_t>([&](std::int64_t* r) {
                sum_cuda<std::int64_t, std::int32_t>(values.span(), r, by(strategy), workspace_, stream());
              }));
    const auto floats = DeviceSpan<const float>(reinterpret_cast<const float*>(values.data()), n - 5);
    const double tiny =
        std::bit_cast<float>(filled);  // 17 bits long: 2^31 of them are exact in double, in any order
    EXPECT_EQ(tiny * static_cast<double>(n - 5), result_of<double>([&](double* r) {
                sum_cuda<double, float>(floats, r, by(strategy), workspace_, stream());
              }));
    const bool locks = strategy == Strategy::global_atomic || strategy == Strategy::shared_atomic;
    if (locks) continue;  // 2^26 turns at one lock: minutes
    const Indexed<std::int32_t> highest{2000000000, n - 4};
    EXPECT_EQ(highest, result_of<Indexed<std::int32_t>>([&](Indexed<std::int32_t>* r) {
                argmax_cuda<std::int32_t>(values.span(), r, by(strategy), workspace_, stream());
              }));
  }
}

}  // namespace
}  // namespace triptych::reduction
