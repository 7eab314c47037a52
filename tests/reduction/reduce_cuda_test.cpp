// sum, min, max, argmin, argmax, dot and moments on the GPU: every strategy against an exact oracle and the
// CPU twin.
#include "sizes.hpp"
#include "support/expect_error.hpp"
#include "support/gpu.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <triptych/core/buffer.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/reduction/reduce.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace triptych::reduction {
namespace {

using test::GuardedDevice;
using test::random_values;
using test::test_sizes;

Options by(Strategy strategy) { return {strategy, Determinism::not_guaranteed, 0}; }

std::vector<Strategy> strategies_and_automatic() {
  std::vector<Strategy> all{Strategy::automatic};
  all.insert(all.end(), all_strategies().begin(), all_strategies().end());
  return all;
}

class ReduceCuda : public testing::Test {
 protected:
  void SetUp() override {
    TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
    stream_.emplace();
  }

  StreamRef stream() { return stream_->ref(); }

  template <class T>
  DeviceBuffer<T> upload(const std::vector<T>& values) {
    DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()));
    copy_to_device(std::span<const T>(values), buffer.span(), stream());
    return buffer;
  }

  // The one value that enqueue(result) leaves on the device; nothing around it may be touched.
  template <class R, class Enqueue>
  R result_of(Enqueue&& enqueue) {
    GuardedDevice<R> result(1, stream());
    enqueue(result.span().data());
    const R value = result.to_host()[0];
    EXPECT_TRUE(result.intact());
    return value;
  }

  std::optional<Stream> stream_;
  Workspace workspace_;
};

// Elements whose sums are exact in any order: every partial sum is an integer that the accumulator holds.
template <class T>
std::vector<T> exact_values(std::int64_t n, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, float>) {
    const auto steps = random_values<std::int32_t>(n, -1, 1, seed);
    return {steps.begin(), steps.end()};
  } else if constexpr (std::is_same_v<T, double>) {
    const auto steps = random_values<std::int32_t>(n, -(1 << 20), 1 << 20, seed);
    std::vector<T> values(steps.begin(), steps.end());
    for (T& v : values) v /= 1024;
    return values;
  } else {
    return random_values<T>(n, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), seed);
  }
}

template <class A, class T>
A exact_sum(std::span<const T> values) {
  if constexpr (std::is_floating_point_v<T>) {
    long double sum = 0;
    for (const T v : values) sum += v;
    return static_cast<A>(sum);
  } else {
    std::uint64_t sum = 0;  // modulo 2^64, then modulo the accumulator
    for (const T v : values) sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    return static_cast<A>(sum);
  }
}

template <class Pair>
class SumCuda : public ReduceCuda {};

template <class A_, class T_>
struct Types {
  using A = A_;
  using T = T_;
};
using SumTypes = testing::Types<Types<float, float>, Types<double, float>, Types<double, double>,
                                Types<std::int32_t, std::int32_t>, Types<std::int64_t, std::int32_t>,
                                Types<std::uint32_t, std::uint32_t>, Types<std::uint64_t, std::uint32_t>,
                                Types<std::int64_t, std::int64_t>, Types<std::uint64_t, std::uint64_t>>;
TYPED_TEST_SUITE(SumCuda, SumTypes);

TYPED_TEST(SumCuda, EveryStrategyIsExactOnEverySize) {
  using A = typename TypeParam::A;
  using T = typename TypeParam::T;
  constexpr std::uint64_t seed = 11;
  TRIPTYCH_TRACE_SEED(seed);
  const auto values = exact_values<T>(test_sizes().back(), seed);
  const auto device = this->upload(values);
  for (const std::int64_t n : test_sizes()) {
    const A expected = exact_sum<A, T>(std::span<const T>(values).first(static_cast<std::size_t>(n)));
    for (const Strategy strategy : strategies_and_automatic()) {
      const A sum = this->template result_of<A>([&](A* result) {
        sum_cuda<A, T>(device.span().first(n), result, by(strategy), this->workspace_, this->stream());
      });
      EXPECT_EQ(sum, expected) << to_string(strategy) << ", n = " << n;
    }
  }
}

