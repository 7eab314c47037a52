// The short sequences for roots and reciprocals round as IEEE 754 says: every mantissa, over the exponents
// that occurs in the likelihood.
#include <triptych/core/buffer.hpp>
#include <triptych/core/cuda.cuh>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "geometry/exact_math.hpp"
#include "testing/gpu.hpp"

namespace triptych::capsule_likelihood {
namespace {

struct Wrong {
  unsigned long long roots, reciprocals;
};

// A thread owns a mantissa.
__global__ void compare_kernel(int first_exponent, int last_exponent, Wrong* wrong) {
  const unsigned mantissa = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned roots = 0, reciprocals = 0;
  for (int exponent = first_exponent; exponent <= last_exponent; ++exponent) {
    const float x = __uint_as_float(static_cast<unsigned>(exponent + 127) << 23 | mantissa);
    if (exponent >= -101 && exponent < 126) roots += exact::root(x) != __fsqrt_rn(x);
    if (exponent >= -125 && exponent < 125) {
      reciprocals += exact::reciprocal(x) != __frcp_rn(x);
      reciprocals += exact::reciprocal(-x) != __frcp_rn(-x);
    }
  }
  if (roots != 0) atomicAdd(&wrong->roots, static_cast<unsigned long long>(roots));
  if (reciprocals != 0) atomicAdd(&wrong->reciprocals, static_cast<unsigned long long>(reciprocals));
}

__global__ void edges_kernel(const float* x, int count, float* roots, float* reciprocals) {
  const auto i = static_cast<int>(threadIdx.x);
  if (i >= count) return;
  roots[i] = exact::root(x[i]);
  reciprocals[i] = exact::reciprocal(x[i]);
}

TEST(ExactMathCuda, RoundsEveryMantissaCorrectly) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  Stream stream;
  DeviceBuffer<Wrong> wrong(1);
  fill_bytes(wrong.span(), 0, stream);
  launch(compare_kernel, {(1u << 23) / 256, 256}, stream, -125, 125, wrong.data());
  Wrong counted{1, 1};
  copy_to_host(DeviceSpan<const Wrong>(wrong.span()), std::span(&counted, 1), stream);
  stream.synchronize();
  EXPECT_EQ(counted.roots, 0u);
  EXPECT_EQ(counted.reciprocals, 0u);
}

TEST(ExactMathCuda, HasTheHostsEdges) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const std::vector<float> x{
      0.0f, -0.0f, -1.0f, -0x1p-120f, exact::no_number, -std::numeric_limits<float>::infinity(), 1.0f};
  Stream stream;
  const auto count = static_cast<std::int64_t>(x.size());
  DeviceBuffer<float> device(count), roots(count), reciprocals(count);
  copy_to_device(std::span<const float>(x), device.span(), stream);
  launch(edges_kernel, {1, 32}, stream, static_cast<const float*>(device.data()), static_cast<int>(count),
         roots.data(), reciprocals.data());
  std::vector<float> found(x.size()), found_reciprocals(x.size());
  copy_to_host(roots.span(), std::span(found), stream);
  copy_to_host(reciprocals.span(), std::span(found_reciprocals), stream);
  stream.synchronize();
  for (std::size_t i = 0; i + 1 < x.size(); ++i) EXPECT_TRUE(std::isnan(found[i])) << x[i];
  EXPECT_EQ(found.back(), 1.0f);
  for (const std::size_t i : {0u, 1u, 4u}) EXPECT_TRUE(std::isnan(found_reciprocals[i])) << x[i];
  EXPECT_EQ(found_reciprocals[2], -1.0f);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
