// LaunchShape::overlap with a kernel that cannot wait for the previous grid.
#include <triptych/core/buffer.hpp>
#include <triptych/core/cuda.cuh>

#include <gtest/gtest.h>

#include <array>

#include "overlap_reader.cuh"
#include "testing/gpu.hpp"

namespace triptych {
namespace {

// Allows the next grid to start, and writes 10 ms later.
__global__ void write_late_kernel(DeviceSpan<int> value) {
  let_next_grid_start();
  for (int i = 0; i < 1000; ++i) __nanosleep(10000);
  value[0] = 5;
}

TEST(Overlap, IsIgnoredForAKernelOfOlderPtx) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  if (Device::cuda().properties().compute_capability_major < 9) GTEST_SKIP() << "grids never overlap here";
  const Stream stream;
  DeviceBuffer<int> value(1), seen(1);
  std::array<int, 1> result{};
  fill_bytes(value.span(), 0, stream);
  test::copy_overlapped(value.span(), seen.span(), stream);  // loads the kernel
  launch(write_late_kernel, {.grid = 1, .block = 1}, stream, value.span());
  test::copy_overlapped(value.span(), seen.span(), stream);
  copy_to_host(seen.span(), result, stream);
  stream.synchronize();
  EXPECT_EQ(result[0], 5) << "the second grid did not wait for the first";
}

}  // namespace
}  // namespace triptych
