// sum_exact_cuda, and sum_cuda with Determinism::exact.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/grid.cuh>
#include <triptych/reduction/detail/automatic.hpp>
#include <triptych/reduction/detail/kernel_arch.cuh>
#include <triptych/reduction/detail/shape.hpp>
#include <triptych/reduction/detail/single_pass.cuh>

#include <algorithm>

#include "exact_bins.hpp"
#include "exact_cuda.hpp"

namespace triptych::reduction {

namespace {

// Static shared memory has at most 48 kB: 32 kB of bins for floats, 41 kB for doubles. More blocks per
// multiprocessor would leave too little of its memory to the L1 cache, through which the loads go.
template <class T>
struct ExactShape;
template <>
struct ExactShape<float> {
  static constexpr int threads = 256, packs = 4, blocks_per_multiprocessor = 4;
};
template <>
struct ExactShape<double> {
  static constexpr int threads = 128, packs = 4, blocks_per_multiprocessor = 4;
};

// The words of an ExactSum that the blocks of a grid add to, and the counter of the blocks that have done so;
// zero between launches.
struct GridWords {
  std::int64_t* word;
  std::uint32_t* ticket;
};

__device__ __forceinline__ void add_word(std::int64_t* word, std::int64_t v) {
  atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(v));
}

// The words of a block in shared memory, and the bins of its threads.
template <class T>
struct BlockMemory {
  static constexpr int threads = ExactShape<T>::threads;
  using Bins = detail::ExactBins<T, threads>;
  static constexpr int digits = ExactSum<T>::digit_count, words = ExactSum<T>::word_count;

  typename Bins::Bin bins[Bins::rows][threads];
  std::int64_t word[words];
  unsigned special[3];  // NaN, infinity, -infinity since the last flush

  __device__ void clear() {
    for (int row = 0; row < Bins::rows; ++row) bins[row][threadIdx.x] = 0;
    for (int k = threadIdx.x; k < words; k += threads) word[k] = 0;
    if (threadIdx.x < 3) special[threadIdx.x] = 0;
  }

  __device__ void add(int position, std::int64_t v) {
    const auto [low, high] = detail::split_digits(v, position % 32);
    add_word(word + position / 32, low);
    add_word(word + position / 32 + 1, high);
  }

  // Moves the bins and the counts to the words. Each warp owns rows. The halves of the bins are summed on
  // their own: the sum of 64-bit bins could overflow.
  __device__ void flush() {
    __syncthreads();
    const int lane = threadIdx.x % 32;
    for (int row = threadIdx.x / 32; row < Bins::rows; row += threads / 32) {
      std::int64_t low = 0, high = 0;
      for (int t = lane; t < threads; t += 32) {
        const std::int64_t v = Bins::integer(bins[row][t], row);
        bins[row][t] = 0;
        low += v & detail::digit_mask;
        high += v >> 32;
      }
      low = static_cast<std::int64_t>(warp_sum(static_cast<std::uint64_t>(low)));
      high = static_cast<std::int64_t>(warp_sum(static_cast<std::uint64_t>(high)));
      if (lane == 0) {
        add(Bins::spacing * row, low);
        add(Bins::spacing * row + 32, high);
      }
    }
    if (threadIdx.x < 3) {
      word[digits + threadIdx.x] += special[threadIdx.x];
      special[threadIdx.x] = 0;
    }
    __syncthreads();
  }

