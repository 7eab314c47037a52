// The exact sums of the GPU: the same words and bits as those of the CPU, for every size, alignment and grid.
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/reducer.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <type_traits>

#include "exact_oracle.hpp"
#include "reduce_cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::reduction {
namespace {

using test::GuardedDevice;
using test::hostile_values;
using test::Numbers;

constexpr Options exact_in(int max_blocks) { return {Strategy::automatic, Determinism::exact, max_blocks}; }

template <class T>
class ExactSumsCuda : public ReduceCuda {
 protected:
  ExactSum<T> sum_of(DeviceSpan<const T> values) {
    return result_of<ExactSum<T>>(
        [&](ExactSum<T>* result) { sum_exact_cuda<T>(values, result, workspace_, stream()); });
  }
  template <class A = T>
  auto bits_of_sum(DeviceSpan<const T> values, int max_blocks = 0) {
    return bits(result_of<A>(
        [&](A* result) { sum_cuda<A, T>(values, result, exact_in(max_blocks), workspace_, stream()); }));
  }
  template <class A>
  static auto bits(A value) {
    return std::bit_cast<std::conditional_t<sizeof(A) == 4, std::uint32_t, std::uint64_t>>(value);
  }
};
using ExactCudaTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactSumsCuda, ExactCudaTypes);

TYPED_TEST(ExactSumsCuda, HaveTheWordsOfTheCpu) {
  using T = TypeParam;
  constexpr std::uint64_t seed = 121;
  TRIPTYCH_TRACE_SEED(seed);
  for (const Numbers kind : test::all_numbers) {
    for (const std::int64_t n : test::test_sizes()) {
      if (n > 700000 && kind != Numbers::uniform && kind != Numbers::cancelling) continue;
      SCOPED_TRACE(name_of(kind) + ", n = " + std::to_string(n));
      const auto values = hostile_values<T>(n, kind, seed);
      const auto device = this->upload(values);
      const ExactSum<T> expected = sum_exact_cpu<T>(values, 0);
      EXPECT_EQ(this->sum_of(device.span()), expected);
      EXPECT_EQ(this->bits_of_sum(device.span()), this->bits(expected.value()));
      EXPECT_EQ(this->template bits_of_sum<double>(device.span()),
                this->bits(expected.template value<double>()));
    }
  }
}

// One element more or less, one bit in the last element: the sum differs.
TYPED_TEST(ExactSumsCuda, NoticeTheLowestBit) {
  using T = TypeParam;
  auto values = hostile_values<T>(20011, Numbers::decades, 122);
  const ExactSum<T> before = this->sum_of(this->upload(values).span());
  for (const std::size_t i : {std::size_t{0}, std::size_t{9999}, values.size() - 1}) {
    const T kept = values[i];
    values[i] = std::nextafter(kept, T{0});
    EXPECT_NE(this->sum_of(this->upload(values).span()), before) << i;
    values[i] = kept;
  }
  values.pop_back();
  EXPECT_NE(this->sum_of(this->upload(values).span()), before);
}

// The elements around the span are NaN.
TYPED_TEST(ExactSumsCuda, OfEveryAlignmentReadTheirElementsOnly) {
  using T = TypeParam;
  const auto source = hostile_values<T>(9001, Numbers::any, 123);
  for (const std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 31u, 257u, 4096u, 9001u}) {
    for (std::size_t offset = 1; offset < 9; ++offset) {
      std::vector<T> values(n + 2 * offset, std::numeric_limits<T>::quiet_NaN());
      std::copy_n(source.begin(), n, values.begin() + static_cast<std::ptrdiff_t>(offset));
      const auto device = this->upload(values);
      const auto part =
          device.span().subspan(static_cast<std::int64_t>(offset), static_cast<std::int64_t>(n));
      EXPECT_EQ(this->sum_of(part), sum_exact_cpu<T>(std::span<const T>(values).subspan(offset, n), 1))
          << n << " elements from " << offset;
    }
  }
}

// A single block adds more elements than its bins hold between two flushes.
TYPED_TEST(ExactSumsCuda, DoNotDependOnTheGrid) {
  using T = TypeParam;
  for (const Numbers kind : {Numbers::positive, Numbers::large, Numbers::cancelling}) {
    const std::int64_t n = std::min<std::int64_t>(6000001, test::largest_size());
    const auto values = hostile_values<T>(n, kind, 124);
    const auto device = this->upload(values);
    const auto expected = this->bits(sum_exact_cpu<T>(values, 0).value());
    for (const int max_blocks : {0, 1, 2, 3, 7, 64, 132, 1000})
      EXPECT_EQ(this->bits_of_sum(device.span(), max_blocks), expected)
          << name_of(kind) << ", at most " << max_blocks << " blocks";
  }
}

// All elements the largest of their bin, so that the bins reach their limits.
TYPED_TEST(ExactSumsCuda, DoNotOverflowTheBins) {
  using T = TypeParam;
  const std::int64_t n = std::min<std::int64_t>(5000000, test::largest_size());
  for (const int exponent : {0, 15, 16, 127}) {
    for (const T sign : {T{1}, T{-1}}) {
      const T x = sign * std::nextafter(std::ldexp(T{1}, exponent), T{0});
      const std::vector<T> values(static_cast<std::size_t>(n), x);
      const auto device = this->upload(values);
      const auto expected = this->bits(sum_exact_cpu<T>(values, 0).value());
      EXPECT_EQ(this->bits_of_sum(device.span(), 1), expected) << x;
      EXPECT_EQ(this->bits_of_sum(device.span()), expected) << x;
    }
  }
}

