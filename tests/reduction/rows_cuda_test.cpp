// Row sums and matrix-vector products on the GPU: every plan and shape against double precision.
#include <triptych/core/buffer.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/reduction/rows.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sizes.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::reduction {
namespace {

using test::GuardedDevice;
using test::random_values;

struct Shape {
  std::int64_t rows, cols;
};

constexpr Shape shapes[] = {{1, 1},      {1, 65536},  {3, 5},       {24, 4096},  {44, 20480},
                            {64, 65536}, {84, 49152}, {85, 9999},   {7, 100003}, {4096, 4096},
                            {100003, 3}, {20011, 67}, {70000, 130}, {2049, 1027}};

class RowsCuda : public test::CudaFixture {};

// The longest chain of additions of a plan: what a lane adds in a row, then trees of at most 2 + 5 + 5 levels
// and 8 shares.
double chain(const RowPlan& plan, std::int64_t cols) {
  return static_cast<double>(cols) / (4 * threads_per_row(plan)) + 4 + 2 + 12 + plan.shares;
}

TEST_F(RowsCuda, EveryPlanMultipliesEveryShape) {
  constexpr std::uint64_t seed = 31;
  TRIPTYCH_TRACE_SEED(seed);
  const RowDevice device = current_row_device();
  for (const auto& [rows, cols] : shapes) {
    if (rows * cols > test::largest_size()) continue;
    for (const std::int64_t padding : {0, 3}) {  // an odd stride: rows that no 16-byte load can start at
      const std::int64_t stride = cols + padding;
      const auto a = random_values<float>(rows * stride, -1.0f, 1.0f, seed);
      const auto x = random_values<float>(cols, -1.0f, 1.0f, seed + 1);
      std::vector<double> expected(static_cast<std::size_t>(rows)), size(static_cast<std::size_t>(rows));
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < cols; ++c) {
          const double term =
              double{a[static_cast<std::size_t>(r * stride + c)]} * x[static_cast<std::size_t>(c)];
          expected[static_cast<std::size_t>(r)] += term;
          size[static_cast<std::size_t>(r)] += std::abs(term);
        }
      }
      DeviceBuffer<float> device_a(rows * stride), device_x(cols);
      copy_to_device(std::span<const float>(a), device_a.span(), stream());
      copy_to_device(std::span<const float>(x), device_x.span(), stream());
      const DeviceMatrixView<const float> view(device_a.data(), rows, cols, stride);
      for (const RowPlan& plan : candidate_row_plans(rows, cols, device)) {
        GuardedDevice<float> y(rows, stream());
        multiply_cuda(view, device_x.span(), y.span(), plan, workspace_, stream());
        const auto got = y.to_host();
        ASSERT_TRUE(y.intact());
        for (std::size_t r = 0; r < got.size(); ++r)
          ASSERT_NEAR(got[r], expected[r], chain(plan, cols) * std::ldexp(1.0, -24) * size[r])
              << rows << " x " << cols << " + " << padding << ", " << to_string(plan) << ", row " << r;
      }
    }
  }
}

TEST_F(RowsCuda, RowSumsAreExactOnExactInputs) {
  constexpr std::uint64_t seed = 32;
  TRIPTYCH_TRACE_SEED(seed);
  const RowDevice device = current_row_device();
  for (const auto& [rows, cols] : shapes) {
    if (rows * cols > test::largest_size()) continue;
    const auto steps = random_values<std::int32_t>(rows * cols, -1, 1, seed);
    const std::vector<float> a(steps.begin(), steps.end());
    DeviceBuffer<float> device_a(rows * cols);
    copy_to_device(std::span<const float>(a), device_a.span(), stream());
    std::vector<float> expected(static_cast<std::size_t>(rows));
    row_sums_cpu(MatrixView<const float>(a.data(), rows, cols), expected, 0);
    for (const RowPlan& plan : candidate_row_plans(rows, cols, device)) {
      GuardedDevice<float> sums(rows, stream());
      row_sums_cuda(DeviceMatrixView<const float>(device_a.data(), rows, cols), sums.span(), plan, workspace_,
                    stream());
      EXPECT_EQ(sums.to_host(), expected) << rows << " x " << cols << ", " << to_string(plan);
      ASSERT_TRUE(sums.intact());
    }
  }
}