  // Adds the words to those of the grid, each as a digit of 32 bits and a carry.
  __device__ void send(const GridWords& grid) const {
    for (int k = threadIdx.x; k < words; k += threads) {
      const std::int64_t v = word[k];
      if (v == 0) continue;
      if (k >= digits - 1) {
        add_word(grid.word + k, v);
      } else {
        add_word(grid.word + k, v & detail::digit_mask);
        add_word(grid.word + k + 1, v >> 32);
      }
    }
  }
};

template <class T>
using ExactPack = Pack<T, static_cast<int>(16 / sizeof(T))>;

// Counts the elements that are not finite and replaces them by 0.
template <class T, int Count>
__device__ __forceinline__ void take_out_special(ExactPack<T> (&packs)[Count], unsigned (&special)[3]) {
  using Bins = typename BlockMemory<T>::Bins;
  bool finite = true;
#pragma unroll
  for (int u = 0; u < Count; ++u) {
#pragma unroll
    for (const T x : packs[u].element) finite &= Bins::finite(x);
  }
  if (finite) return;
#pragma unroll
  for (int u = 0; u < Count; ++u) {
#pragma unroll
    for (T& x : packs[u].element) {
      if (Bins::finite(x)) continue;
      atomicAdd(special + detail::special_kind(x), 1u);
      x = 0;
    }
  }
}

// The aligned packs of an array, and the elements before and after them.
template <class T>
struct PackedArray {
  static constexpr int pack_size = static_cast<int>(16 / sizeof(T));
  const T* data;
  std::int64_t n, before, packs;

  PackedArray(const T* values, std::int64_t count) : data(values), n(count) {
    const auto address = reinterpret_cast<std::uintptr_t>(values);
    before = std::min<std::int64_t>(n, static_cast<std::int64_t>((16 - address % 16) % 16 / sizeof(T)));
    packs = (n - before) / pack_size;
  }

  template <bool Once>
  __device__ __forceinline__ ExactPack<T> load(std::int64_t pack) const {
    const T* p = data + before + pack * pack_size;
    if constexpr (Once) return detail::load_16_bytes_once<T, pack_size>(p);
    return detail::load_16_bytes<T, pack_size>(p);
  }

  // Element i of those outside the packs, 0 after the last one.
  __device__ T outside(int i) const {
    if (i < before) return data[i];
    const std::int64_t rest = packs * pack_size + i;
    return rest < n ? data[rest] : T{0};
  }
};

// A block owns the tiles blockIdx.x, + gridDim.x, ...; thread t of it the packs t, t + threads, ... of a
// tile. A tile is loaded while the one before it is added. The block that adds its words last rounds the sum.
template <class T, class Result>
__global__ void __launch_bounds__(ExactShape<T>::threads, ExactShape<T>::blocks_per_multiprocessor)
    exact_sum_kernel(PackedArray<T> array, GridWords grid, Result* result) {
  using Memory = BlockMemory<T>;
  using Bins = typename Memory::Bins;
  constexpr int threads = Memory::threads, unroll = ExactShape<T>::packs;
  constexpr int tile_packs = threads * unroll;
  constexpr int tiles_per_flush = Bins::max_elements / (unroll * PackedArray<T>::pack_size);
  __shared__ Memory memory;
  __shared__ bool is_last;
  memory.clear();
  __syncthreads();
  wait_for_previous_grid();

  Bins bins(memory.bins, threadIdx.x);
  const std::int64_t full_tiles = array.packs / tile_packs;
  const auto load_tile = [&](std::int64_t tile, ExactPack<T>(&packs)[unroll]) {
    const std::int64_t first = tile * tile_packs + threadIdx.x;
    if (tile < detail::cached_packs / tile_packs) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) packs[u] = array.template load<false>(first + u * threads);
    } else {
#pragma unroll
      for (int u = 0; u < unroll; ++u) packs[u] = array.template load<true>(first + u * threads);
    }
  };
  ExactPack<T> next[unroll];
  std::int64_t tile = blockIdx.x;
  if (tile < full_tiles) load_tile(tile, next);
  for (int left = tiles_per_flush; tile < full_tiles; tile += gridDim.x) {
    ExactPack<T> packs[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) packs[u] = next[u];
    load_tile(tile + gridDim.x < full_tiles ? tile + gridDim.x : tile, next);
    take_out_special<T>(packs, memory.special);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (const T x : packs[u].element) bins.add(x);
    }
    if (--left == 0) {
      memory.flush();
      left = tiles_per_flush;
    }
  }
  if (tile == full_tiles) {  // this block owns what does not fill a tile
    const auto add_one = [&](T x) {
      if (Bins::finite(x)) {
        bins.add(x);
      } else {
        atomicAdd(memory.special + detail::special_kind(x), 1u);
      }
    };
    for (std::int64_t pack = tile * tile_packs + threadIdx.x; pack < array.packs; pack += threads) {
      const ExactPack<T> rest = array.template load<false>(pack);
      for (const T x : rest.element) add_one(x);
    }
    if (threadIdx.x < 2 * PackedArray<T>::pack_size) add_one(array.outside(threadIdx.x));
  }
  let_next_grid_start();
  memory.flush();
  if (gridDim.x > 1) {
    memory.send(grid);
    __syncthreads();
    if (threadIdx.x == 0) is_last = draw_ticket(grid.ticket, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    for (int k = threadIdx.x; k < Memory::words; k += threads) {
      memory.word[k] =
          static_cast<std::int64_t>(atomicExch(reinterpret_cast<unsigned long long*>(grid.word + k), 0ull));
    }
    __syncthreads();
  }
  if constexpr (std::is_same_v<Result, ExactSum<T>>) {
    if (threadIdx.x == 0) detail::carry_digits(memory.word, Memory::digits);
    __syncthreads();
    for (int k = threadIdx.x; k < Memory::words; k += threads) result->words[k] = memory.word[k];
  } else {
    if (threadIdx.x == 0) *result = detail::round_words<Result, T>(memory.word);
  }
}

}  // namespace

