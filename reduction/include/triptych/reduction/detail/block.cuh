// How a warp, a block and a grid combine their values: the bricks of every strategy. For .cu files.
#pragma once

#include <triptych/reduction/monoid.hpp>

#include <cstdint>
#include <cstring>

namespace triptych::reduction::detail {

inline constexpr unsigned all_lanes = 0xffffffffu;

// Moves any trivially copyable value between lanes, word by word.
template <class V, class Move>
__device__ __forceinline__ V move_words(const V& value, Move move) {
  constexpr int words = (sizeof(V) + 3) / 4;
  unsigned word[words] = {};
  memcpy(word, &value, sizeof(V));
#pragma unroll
  for (int k = 0; k < words; ++k) word[k] = move(word[k]);
  V result;
  memcpy(&result, word, sizeof(V));
  return result;
}

// The value that the lane `offset` above holds.
template <class V>
__device__ __forceinline__ V shuffle_down(const V& value, int offset) {
  return move_words(value, [offset](unsigned word) { return __shfl_down_sync(all_lanes, word, offset); });
}

// The value that lane 0 holds, in every lane.
template <class V>
__device__ __forceinline__ V broadcast_first(const V& value) {
  return move_words(value, [](unsigned word) { return __shfl_sync(all_lanes, word, 0); });
}

// The first Lanes lanes combined, in lane 0 (a power of two). All 32 lanes must call. An exact monoid may
// bring a faster way than shuffles.
template <int Lanes, class M>
__device__ __forceinline__ typename M::Value warp_reduce(typename M::Value v, M monoid) {
  if constexpr (requires { M::template warp_reduce<Lanes>(v); }) {
    static_assert(M::exact, "the order of a warp_reduce of one's own is not ours");
    return M::template warp_reduce<Lanes>(v);
  } else {
#pragma unroll
    for (int offset = Lanes / 2; offset > 0; offset /= 2) v = monoid(v, shuffle_down(v, offset));
    return v;
  }
}

// The block's values combined, valid in thread 0. Shuffles inside the warps, one exchange through shared
// memory between them, which the caller guards with a barrier when it comes here again.
template <int Threads, class M>
__device__ __forceinline__ typename M::Value block_reduce(typename M::Value v, M monoid) {
  static_assert(Threads % 32 == 0 && (Threads & (Threads - 1)) == 0);
  constexpr int warps = Threads / 32;
  v = warp_reduce<32>(v, monoid);
  if constexpr (warps > 1) {
    __shared__ typename M::Value of_warp[warps];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();
    if (warp == 0) {
      v = of_warp[lane < warps ? lane : 0];
      v = warp_reduce<warps>(v, monoid);
    }
  }
  return v;
}

// Draws a number from the grid's counter, which goes back to zero by itself after `count` draws. What this
// thread wrote before is visible to whoever draws later.
__device__ __forceinline__ unsigned draw_ticket(std::uint32_t* counter, unsigned count) {
  unsigned ticket;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(ticket)
               : "l"(counter), "r"(count - 1)
               : "memory");
  return ticket;
}

// The words of a workspace before this one are tickets, those behind it mail.
inline constexpr int mailbox_offset = 1024;

// A mailbox carries values between blocks in one trip through L2, with neither fence nor atomic: each 32-bit
// word of a value travels in a 64-bit word whose upper half says that it has come. All words are zero between
// launches; the receiver puts them back to zero.
template <class V>
struct Mailbox {
  static constexpr int words = (sizeof(V) + 3) / 4;
  std::uint64_t* word;
  int slots;

  static std::size_t bytes(int slots) { return std::size_t(slots) * words * sizeof(std::uint64_t); }

  __device__ __forceinline__ std::uint64_t* at(int slot, int k) const {
    return word + std::int64_t{k} * slots + slot;
  }

  __device__ __forceinline__ void send(int slot, const V& value) const {
    unsigned part[words] = {};
    memcpy(part, &value, sizeof(V));
#pragma unroll
    for (int k = 0; k < words; ++k) {
      const std::uint64_t letter = (std::uint64_t{1} << 32) | part[k];
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at(slot, k)), "l"(letter) : "memory");
    }
  }

  // Waits for the values of the slots first, first + step, ... (Count of them, those that exist), in flight
  // together.
  template <int Count>
  __device__ __forceinline__ void receive(int first, int step, V (&value)[Count]) const {
    std::uint64_t letter[Count][words];
    bool all_here;
    do {
      all_here = true;
#pragma unroll
      for (int c = 0; c < Count; ++c) {
        const int slot = first + c * step;
#pragma unroll
        for (int k = 0; k < words; ++k) {
          letter[c][k] = std::uint64_t{1} << 32;
          if (slot < slots)
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                         : "=l"(letter[c][k])
                         : "l"(at(slot, k))
                         : "memory");
        }
      }
#pragma unroll
      for (int c = 0; c < Count; ++c) {
#pragma unroll
        for (int k = 0; k < words; ++k) all_here &= (letter[c][k] >> 32) != 0;
      }
    } while (!all_here);
#pragma unroll
    for (int c = 0; c < Count; ++c) {
      unsigned part[words];
#pragma unroll
      for (int k = 0; k < words; ++k) {
        part[k] = static_cast<unsigned>(letter[c][k]);
        if (first + c * step < slots) *at(first + c * step, k) = 0;
      }
      memcpy(&value[c], part, sizeof(V));
    }
  }
};

}  // namespace triptych::reduction::detail
