// block_counts, block_combine_columns, warp_bounds and block_bounds, against loops on the host.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/bounds.cuh>

#include <algorithm>
#include <limits>
#include <vector>

#include "testing/cuda_fixture.hpp"
#include "testing/random.hpp"

namespace triptych::reduction {
namespace {

class CollectivesCuda : public test::CudaFixture {};

// A thread owns a class; every thread writes the counts that it received.
template <int Threads>
__global__ void counts_kernel(const int* of_thread, unsigned* counts) {
  __shared__ unsigned of_warp[3][Threads / 32];
  unsigned count[3];
  block_counts<Threads>(of_thread[threadIdx.x], of_warp, count);
  for (int c = 0; c < 3; ++c) counts[threadIdx.x * 3 + c] = count[c];
}

template <int Threads, class Upload>
void expect_counts(const Upload& upload, StreamRef stream) {
  std::vector<int> classes = test::random_values<int>(Threads, -1, 3, 5);  // -1 and 3: none
  if (Threads == 64) std::fill(classes.begin(), classes.end(), 2);
  const auto of_thread = upload(classes);
  test::GuardedDevice<unsigned> counts(Threads * 3, stream);
  launch(counts_kernel<Threads>, {1, Threads}, stream, of_thread.data(), counts.span().data());
  const std::vector<unsigned> found = counts.to_host();
  EXPECT_TRUE(counts.intact());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i],
              static_cast<unsigned>(std::count(classes.begin(), classes.end(), static_cast<int>(i % 3))));
}

TEST_F(CollectivesCuda, CountsOfClassesInEveryThread) {
  const auto up = [this](const std::vector<int>& values) { return upload(values); };
  expect_counts<32>(up, stream());
  expect_counts<64>(up, stream());
  expect_counts<256>(up, stream());
  expect_counts<1024>(up, stream());
}

__global__ void columns_kernel(const float* values, float* sums) {
  __shared__ float partial[64][8];
  const float& sum = block_combine_columns(values[threadIdx.x], partial,
                                           [](float& into, const float& from) { into += from; });
  if (threadIdx.x < 8) sums[threadIdx.x] = sum;
}

TEST_F(CollectivesCuda, ColumnsInTheOrderThatIsStated) {
  const std::vector<float> values = test::random_values<float>(64 * 8, -1, 1, 6);
  const auto on_device = upload(values);
  test::GuardedDevice<float> sums(8, stream());
  launch(columns_kernel, {1, 64 * 8}, stream(), on_device.data(), sums.span().data());
  std::vector<float> expected = values;
  for (std::size_t step = 32; step > 0; step /= 2)
    for (std::size_t i = 0; i < step * 8; ++i) expected[i] += expected[i + step * 8];
  expected.resize(8);
  EXPECT_EQ(sums.to_host(), expected);
  EXPECT_TRUE(sums.intact());
}

// Threads from `real` on hold no point.
__global__ void bounds_kernel(const float* points, int real, Bounds<3>* of_warp, Bounds<3>* of_block) {
  __shared__ Bounds<3> shared[4];
  const float* p = points + 3 * threadIdx.x;
  const auto own =
      static_cast<int>(threadIdx.x) < real ? Bounds<3>::around({p[0], p[1], p[2]}) : Bounds<3>::none();
  const Bounds<3> warp = warp_bounds(own);
  if (threadIdx.x % 32 == 7) of_warp[threadIdx.x / 32] = warp;
  const Bounds<3> block = block_bounds<128>(warp, shared);
  if (threadIdx.x == 99) *of_block = block;
}

TEST_F(CollectivesCuda, BoundsOfWarpsAndOfTheBlock) {
  const std::vector<float> points = test::random_values<float>(128 * 3, -5, 5, 7);
  const auto on_device = upload(points);
  const auto expect_box = [&](const Bounds<3>& found, int from, int to) {
    for (int d = 0; d < 3; ++d) {
      float low = std::numeric_limits<float>::infinity(), high = -low;
      for (int i = from; i < to; ++i) {
        low = std::min(low, points[static_cast<std::size_t>(3 * i + d)]);
        high = std::max(high, points[static_cast<std::size_t>(3 * i + d)]);
      }
      EXPECT_EQ(found.low[d], low) << from << " to " << to;
      EXPECT_EQ(found.high[d], high) << from << " to " << to;
    }
  };
  for (const int real : {0, 1, 31, 32, 33, 127, 128}) {
    test::GuardedDevice<Bounds<3>> warps(4, stream()), block(1, stream());
    launch(bounds_kernel, {1, 128}, stream(), on_device.data(), real, warps.span().data(),
           block.span().data());
    const std::vector<Bounds<3>> of_warp = warps.to_host();
    for (int w = 0; w < 4; ++w)
      expect_box(of_warp[static_cast<std::size_t>(w)], std::min(32 * w, real), std::min(32 * w + 32, real));
    expect_box(block.to_host()[0], 0, real);
    EXPECT_TRUE(warps.intact() && block.intact());
  }
}

}  // namespace
}  // namespace triptych::reduction