TYPED_TEST(SumCuda, AnyAlignmentGivesTheSameBits) {
  using A = typename TypeParam::A;
  using T = typename TypeParam::T;
  constexpr std::uint64_t seed = 12;
  TRIPTYCH_TRACE_SEED(seed);
  for (const std::int64_t n : {7, 1000, 65537}) {
    std::vector<T> values;
    if constexpr (std::is_floating_point_v<T>) {
      values = random_values<T>(n, T{0}, T{1}, seed);
    } else {
      values = exact_values<T>(n, seed);
    }
    for (const Strategy strategy :
         {Strategy::single_pass, Strategy::warp_shuffle, Strategy::tree_sequential}) {
      A first{};
      for (std::int64_t offset = 0; offset < 5; ++offset) {
        std::vector<T> shifted(static_cast<std::size_t>(offset), T{77});
        shifted.insert(shifted.end(), values.begin(), values.end());
        const auto device = this->upload(shifted);
        const A sum = this->template result_of<A>([&](A* result) {
          sum_cuda<A, T>(device.span().subspan(offset, n), result, by(strategy), this->workspace_,
                         this->stream());
        });
        if (offset == 0) first = sum;
        EXPECT_EQ(sum, first) << to_string(strategy) << ", n = " << n << ", offset " << offset;
      }
    }
  }
}

// Positive terms: the relative error is at most the longest chain of additions times eps = 2^-24. At n <=
// 2^24 + 3 no own fixed-order strategy chains more than 64 (a lane) + 8 (a tree) + 64 (partials of a thread)
// + 10 (the last block); for the libraries, whose chains are not documented, four times that.
TEST_F(ReduceCuda, FloatSumsKeepTheirErrorBound) {
  constexpr std::uint64_t seed = 13;
  TRIPTYCH_TRACE_SEED(seed);
  const auto values = random_values<float>(test_sizes().back(), 0.0f, 1.0f, seed);
  const auto device = upload(values);
  for (const std::int64_t n : test_sizes()) {
    long double exact = 0;
    for (std::int64_t i = 0; i < n; ++i) exact += values[static_cast<std::size_t>(i)];
    for (const Strategy strategy : strategies_and_automatic()) {
      if (promised(strategy, false) == Determinism::not_guaranteed) continue;
      const float sum = result_of<float>([&](float* result) {
        sum_cuda<float, float>(device.span().first(n), result, by(strategy), workspace_, stream());
      });
      const bool library = promised(strategy, false) == Determinism::run_to_run;
      const double bound = (library ? 4 : 1) * 146 * std::ldexp(1.0, -24) * static_cast<double>(exact);
      EXPECT_NEAR(sum, static_cast<double>(exact), bound) << to_string(strategy) << ", n = " << n;
    }
  }
}

