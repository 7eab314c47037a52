#include <triptych/core/buffer.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/device.hpp>

#include <cuda/version>

#include "limits.hpp"

namespace triptych::bench {

namespace {

// Reads memory: tiles of Threads x 8 sixteen-byte words are assigned to the blocks in turn.
template <int Threads, int Unroll>
__global__ void __launch_bounds__(Threads)
    read_kernel(const uint4* data, std::int64_t words, unsigned* sink) {
  unsigned seen = 0;
  constexpr std::int64_t tile = std::int64_t{Threads} * Unroll;
  for (std::int64_t first = blockIdx.x * tile + threadIdx.x; first + tile - Threads < words;
       first += gridDim.x * tile) {
    uint4 word[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) word[u] = __ldcs(data + first + u * Threads);
#pragma unroll
    for (int u = 0; u < Unroll; ++u) seen |= word[u].x | word[u].y | word[u].z | word[u].w;
  }
  if (seen == 0x12345678u) *sink = seen;
}

// Reads the same data in several passes, bypassing the L1 cache. Every pass is shifted by one tile, so that a
// block reads other words than in the pass before.
template <int Threads, int Unroll>
__global__ void __launch_bounds__(Threads)
    read_again_kernel(const uint4* data, std::int64_t tiles, int passes, unsigned* sink) {
  unsigned seen = 0;
  constexpr std::int64_t tile = std::int64_t{Threads} * Unroll;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
      const std::int64_t first = (t + pass) % tiles * tile + threadIdx.x;
      uint4 word[Unroll];
#pragma unroll
      for (int u = 0; u < Unroll; ++u) word[u] = __ldcg(data + first + u * Threads);
#pragma unroll
      for (int u = 0; u < Unroll; ++u) seen |= word[u].x | word[u].y | word[u].z | word[u].w;
    }
  }
  if (seen == 0x12345678u) *sink = seen;
}

// Every thread: eight chains of multiply-adds in registers, eight times 64 in a round.
constexpr int fma_chains = 8, fma_unroll = 64;
__global__ void __launch_bounds__(256)
    multiply_add_kernel(int rounds, float factor, float term, float* sink) {
  float sums[fma_chains];
#pragma unroll
  for (int k = 0; k < fma_chains; ++k) sums[k] = static_cast<float>(threadIdx.x + k);
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int u = 0; u < fma_unroll; ++u) {
#pragma unroll
      for (int k = 0; k < fma_chains; ++k) sums[k] = fmaf(sums[k], factor, term);
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < fma_chains; ++k) sum += sums[k];
  if (sum == 12345.678f) *sink = sum;
}

__global__ void empty_kernel() {}

}  // namespace

const Limit& gpu_read_limit() {
  static const Limit best = [] {
    const auto free_bytes = static_cast<std::int64_t>(Device::cuda().properties().memory_bytes);
    const std::int64_t bytes =
        std::min<std::int64_t>(std::int64_t{4} << 30, free_bytes / 4) / (1 << 20) * (1 << 20);
    const std::int64_t words = bytes / 16;
    const int sms = Device::cuda().properties().multiprocessors;
    Stream stream;
    DeviceBuffer<std::byte> data(bytes);
    DeviceBuffer<unsigned> sink(1);
    fill_bytes(data.span(), 0x5a, stream);
    Limit limit{{1e300, 0, 0}, static_cast<double>(bytes)};
    const auto attempt = [&](auto kernel, unsigned threads, int blocks) {
      const Timing timing = time_in_graph(stream, 1, 7, [&](int) {
        launch(kernel, {static_cast<unsigned>(blocks), threads}, stream,
               reinterpret_cast<const uint4*>(data.data()), words, sink.data());
      });
      if (timing.us < limit.timing.us) limit.timing = timing;
    };
    for (const int per_sm : {1, 2, 4, 8, 16, 32}) {
      attempt(read_kernel<256, 8>, 256, per_sm * sms);
      attempt(read_kernel<512, 4>, 512, per_sm * sms);
      attempt(read_kernel<512, 8>, 512, per_sm * sms);
      attempt(read_kernel<1024, 4>, 1024, per_sm * sms);
    }
    return limit;
  }();
  return best;
}

const Limit& gpu_cache_read_limit() {
  static const Limit best = [] {
    constexpr std::int64_t tile_bytes = std::int64_t{512} * 4 * 16;
    constexpr int passes = 50;
    const auto cache = static_cast<std::int64_t>(Device::cuda().properties().l2_bytes);
    const std::int64_t tiles = std::max<std::int64_t>(1, cache / 4 / tile_bytes);
    const int sms = Device::cuda().properties().multiprocessors;
    Stream stream;
    DeviceBuffer<std::byte> data(tiles * tile_bytes);
    DeviceBuffer<unsigned> sink(1);
    fill_bytes(data.span(), 0x5a, stream);
    Limit limit{{1e300, 0, 0}, static_cast<double>(tiles * tile_bytes)};
    for (const int per_sm : {1, 2, 3, 4}) {
      const Timing timing = time_in_graph(stream, 1, 7, [&](int) {
        launch(read_again_kernel<512, 4>, {static_cast<unsigned>(per_sm * sms), 512}, stream,
               reinterpret_cast<const uint4*>(data.data()), tiles, passes, sink.data());
      });
      if (timing.us / passes < limit.timing.us)
        limit.timing = {timing.us / passes, timing.low_us / passes, timing.high_us / passes};
    }
    return limit;
  }();
  return best;
}

const Limit& gpu_limit_of(double bytes, bool same_input) {
  const auto cache = static_cast<double>(Device::cuda().properties().l2_bytes);
  return same_input && 2 * bytes <= cache ? gpu_cache_read_limit() : gpu_read_limit();
}

const Limit& gpu_fma_limit() {
  static const Limit best = [] {
    constexpr int rounds = 64, threads = 256;
    const int sms = Device::cuda().properties().multiprocessors;
    Stream stream;
    DeviceBuffer<float> sink(1);
    Limit limit{{1e300, 0, 0}, 0, 0};
    for (const int per_sm : {4, 8}) {
      const int blocks = per_sm * sms;
      const Timing timing = time_in_graph(stream, 4, 15, [&](int) {
        launch(multiply_add_kernel, {static_cast<unsigned>(blocks), threads}, stream, rounds, 0.999f, 0.001f,
               sink.data());
      });
      const double operations = 2.0 * fma_chains * fma_unroll * rounds * threads * blocks;
      if (operations / timing.us > limit.operations_per_us()) limit = {timing, 0, operations};
    }
    return limit;
  }();
  return best;
}

std::string cccl_version() {
  return std::to_string(CCCL_MAJOR_VERSION) + "." + std::to_string(CCCL_MINOR_VERSION) + "." +
         std::to_string(CCCL_PATCH_VERSION);
}

const Timing& gpu_launch_limit() {
  static const Timing timing = [] {
    Stream stream;
    return time_in_graph(stream, 200, 15, [&](int) { launch(empty_kernel, {1, 32}, stream); });
  }();
  return timing;
}

}  // namespace triptych::bench