// 1e-5 of the norm of the exact product, over the wide shapes of an appearance model.
TEST_F(RowsCuda, WideProductsAreWithinOneInAHundredThousand) {
  constexpr std::uint64_t seed = 33;
  TRIPTYCH_TRACE_SEED(seed);
  const RowDevice device = current_row_device();
  for (const std::int64_t rows : {24, 44, 64, 84}) {
    for (const std::int64_t cols : {4096, 28672, 65536}) {
      if (rows * cols > test::largest_size()) continue;
      const auto a = random_values<float>(rows * cols, -1.0f, 1.0f, seed);
      const auto x = random_values<float>(cols, -1.0f, 1.0f, seed + 1);
      DeviceBuffer<float> device_a(rows * cols), device_x(cols);
      copy_to_device(std::span<const float>(a), device_a.span(), stream());
      copy_to_device(std::span<const float>(x), device_x.span(), stream());
      GuardedDevice<float> y(rows, stream());
      multiply_cuda({device_a.data(), rows, cols}, device_x.span(), y.span(), plan_rows(rows, cols, device),
                    workspace_, stream());
      const auto got = y.to_host();
      double error = 0, norm = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        double exact = 0;
        for (std::int64_t c = 0; c < cols; ++c)
          exact += double{a[static_cast<std::size_t>(r * cols + c)]} * x[static_cast<std::size_t>(c)];
        error += std::pow(got[static_cast<std::size_t>(r)] - exact, 2);
        norm += exact * exact;
      }
      EXPECT_LT(std::sqrt(error / norm), 1e-5) << rows << " x " << cols;
    }
  }
}

TEST_F(RowsCuda, APlanGivesTheSameBitsAHundredTimesAlsoInAGraph) {
  const std::int64_t rows = 44, cols = std::min<std::int64_t>(28672, test::largest_size());
  const auto a = random_values<float>(rows * cols, -1.0f, 1.0f, 34);
  DeviceBuffer<float> device_a(rows * cols);
  copy_to_device(std::span<const float>(a), device_a.span(), stream());
  const DeviceSpan<const float> x(device_a.data(), cols);
  for (const RowPlan& plan : candidate_row_plans(rows, cols, current_row_device())) {
    workspace_.reserve(row_workspace_bytes(rows, plan), stream());
    GuardedDevice<float> y(rows, stream());
    const Graph graph = Graph::capture(stream(), [&] {
      multiply_cuda({device_a.data(), rows, cols}, x, y.span(), plan, workspace_, stream());
    });
    graph.launch(stream());
    const auto first = y.to_host();
    for (int run = 0; run < test::hundred_runs(); ++run) graph.launch(stream());
    const auto last = y.to_host();
    for (std::size_t r = 0; r < first.size(); ++r)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(first[r]), std::bit_cast<std::uint32_t>(last[r]))
          << to_string(plan);
    EXPECT_EQ(graph.node_count(), 1);
  }
}

TEST_F(RowsCuda, AChangedElementChangesItsRowAlone) {
  const std::int64_t rows = 5, cols = 20000;
  std::vector<float> a(static_cast<std::size_t>(rows * cols), 1.0f);
  const auto sums_of = [&] {
    DeviceBuffer<float> device_a(rows * cols);
    copy_to_device(std::span<const float>(a), device_a.span(), stream());
    GuardedDevice<float> sums(rows, stream());
    row_sums_cuda({device_a.data(), rows, cols}, sums.span(), plan_rows(rows, cols, current_row_device()),
                  workspace_, stream());
    return sums.to_host();
  };
  const auto before = sums_of();
  a[static_cast<std::size_t>(3 * cols + 19999)] = 2;
  const auto after = sums_of();
  for (std::size_t r = 0; r < 5; ++r) EXPECT_EQ(after[r] - before[r], r == 3 ? 1.0f : 0.0f);
}

TEST_F(RowsCuda, NoColumnsGiveZerosAndNoRowsNothing) {
  DeviceBuffer<float> some(16);
  GuardedDevice<float> sums(4, stream());
  row_sums_cuda({some.data(), 4, 0, 4}, sums.span(), plan_rows(4, 0, current_row_device()), workspace_,
                stream());
  EXPECT_EQ(sums.to_host(), std::vector<float>(4, 0.0f));
  EXPECT_NO_THROW(row_sums_cuda({some.data(), 0, 4, 4}, sums.span().first(0),
                                plan_rows(0, 4, current_row_device()), workspace_, stream()));
}

TEST_F(RowsCuda, BadInputIsRefused) {
  DeviceBuffer<float> some(64);
  const DeviceMatrixView<const float> a(some.data(), 4, 8);
  const RowPlan good = plan_rows(4, 8, current_row_device());
  const DeviceSpan<const float> span = some.span();
  EXPECT_ERROR(multiply_cuda(a, span.first(7), some.span().first(4), good, workspace_, stream()),
               InvalidArgument, " 7");
  EXPECT_ERROR(multiply_cuda(a, span.first(8), some.span().first(5), good, workspace_, stream()),
               InvalidArgument, " 5");
  EXPECT_ERROR(row_sums_cuda(a, some.span().first(3), good, workspace_, stream()), InvalidArgument, " 3");
  for (const RowPlan bad :
       {RowPlan{.lanes = 5}, RowPlan{.block = 300}, RowPlan{.block = 256, .rows = 3},
        RowPlan{.block = 256, .shares = 9, .cluster = true}, RowPlan{.block = 256, .cluster = true}})
    EXPECT_ERROR(row_sums_cuda(a, some.span().first(4), bad, workspace_, stream()), InvalidArgument,
                 "plan_rows()");
}

}  // namespace
}  // namespace triptych::reduction
