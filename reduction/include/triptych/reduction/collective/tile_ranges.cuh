// For .cu files: the sums of tile.cuh in ranges, by a persistent kernel that writes the result of each range
// to a HostMailbox, for a host that works on the same input.
//
// The first call comes with the launch, further ones as commands. Block 0 only polls the host's words and
// relays them to the other blocks, for two reasons. Several blocks that poll one word in host memory see it
// late: eight took 7 us from a command to an answer, one takes 2. And a system-wide load or fence delays the
// loads of its block from host memory: one per range reduced the GPU's rate from 47 to 32 GB/s (both on an
// H200). S is the source of tile.cuh with these differences:
//   - it is copied word by word and must be trivially copyable;
//   - the data of the tiles may change between two calls: no loads by the read-only path.
#pragma once

#include <triptych/reduction/collective/tile.cuh>
#include <triptych/reduction/host_mailbox.hpp>

#include <cstring>

namespace triptych::reduction {

namespace detail {

template <class S>
struct RangeCommand {
  S source;
  std::int32_t tiles_per_range, ranges;
};

template <class S>
constexpr int command_words = static_cast<int>(sizeof(RangeCommand<S>) / sizeof(std::uint32_t));

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

// A warp polls a command; its words are distributed over the lanes.
template <int words>
struct CommandPoll {
  static constexpr int per_lane = (words + 31) / 32;
  std::uint64_t word[per_lane];

  // Issues the loads; the first use of the words waits for them.
  template <class Load>
  __device__ void issue(const std::uint64_t* at, const Load& load) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int k = 0; k < per_lane; ++k) word[k] = load(at + min(lane + 32 * k, words - 1));
  }
  // The number of a command after `last` whose words have all arrived; `last` when there is none.
  __device__ std::uint32_t number_after(std::uint32_t last) const {
    const auto number = static_cast<std::uint32_t>(__shfl_sync(all_lanes, word[0], 0) >> 32);
    bool here = is_after(number, last);
#pragma unroll
    for (int k = 0; k < per_lane; ++k) here = here && static_cast<std::uint32_t>(word[k] >> 32) == number;
    return __all_sync(all_lanes, here) ? number : last;
  }
  // f(i, word) for each word of the command.
  template <class F>
  __device__ void each(const F& f) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int k = 0; k < per_lane; ++k) {
      if (lane + 32 * k < words) f(lane + 32 * k, word[k]);
    }
  }
};

// Block 0, one warp: during a call it polls now and then for its end, afterwards continuously for the next
// command.
template <int words>
__device__ inline void relay_commands(const MailboxWords& at) {
  constexpr std::uint64_t max_call_ns = 1'000'000'000;
  constexpr unsigned pause_in_call_ns = 500, pause_ns = 40;
  const int lane = static_cast<int>(threadIdx.x % 32);
  std::uint32_t number = at.number;
  std::uint64_t since = nanoseconds();
  bool over = false;
  while (true) {
    CommandPoll<words> command;
    const std::uint64_t asked = lane == 0 ? load_host(at.control) : 0;
    if (over) command.issue(at.command, load_acquire_host);  // in the same round trip
    const std::uint64_t control = __shfl_sync(all_lanes, asked, 0);
    const std::uint64_t waited = __shfl_sync(all_lanes, nanoseconds() - since, 0);
    if (control >> 32 == at.number || waited > (over ? at.persistent_ns : max_call_ns)) break;
    if (!over) {
      if (is_after(number, static_cast<std::uint32_t>(control))) {
        __nanosleep(pause_in_call_ns);
        continue;
      }
      over = true;
      if (lane == 0) store_relaxed(at.relayed_over, number);
      if (at.persistent_ns == 0) break;
      since = nanoseconds();
      continue;
    }
    const std::uint32_t next = command.number_after(number);
    if (next == number) {
      __nanosleep(pause_ns);
      continue;
    }
    command.each([&](int i, std::uint64_t word) { store_release(at.relay + i, word); });
    number = next;
    over = false;
    since = nanoseconds();
  }
  if (lane == 0) {
    store_to_host(at.ended, at.number);
    store_relaxed(at.relayed_end, at.number);
  }
}