TEST_F(ReduceCuda, PromisedBitsRepeatAHundredTimes) {
  constexpr std::uint64_t seed = 14;
  TRIPTYCH_TRACE_SEED(seed);
  const std::int64_t n = std::min<std::int64_t>(2073600, test::largest_size());
  const auto values = random_values<float>(n, -1.0f, 1.0f, seed);
  const auto device = upload(values);
  for (const Strategy strategy : strategies_and_automatic()) {
    if (promised(strategy, false) == Determinism::not_guaranteed) continue;
    GuardedDevice<float> results(100, stream());
    for (int run = 0; run < 100; ++run) {
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

template <class T>
class OrderCuda : public ReduceCuda {};
using Elements = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(OrderCuda, Elements);

TYPED_TEST(OrderCuda, MinMaxAndTheirPlacesAreTheCpuTwins) {
  using T = TypeParam;
  constexpr std::uint64_t seed = 16;
  TRIPTYCH_TRACE_SEED(seed);
  const std::int64_t largest = std::min<std::int64_t>(test_sizes().back(), 2073600);
  // few distinct values: ties everywhere, of which the lowest index counts
  const auto small = random_values<std::int32_t>(largest, std::is_signed_v<T> ? -500000 : 0, 500000, seed);
  std::vector<T> values(small.begin(), small.end());
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 0; i < values.size(); i += 97) values[i] = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t i = 40; i < values.size(); i += 1001) values[i] = (i % 2 != 0) ? T{-0.0} : T{0.0};
  }
  const auto device = this->upload(values);
  const CpuOptions sequential{CpuStrategy::sequential, 1};
  for (const std::int64_t n : test_sizes()) {
    if (n > largest) continue;
    const auto host = std::span<const T>(values).first(static_cast<std::size_t>(n));
    const auto span = DeviceSpan<const T>(device.span().first(n));
    const T lowest = min_cpu<T>(host, sequential);
    const T highest = max_cpu<T>(host, sequential);
    const auto lowest_at = argmin_cpu<T>(host, sequential);
    const auto highest_at = argmax_cpu<T>(host, sequential);
    for (const Strategy strategy : strategies_and_automatic()) {
      SCOPED_TRACE(std::string(to_string(strategy)) + ", n = " + std::to_string(n));
      auto& ws = this->workspace_;
      const auto s = this->stream();
      EXPECT_EQ(lowest,
                this->template result_of<T>([&](T* r) { min_cuda<T>(span, r, by(strategy), ws, s); }));
      EXPECT_EQ(highest,
                this->template result_of<T>([&](T* r) { max_cuda<T>(span, r, by(strategy), ws, s); }));
      EXPECT_EQ(lowest_at, this->template result_of<Indexed<T>>(
                               [&](Indexed<T>* r) { argmin_cuda<T>(span, r, by(strategy), ws, s); }));
      EXPECT_EQ(highest_at, this->template result_of<Indexed<T>>(
                                [&](Indexed<T>* r) { argmax_cuda<T>(span, r, by(strategy), ws, s); }));
    }
  }
}

TEST_F(ReduceCuda, ZerosKeepTheirSignAndNothingButNaNIsNothing) {
  const auto zeros = upload<float>({0.0f, -0.0f, 0.0f});
  const auto nothing = upload<float>({NAN, NAN, NAN, NAN, NAN});
  for (const Strategy strategy : strategies_and_automatic()) {
    SCOPED_TRACE(to_string(strategy));
    const float low = result_of<float>(
        [&](float* r) { min_cuda<float>(zeros.span(), r, by(strategy), workspace_, stream()); });
    const float high = result_of<float>(
        [&](float* r) { max_cuda<float>(zeros.span(), r, by(strategy), workspace_, stream()); });
    EXPECT_TRUE(low == 0 && std::signbit(low));
    EXPECT_TRUE(high == 0 && !std::signbit(high));
    const auto place = result_of<Indexed<float>>([&](Indexed<float>* r) {
      argmax_cuda<float>(nothing.span(), r, by(strategy), workspace_, stream());
    });
    EXPECT_EQ(place.index, no_index);
    EXPECT_EQ(result_of<float>(
                  [&](float* r) { min_cuda<float>(nothing.span(), r, by(strategy), workspace_, stream()); }),
              std::numeric_limits<float>::infinity());
  }
}

