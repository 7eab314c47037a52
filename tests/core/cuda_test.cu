// Checked calls and launches, and the device side of the views.
#include <triptych/core/cuda.cuh>
#include <triptych/core/graph.hpp>
#include <triptych/core/image_view.hpp>
#include <triptych/core/matrix_view.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"
#include "testing/guarded.hpp"

namespace triptych {
namespace {

// One thread adds value to one element.
__global__ void add_kernel(DeviceSpan<int> elements, int value) {
  let_next_grid_start();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  wait_for_previous_grid();
  if (i < elements.size()) elements[i] += value;
}

// Blocks of a cluster write the size of their cluster, one element each.
__global__ void cluster_size_kernel(DeviceSpan<int> sizes) {
  unsigned size = 1;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
#endif
  if (threadIdx.x == 0) sizes[blockIdx.x] = static_cast<int>(size);
}

// One thread per element: through the row, and through the view itself.
__global__ void view_kernel(DeviceMatrixView<const int> from, DeviceMatrixView<int> to,
                            DeviceImageView<Rgb8> image) {
  const std::int64_t r = threadIdx.y;
  const std::int64_t c = threadIdx.x;
  to(r, c) = from.row(r)[c] + from(r, c);
  image.at(c, r) = Rgb8{static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(r), 7};
  image.row(r)[c].b = 8;
}

TEST(CudaCheck, NamesTheCallAndThePlace) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  EXPECT_NO_THROW(TRIPTYCH_CUDA_CHECK(cudaSuccess));
  try {
    TRIPTYCH_CUDA_CHECK(cudaSetDevice(-1));
    ADD_FAILURE() << "no exception";
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), cudaErrorInvalidDevice);
    const std::string what = error.what();
    for (const char* part :
         {"cuda_test.cu:", "cudaSetDevice(-1) failed", cudaGetErrorString(cudaErrorInvalidDevice)}) {
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
  }
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "the error is reported once";
}

TEST(CudaLaunch, RefusedLaunchesAreErrors) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  const DeviceSpan<int> nothing;
  const auto too_large = [&] { launch(add_kernel, {.grid = 1, .block = 4096}, stream, nothing, 1); };
  EXPECT_THROW(too_large(), CudaError);
  add_kernel<<<1, 4096, 0, to_cuda(stream)>>>(nothing, 1);
  EXPECT_ERROR(check_launch("add_kernel"), CudaError, "add_kernel failed");
  EXPECT_NO_THROW(check_launch("add_kernel"));
}

TEST(CudaLaunch, OverlappedGridsSeeEachOthersWrites) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  constexpr int count = 100003;
  constexpr int launches = 200;
  const LaunchShape shape{.grid = (count + 255) / 256, .block = 256, .overlap = true};
  test::GuardedDevice<int> elements(count, stream);
  const auto add_all = [&] {
    for (int i = 0; i < launches; ++i) launch(add_kernel, shape, stream, elements.span(), 1);
  };
  fill_bytes(elements.span(), 0, stream);
  add_all();
  EXPECT_EQ(elements.to_host(), std::vector<int>(count, launches));
  Graph::capture(stream, add_all).launch(stream);
  EXPECT_EQ(elements.to_host(), std::vector<int>(count, 2 * launches));
  EXPECT_TRUE(elements.intact());
}

TEST(CudaLaunch, SetsTheClusterSize) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  if (Device::cuda().properties().compute_capability_major < 9) GTEST_SKIP() << "this GPU has no clusters";
  const Stream stream;
  test::GuardedDevice<int> sizes(8, stream);
  launch(cluster_size_kernel, {.grid = 8, .block = 32, .cluster = 4}, stream, sizes.span());
  EXPECT_EQ(sizes.to_host(), std::vector<int>(8, 4));
  launch(cluster_size_kernel, {.grid = 8, .block = 32}, stream, sizes.span());
  EXPECT_EQ(sizes.to_host(), std::vector<int>(8, 1));
  EXPECT_TRUE(sizes.intact());
}

TEST(CudaViews, AreReadAndWrittenInKernels) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  test::GuardedDevice<int> from(20, stream);    // 3 x 5, stride 7: the last row ends before its stride
  test::GuardedDevice<int> to(15, stream);      // 3 x 5
  test::GuardedDevice<char> image(51, stream);  // 5 x 3 pixels, pitch 17
  std::vector<int> values(20);
  for (int i = 0; i < 20; ++i) values[static_cast<std::size_t>(i)] = i;
  copy_to_device(values, from.span(), stream);
  launch(view_kernel, {.grid = 1, .block = dim3(5, 3)}, stream,
         DeviceMatrixView<int>(from.span().data(), 3, 5, 7), DeviceMatrixView<int>(to.span().data(), 3, 5),
         DeviceImageView<Rgb8>(reinterpret_cast<Rgb8*>(image.span().data()), 5, 3, 17));
  EXPECT_EQ(to.to_host(), (std::vector<int>{0, 2, 4, 6, 8, 14, 16, 18, 20, 22, 28, 30, 32, 34, 36}));
  std::vector<char> pixels = image.to_host();
  const ImageView<Rgb8> picture(reinterpret_cast<Rgb8*>(pixels.data()), 5, 3, 17);
  EXPECT_EQ(picture.at(4, 2), (Rgb8{4, 2, 8}));
  EXPECT_EQ(picture.at(1, 0), (Rgb8{1, 0, 8}));
  EXPECT_EQ(pixels[15], '\xcd') << "a write between the rows";
  EXPECT_TRUE(to.intact());
  EXPECT_TRUE(image.intact());
}

}  // namespace
}  // namespace triptych