TYPED_TEST(ExactSumsCuda, OfSpecialNumbers) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> cases[] = {{nan}, {inf}, {-inf}, {inf, inf}, {inf, -inf}, {-inf, nan}, {-T{0}}, {}};
  for (const std::int64_t n : {1, 4, 20011, 300007}) {
    for (const auto& special : cases) {
      auto values = hostile_values<T>(n, Numbers::any, 125);
      for (std::size_t k = 0; k < special.size(); ++k) values[(k * 7919 + 5) % values.size()] = special[k];
      const auto device = this->upload(values);
      const ExactSum<T> expected = sum_exact_cpu<T>(values, 1);
      EXPECT_EQ(this->sum_of(device.span()), expected);
      EXPECT_EQ(this->bits_of_sum(device.span()), this->bits(expected.value()));
    }
    const std::vector<T> all_nan(static_cast<std::size_t>(n), nan), zeros(static_cast<std::size_t>(n), -T{0});
    EXPECT_EQ(this->sum_of(this->upload(all_nan).span()), sum_exact_cpu<T>(all_nan, 1));
    EXPECT_EQ(this->bits_of_sum(this->upload(zeros).span()), this->bits(T{0}));
  }
}

TYPED_TEST(ExactSumsCuda, AreCapturedReplayedAndAllocateNothing) {
  using T = TypeParam;
  auto values = hostile_values<T>(100003, Numbers::decades, 126);
  auto device = this->upload(values);
  this->workspace_.reserve(0, this->stream());
  GuardedDevice<T> results(3, this->stream());
  const auto enqueue = [&] {  // each sum is read by the next one; a sum of another strategy in between
    T* result = results.span().data();
    sum_cuda<T, T>(device.span(), result, exact_in(0), this->workspace_, this->stream());
    sum_cuda<T, T>(results.span().first(1), result + 1, {}, this->workspace_, this->stream());
    sum_cuda<T, T>(results.span().first(2), result + 2, exact_in(0), this->workspace_, this->stream());
  };
  enqueue();
  const auto before = device_allocation_count();
  const Graph graph = Graph::capture(this->stream(), enqueue);
  for (int k = 0; k < 20; ++k) {
    values[0] = static_cast<T>(k);
    copy_to_device(std::span<const T>(values).first(1), device.span().first(1), this->stream());
    graph.launch(this->stream());
    const T expected = sum_exact_cpu<T>(values, 1).value();
    const auto got = results.to_host();
    EXPECT_EQ(this->bits(got[0]), this->bits(expected));
    EXPECT_EQ(this->bits(got[1]), this->bits(expected));
    EXPECT_EQ(this->bits(got[2]), this->bits(2 * expected));
  }
  EXPECT_EQ(device_allocation_count(), before);
  EXPECT_TRUE(results.intact());
}

class ExactDeterminismCuda : public ReduceCuda {};

TEST_F(ExactDeterminismCuda, OfTheReducerIsThatOfTheCpu) {
  const auto values = hostile_values<double>(100003, Numbers::cancelling, 127);
  Reducer reducer(Device::cuda(), {.determinism = Determinism::exact});
  const ExactSum<double> expected = sum_exact_cpu<double>(values, 0);
  EXPECT_EQ(reducer.sum_exact<double>(values), expected);
  EXPECT_EQ((reducer.sum<double, double>(values)), expected.value());
  EXPECT_EQ(reducer.max<double>(values), max_cpu<double>(values, {}));
  EXPECT_ERROR((reducer.dot<double, double>(values, values)), InvalidArgument, "not exact");
}

TEST_F(ExactDeterminismCuda, IsRefusedBeforeAnythingIsWritten) {
  const auto values = upload<float>({1, 2, 3});
  GuardedDevice<float> result(1, stream());
  float* r = result.span().data();
  EXPECT_ERROR((sum_cuda<float, float>(values.span(), r, {Strategy::single_pass, Determinism::exact, 0},
                                       workspace_, stream())),
               InvalidArgument, "not single_pass");
  EXPECT_ERROR((sum_cuda<float, float>(values.span(), r, exact_in(-1), workspace_, stream())),
               InvalidArgument, "max_blocks");
  EXPECT_ERROR((sum_cuda<float, float>(values.span(), nullptr, exact_in(0), workspace_, stream())),
               InvalidArgument, "result");
  EXPECT_ERROR(sum_exact_cuda<float>(values.span(), nullptr, workspace_, stream()), InvalidArgument,
               "result");
  EXPECT_ERROR((dot_cuda<float, float>(values.span(), values.span(), r, exact_in(0), workspace_, stream())),
               InvalidArgument, "not exact");
  EXPECT_TRUE(result.intact());
}

// Elements beyond 2^31.
TEST_F(ExactDeterminismCuda, OfAVeryLongArray) {
  const std::int64_t n = (std::int64_t{1} << 31) + 4099;
  if (n > test::largest_size()) GTEST_SKIP() << "TRIPTYCH_TEST_LARGEST";
  DeviceBuffer<float> values(n);
  fill_bytes(values.span(), 0x3f, stream());
  const float x = std::bit_cast<float>(0x3f3f3f3f);
  ExactSum<float> expected;
  for (std::int64_t bit = 0; bit < 32; ++bit) {
    if ((n >> bit & 1) == 0) continue;
    ExactSum<float> power;
    power.add(x);
    for (std::int64_t k = 0; k < bit; ++k) power.merge(power);
    expected.merge(power);
  }
  EXPECT_EQ(result_of<ExactSum<float>>([&](ExactSum<float>* result) {
              sum_exact_cuda<float>(values.span(), result, workspace_, stream());
            }),
            expected);
}

}  // namespace
}  // namespace triptych::reduction