TEST_F(ReduceCuda, DotIsExactOnExactInputs) {
  constexpr std::uint64_t seed = 17;
  TRIPTYCH_TRACE_SEED(seed);
  const std::int64_t largest = test_sizes().back();
  const auto a = exact_values<float>(largest, seed);
  const auto b = exact_values<float>(largest, seed + 1);
  const auto ints_a = random_values<std::int32_t>(largest, -30000, 30000, seed);
  const auto ints_b = random_values<std::int32_t>(largest, -30000, 30000, seed + 1);
  const auto device_a = upload(a), device_b = upload(b);
  const auto device_ints_a = upload(ints_a), device_ints_b = upload(ints_b);
  for (const std::int64_t n : test_sizes()) {
    double expected = 0;
    std::int64_t expected_int = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      expected += double{a[i]} * b[i];
      expected_int += std::int64_t{ints_a[i]} * ints_b[i];
    }
    for (const Strategy strategy : strategies_and_automatic()) {
      SCOPED_TRACE(std::string(to_string(strategy)) + ", n = " + std::to_string(n));
      const float sum = result_of<float>([&](float* r) {
        dot_cuda<float, float>(device_a.span().first(n), device_b.span().first(n), r, by(strategy),
                               workspace_, stream());
      });
      EXPECT_EQ(sum, expected);
      const double wide = result_of<double>([&](double* r) {
        dot_cuda<double, float>(device_a.span().first(n), device_b.span().first(n), r, by(strategy),
                                workspace_, stream());
      });
      EXPECT_EQ(wide, expected);
      const auto of_ints = result_of<std::int64_t>([&](std::int64_t* r) {
        dot_cuda<std::int64_t, std::int32_t>(device_ints_a.span().first(n), device_ints_b.span().first(n), r,
                                             by(strategy), workspace_, stream());
      });
      EXPECT_EQ(of_ints, expected_int);
    }
  }
}

// Mean 1e9, variance near 1: the textbook formula in double loses every digit. A merge rounds the mean by
// 2^-53 of 1e9, twice, and differences of means by as much: m2 by 4e-6 of itself at most. Merges in a row: 64
// in a fixed order; under a lock, one for each warp.
TEST_F(ReduceCuda, MomentsSurviveALargeMean) {
  constexpr std::uint64_t seed = 18;
  TRIPTYCH_TRACE_SEED(seed);
  const std::int64_t n = std::min<std::int64_t>(600011, test::largest_size());
  auto values = random_values<double>(n, -1.7, 1.7, seed);
  for (double& v : values) v += 1e9;
  long double mean = 0, m2 = 0;
  for (const double v : values) mean += v;
  mean /= static_cast<long double>(n);
  for (const double v : values) m2 += (v - mean) * (v - mean);
  const auto device = upload(values);
  for (const Strategy strategy : strategies_and_automatic()) {
    SCOPED_TRACE(to_string(strategy));
    const auto moments = result_of<Moments>(
        [&](Moments* r) { moments_cuda<double>(device.span(), r, by(strategy), workspace_, stream()); });
    EXPECT_EQ(moments.count, static_cast<double>(n));
    const bool locks = promised(strategy, false) == Determinism::not_guaranteed;
    const double merges = locks ? static_cast<double>(n) / 32 + 64 : 64;
    EXPECT_NEAR(moments.mean, static_cast<double>(mean), merges * 2e9 * std::ldexp(1.0, -53));
    EXPECT_NEAR(moments.variance(), static_cast<double>(m2 / n), 4e-6);
    const auto empty = result_of<Moments>([&](Moments* r) {
      moments_cuda<double>(device.span().first(0), r, by(strategy), workspace_, stream());
    });
    EXPECT_EQ(empty.count, 0);
    EXPECT_EQ(empty.variance(), 0);
  }
}

TEST_F(ReduceCuda, AChangedElementChangesTheSum) {
  auto values = exact_values<float>(65537, 19);
  const auto sum_of = [&] {
    const auto device = upload(values);
    return result_of<float>(
        [&](float* r) { sum_cuda<float, float>(device.span(), r, {}, workspace_, stream()); });
  };
  const float before = sum_of();
  values[65536] += 1;
  EXPECT_NE(sum_of(), before);
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

// Grids may overlap: each sum here reads what the one before wrote, in sizes that take every kernel of
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
      InvalidArgument, "promises not_guaranteed");
  EXPECT_ERROR((sum_cuda<float, float>(values.span(), r, {Strategy::cub_device, Determinism::gpu_to_gpu, 0},
                                       workspace_, stream())),
               InvalidArgument, "promises run_to_run");
  EXPECT_ERROR((dot_cuda<float, float>(values.span(), values.span().first(2), r, {}, workspace_, stream())),
               InvalidArgument, "3 and 2");
  const auto untouched = result.to_host()[0];
  EXPECT_EQ(std::bit_cast<std::uint32_t>(untouched), 0xCDCDCDCDu);
  // integers keep the promise by any strategy
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
