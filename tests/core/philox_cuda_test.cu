// Twin test: the device's random numbers are the host's, bit for bit.
#include <triptych/core/cuda.cuh>
#include <triptych/core/philox.hpp>
#include <triptych/core/span.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "testing/gpu.hpp"
#include "testing/guarded.hpp"

namespace triptych {
namespace {

struct Sample {
  std::uint32_t word;
  float uniform;
  NormalPair normal;
  float moved;  // a product that the compiler could fuse with the next addition if normal_pair did not
                // prevent it
};

TRIPTYCH_HD Sample draw(std::uint64_t seed, std::int64_t i) {
  PhiloxStream stream(seed, static_cast<std::uint64_t>(i));
  Sample sample = {};
  sample.word = stream.next();
  sample.uniform = stream.next_uniform();
  sample.normal = stream.next_normal_pair();
  sample.moved = sample.normal.first + 0.1f;
  return sample;
}

// One thread draws one sample.
__global__ void draw_kernel(std::uint64_t seed, DeviceSpan<Sample> samples) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < samples.size()) samples[i] = draw(seed, i);
}

std::vector<Sample> draw_on_device(std::uint64_t seed, std::int64_t count) {
  const Stream stream;
  test::GuardedDevice<Sample> samples(count, stream);
  launch(draw_kernel, {.grid = dim3(static_cast<unsigned>((count + 255) / 256)), .block = dim3(256)}, stream,
         seed, samples.span());
  EXPECT_TRUE(samples.intact());
  return samples.to_host();
}

std::int64_t count_different(const std::vector<Sample>& samples, std::uint64_t seed) {
  std::int64_t different = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample expected = draw(seed, static_cast<std::int64_t>(i));
    different += std::memcmp(&samples[i], &expected, sizeof(Sample)) != 0;
  }
  return different;
}

TEST(PhiloxCuda, GivesTheHostsBits) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  for (const std::int64_t count : {1, 255, 257, 1000003}) {
    EXPECT_EQ(count_different(draw_on_device(21, count), 21), 0) << "seed 21, " << count << " samples";
  }
}

TEST(PhiloxCuda, AnotherSeedIsNoticed) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  EXPECT_EQ(count_different(draw_on_device(21, 997), 22), 997);
}

}  // namespace
}  // namespace triptych