// Every block but block 0 processes the ranges that are its number modulo the blocks. A result is the sum
// over the block's ranges so far, and the time since the start of the call.
template <class S>
__device__ __forceinline__ void sum_ranges(const RangeCommand<S>& command, std::uint32_t number,
                                           const MailboxWords& at) {
  constexpr int poller = S::threads - 32;  // the thread that polls whether the call is over
  constexpr int warps = S::threads / 32;
  const S source = command.source;
  const int tiles_per_range = command.tiles_per_range;
  const int ranges = command.ranges;
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
  typename Item::Prefetched prefetched;
  if (warp < tiles_per_range && range < ranges) item.prefetch(start, prefetched);
  for (; range < ranges && !stop; range += blocks) {
    const bool over = threadIdx.x == poller && !is_after(number, load_relaxed(at.relayed_over));
#pragma unroll
    for (int i = 0; lane == 0 && i < S::words; ++i) before[warp][i] = 0;
    // The last tile of a range prefetches the block's next range: the bus stays busy during the reduction.
    for (int k = warp; k < tiles_per_range; k += warps) {
      const bool last = k + warps >= tiles_per_range;
      const int then = last ? range + blocks : range;
      const auto next = item.start(then * tiles_per_range + (last ? warp : k + warps));
      const Tile sums = item.sum_tile(start, prefetched, next, then < ranges);
      start = next;
      if (last && lane == 0) last_tile[warp] = sums;
#pragma unroll
      for (int i = 0; !last && lane == 0 && i < S::words; ++i) before[warp][i] += item.sum_of(sums, i);
    }
    if (threadIdx.x == poller) stopped = over;
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
      store_to_host(at.results + std::int64_t{range} * at.stride + lane,
                    std::uint64_t{number} << 32 | (word & 0xffffffffu));
    }
  }
}

// By a block: copies the next command to `words` and returns its number; 0: the kernel must end.
template <int count>
__device__ inline std::uint32_t await_command(std::uint32_t number, const MailboxWords& at,
                                              std::uint32_t* words) {
  __shared__ std::uint32_t found;
  __syncthreads();  // no thread reads the last command any more
  if (threadIdx.x < 32) {
    CommandPoll<count> command;
    std::uint32_t next;
    while (true) {
      command.issue(at.relay, load_acquire);
      if ((next = command.number_after(number)) != number) break;
      if (__any_sync(all_lanes, threadIdx.x == 0 && load_relaxed(at.relayed_end) == at.number)) break;
    }
    command.each([&](int i, std::uint64_t word) { words[i] = static_cast<std::uint32_t>(word); });
    if (threadIdx.x == 0) found = next == number ? 0 : next;
  }
  __syncthreads();
  return found;
}

template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_multiprocessor)
    tile_ranges_kernel(const __grid_constant__ RangeCommand<S> first, const MailboxWords at) {
  static_assert(S::words <= S::threads / 32 && 2 * S::words < 32);
  constexpr int count = command_words<S>;
  if (blockIdx.x == 0) {
    if (threadIdx.x < 32) relay_commands<count>(at);
    return;
  }
  __shared__ __align__(16) std::uint32_t words[count];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += S::threads)
    words[i] = reinterpret_cast<const std::uint32_t*>(&first)[i];
  __syncthreads();
  std::uint32_t number = at.number;
  while (number != 0) {
    sum_ranges(*reinterpret_cast<const RangeCommand<S>*>(words), number, at);
    number = await_command<count>(number, at, words);
  }
}

}  // namespace detail

struct NoAction {
  void operator()() const {}
};

// Starts the mailbox's call (after next_call()) and returns. Ranges of tiles_per_range tiles are processed in
// ascending order; the mailbox says which are done. A command needs no driver call; before_launch() is called
// before a launch, for a caller whose current device may be another.
template <class S, class BeforeLaunch = NoAction>
void start_tile_ranges(const S& source, int tiles_per_range, int ranges, HostMailbox& mailbox,
                       BeforeLaunch before_launch = {}) {
  constexpr auto kernel = detail::tile_ranges_kernel<S>;
  static_assert(std::is_trivially_copyable_v<S> &&
                detail::command_words<S> <= HostMailbox::max_command_words);
  require(tiles_per_range >= 1 && ranges >= 1 && ranges <= mailbox.max_ranges(), "cannot sum ", ranges,
          " ranges of ", tiles_per_range, " tiles: the mailbox holds ", mailbox.max_ranges());
  const detail::RangeCommand<S> command{source, tiles_per_range, ranges};
  const auto* const id = reinterpret_cast<const void*>(kernel);
  if (mailbox.accepts_command(id)) {
    std::uint32_t words[detail::command_words<S>];
    std::memcpy(words, &command, sizeof words);
    mailbox.command(words);
    return;
  }
  before_launch();
  const LaunchShape shape{dim3(static_cast<unsigned>(mailbox.blocks() + 1)), S::threads};
  launch(kernel, shape, mailbox.stream(), command, mailbox.words_for_launch(id));
  mailbox.launched(id);
}

}  // namespace triptych::reduction