// Asks for the share of shared memory that the resident blocks need, once per device.
template <auto Kernel, class T>
void prefer_shared_memory() {
  static detail::PerDeviceNumber done;
  done.get([](int device) {
    int available = 0;
    TRIPTYCH_CUDA_CHECK(
        cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    constexpr int reserved = 1024;  // by the system, per block
    const int needed =
        ExactShape<T>::blocks_per_multiprocessor * (static_cast<int>(sizeof(BlockMemory<T>)) + reserved);
    TRIPTYCH_CUDA_CHECK(cudaFuncSetAttribute(Kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                             std::min(100, 100 * needed / available + 1)));
    return 1;
  });
}

template <class Result, ExactElement T>
void enqueue_exact_sum(DeviceSpan<const T> values, Result* result, const Options& options,
                       Workspace& workspace, StreamRef stream) {
  detail::check_exact_sum(values.size(), result, options);
  using Shape = ExactShape<T>;
  const PackedArray<T> array(values.data(), values.size());
  const std::int64_t wave = std::int64_t{detail::multiprocessors()} * Shape::blocks_per_multiprocessor;
  std::int64_t blocks =
      std::clamp<std::int64_t>(detail::divide_up(array.packs, Shape::threads * Shape::packs), 1, wave);
  if (options.max_blocks > 0) blocks = std::min<std::int64_t>(blocks, options.max_blocks);
  prefer_shared_memory<exact_sum_kernel<T, Result>, T>();
  workspace.reserve(0, stream);
  const GridWords grid{reinterpret_cast<std::int64_t*>(workspace.tickets() + flagged_words_offset),
                       workspace.tickets()};
  LaunchShape shape{static_cast<unsigned>(blocks), Shape::threads};
  shape.overlap = true;
  launch(exact_sum_kernel<T, Result>, shape, stream, array, grid, result);
}

template <ExactElement T>
void sum_exact_cuda(DeviceSpan<const T> values, ExactSum<T>* sum_on_device, Workspace& workspace,
                    StreamRef stream) {
  enqueue_exact_sum(values, sum_on_device, {}, workspace, stream);
}

#define TRIPTYCH_ROUNDED_SUM(A, T) \
  template void enqueue_exact_sum(DeviceSpan<const T>, A*, const Options&, Workspace&, StreamRef);
#define TRIPTYCH_EXACT_SUM(T) \
  template void sum_exact_cuda(DeviceSpan<const T>, ExactSum<T>*, Workspace&, StreamRef);
TRIPTYCH_ROUNDED_SUM(float, float)
TRIPTYCH_ROUNDED_SUM(double, float)
TRIPTYCH_ROUNDED_SUM(double, double)
TRIPTYCH_EXACT_SUM(float)
TRIPTYCH_EXACT_SUM(double)
#undef TRIPTYCH_EXACT_SUM
#undef TRIPTYCH_ROUNDED_SUM

}  // namespace triptych::reduction
