// For .cu files: the sums of tile.cuh in ranges, one after the other, for a host that works beside the
// GPU and watches them come in at a RangeDesk.
//
// The kernel stays: its first call comes with the launch, further ones as orders. Block 0 does nothing but
// look at the host's words and hand them on, for two reasons. Blocks that all ask the host for one word get
// it late: eight took 7 us from an order to an answer, one takes 2. And a load or a fence that is ordered for
// the whole system holds up what its block reads from the host: one a range took the GPU's rate from 47 to
// 32 GB/s (both on an H200). S is the source of tile.cuh with these differences:
//   - it is copied word by word, so that it must be trivially copyable;
//   - its pixels, or whatever the tiles are made of, may change between two calls: no loads by the read-only
//     path.
#pragma once

#include <triptych/reduction/collective/tile.cuh>
#include <triptych/reduction/range_desk.hpp>

#include <cstring>

namespace triptych::reduction {

namespace detail {

template <class S>
struct RangeOrder {
  S source;
  std::int32_t tiles_per_range, ranges;
};

template <class S>
constexpr int order_words = static_cast<int>(sizeof(RangeOrder<S>) / sizeof(std::uint32_t));

__device__ inline std::uint64_t load_acquire_host(const std::uint64_t* word) {
  std::uint64_t v;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(word) : "memory");
  return v;
}
__device__ inline std::uint64_t load_host(const std::uint64_t* word) {
  std::uint64_t v;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(word) : "memory");
  return v;
}
__device__ inline void store_to_host(std::uint64_t* word, std::uint64_t v) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(v) : "memory");
}
__device__ inline void store_to_host(std::uint32_t* word, std::uint32_t v) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(word), "r"(v) : "memory");
}
__device__ inline std::uint64_t load_acquire(const std::uint64_t* word) {
  std::uint64_t v;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(word) : "memory");
  return v;
}
__device__ inline std::uint32_t load_relaxed(const std::uint32_t* word) {
  std::uint32_t v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
  return v;
}
__device__ inline void store_release(std::uint64_t* word, std::uint64_t v) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(v) : "memory");
}
__device__ inline void store_relaxed(std::uint32_t* word, std::uint32_t v) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(v) : "memory");
}
__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

// Numbers count up and wrap around.
__device__ inline bool is_after(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) > 0;
}

// A look at an order by a warp, with its words among the lanes.
template <int words>
struct OrderLook {
  static constexpr int a_lane = (words + 31) / 32;
  std::uint64_t word[a_lane];

  // To ask for the words takes no time, to look at them the time until they are there.
  template <class Load>
  __device__ void ask(const std::uint64_t* at, const Load& load) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int k = 0; k < a_lane; ++k) word[k] = load(at + min(lane + 32 * k, words - 1));
  }
  // Returns the number of an order after `last` whose words are all there; `last` when there is none.
  __device__ std::uint32_t look(std::uint32_t last) const {
    const auto number = static_cast<std::uint32_t>(__shfl_sync(all_lanes, word[0], 0) >> 32);
    bool here = is_after(number, last);
#pragma unroll
    for (int k = 0; k < a_lane; ++k) here = here && static_cast<std::uint32_t>(word[k] >> 32) == number;
    return __all_sync(all_lanes, here) ? number : last;
  }
  // f(i, word) for each word of the order.
  template <class F>
  __device__ void each(const F& f) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int k = 0; k < a_lane; ++k) {
      if (lane + 32 * k < words) f(lane + 32 * k, word[k]);
    }
  }
};

// Block 0, by a warp: until the host has had enough of a call it looks for that now and then, then for the
// next order as often as it can.
template <int words>
__device__ inline void hand_on_orders(const RangeWords& at) {
  constexpr std::uint64_t longest_call_ns = 1'000'000'000;
  constexpr unsigned pause_in_call_ns = 500, pause_ns = 40;
  const int lane = static_cast<int>(threadIdx.x % 32);
  std::uint32_t number = at.number;
  std::uint64_t since = nanoseconds();
  bool over = false;
  while (true) {
    OrderLook<words> order;
    const std::uint64_t asked = lane == 0 ? load_host(at.control) : 0;
    if (over) order.ask(at.order, load_acquire_host);  // on the same way
    const std::uint64_t control = __shfl_sync(all_lanes, asked, 0);
    const std::uint64_t waited = __shfl_sync(all_lanes, nanoseconds() - since, 0);
    if (control >> 32 == at.number || waited > (over ? at.patience_ns : longest_call_ns)) break;
    if (!over) {
      if (is_after(number, static_cast<std::uint32_t>(control))) {
        __nanosleep(pause_in_call_ns);
        continue;
      }
      over = true;
      if (lane == 0) store_relaxed(at.relayed_over, number);
      if (at.patience_ns == 0) break;
      since = nanoseconds();
      continue;
    }
    const std::uint32_t next = order.look(number);
    if (next == number) {
      __nanosleep(pause_ns);
      continue;
    }
    order.each([&](int i, std::uint64_t word) { store_release(at.relay + i, word); });
    number = next;
    over = false;
    since = nanoseconds();
  }
  if (lane == 0) {
    store_to_host(at.left, at.number);
    store_relaxed(at.relayed_left, at.number);
  }
}

// By a block but for block 0: the ranges whose turn it is. A letter has what they add up to from the first
// one on, and how long it took.
template <class S>
__device__ __forceinline__ void add_up_ranges(const RangeOrder<S>& order, std::uint32_t number,
                                              const RangeWords& at) {
  constexpr int asks = S::threads - 32;  // the thread that asks whether the call is over
  constexpr int warps = S::threads / 32;
  const S source = order.source;
  const int tiles_per_range = order.tiles_per_range;
  const int ranges = order.ranges;
  const auto& item = source.item(0);
  using Item = std::remove_cvref_t<decltype(item)>;
  using Tile = typename Item::Tile;
  __shared__ Tile last_tile[warps];
  __shared__ std::uint64_t before[warps][S::words];
  __shared__ std::uint64_t total[S::words];
  __shared__ bool stopped;
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (threadIdx.x < S::words) total[threadIdx.x] = 0;
  const int blocks = static_cast<int>(gridDim.x) - 1;
  const std::uint64_t began = nanoseconds();
  bool stop = false;
  int range = static_cast<int>(blockIdx.x) - 1;
  auto start = item.start(range * tiles_per_range + warp);
  typename Item::Ahead ahead;
  if (warp < tiles_per_range && range < ranges) item.ask(start, ahead);
  for (; range < ranges && !stop; range += blocks) {
    const bool over = threadIdx.x == asks && !is_after(number, load_relaxed(at.relayed_over));
#pragma unroll
    for (int i = 0; lane == 0 && i < S::words; ++i) before[warp][i] = 0;
    // The last tile of a range asks for the block's next range: the bus has work while sums are made.
    for (int k = warp; k < tiles_per_range; k += warps) {
      const bool last = k + warps >= tiles_per_range;
      const int then = last ? range + blocks : range;
      const auto next = item.start(then * tiles_per_range + (last ? warp : k + warps));
      const Tile sums = item.add_up(start, ahead, next, then < ranges);
      start = next;
      if (last && lane == 0) last_tile[warp] = sums;
#pragma unroll
      for (int i = 0; !last && lane == 0 && i < S::words; ++i) before[warp][i] += item.sum_of(sums, i);
    }
    if (threadIdx.x == asks) stopped = over;
    __syncthreads();
    if (warp < S::words) {
      std::uint64_t v = 0;
      if (lane < warps && lane < tiles_per_range) v = item.sum_of(last_tile[lane], warp) + before[lane][warp];
      v = warp_reduce<32>(v, SumWords{});
      if (lane == 0) total[warp] += v;
    }
    stop = stopped;
    __syncthreads();
    if (warp == 0 && lane <= 2 * S::words) {
      const std::uint64_t word =
          lane < 2 * S::words ? total[lane / 2] >> (lane % 2 * 32) : nanoseconds() - began;
      store_to_host(at.letters + std::int64_t{range} * at.stride + lane,
                    std::uint64_t{number} << 32 | (word & 0xffffffffu));
    }
  }
}

// The next order after a call into `words`, and its number, by a block; 0: there will be none.
template <int count>
__device__ inline std::uint32_t await_order(std::uint32_t number, const RangeWords& at,
                                            std::uint32_t* words) {
  __shared__ std::uint32_t found;
  __syncthreads();  // nobody reads the last order any more
  if (threadIdx.x < 32) {
    OrderLook<count> order;
    std::uint32_t next;
    while (true) {
      order.ask(at.relay, load_acquire);
      if ((next = order.look(number)) != number) break;
      if (__any_sync(all_lanes, threadIdx.x == 0 && load_relaxed(at.relayed_left) == at.number)) break;
    }
    order.each([&](int i, std::uint64_t word) { words[i] = static_cast<std::uint32_t>(word); });
    if (threadIdx.x == 0) found = next == number ? 0 : next;
  }
  __syncthreads();
  return found;
}

template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_multiprocessor)
    tile_ranges_kernel(const __grid_constant__ RangeOrder<S> first, const RangeWords at) {
  static_assert(S::words <= S::threads / 32 && 2 * S::words < 32);
  constexpr int count = order_words<S>;
  if (blockIdx.x == 0) {
    if (threadIdx.x < 32) hand_on_orders<count>(at);
    return;
  }
  __shared__ __align__(16) std::uint32_t words[count];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += S::threads)
    words[i] = reinterpret_cast<const std::uint32_t*>(&first)[i];
  __syncthreads();
  std::uint32_t number = at.number;
  while (number != 0) {
    add_up_ranges(*reinterpret_cast<const RangeOrder<S>*>(words), number, at);
    number = await_order<count>(number, at, words);
  }
}

}  // namespace detail

struct NothingToDo {
  void operator()() const {}
};

// Starts the desk's call (next_call() was before it) and returns: the first ranges are done first, each of so
// many tiles, and the desk says which are in. An order takes no call of the driver; before_launch() is called
// when there is none to take it, for a caller whose current device may be another.
template <class S, class BeforeLaunch = NothingToDo>
void start_tile_ranges(const S& source, int tiles_per_range, int ranges, RangeDesk& desk,
                       BeforeLaunch before_launch = {}) {
  constexpr auto kernel = detail::tile_ranges_kernel<S>;
  static_assert(std::is_trivially_copyable_v<S> && detail::order_words<S> <= RangeDesk::max_order_words);
  require(tiles_per_range >= 1 && ranges >= 1 && ranges <= desk.max_ranges(), "cannot add up ", ranges,
          " ranges of ", tiles_per_range, " tiles, there are words for ", desk.max_ranges());
  const detail::RangeOrder<S> order{source, tiles_per_range, ranges};
  const auto* const id = reinterpret_cast<const void*>(kernel);
  if (desk.is_ready(id)) {
    std::uint32_t words[detail::order_words<S>];
    std::memcpy(words, &order, sizeof words);
    desk.order(words);
    return;
  }
  before_launch();
  const LaunchShape shape{dim3(static_cast<unsigned>(desk.blocks() + 1)), S::threads};
  launch(kernel, shape, desk.stream(), order, desk.words_for_launch(id));
  desk.launched(id);
}

}  // namespace triptych::reduction
