// Grid collectives: exchange between the blocks of a grid within one launch. For .cu files.
//
// Values are sent as flagged words: one store writes the data and a flag together. A reader that sees the
// flag has the data, so that one access to L2 is enough, without a fence or an atomic.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

#include <cstddef>

namespace triptych::reduction {

// Draws a ticket from the counter of the grid, which wraps to zero after `count` draws. Earlier writes of
// this thread are visible to the threads that draw later.
__device__ __forceinline__ unsigned draw_ticket(std::uint32_t* counter, unsigned count) {
  unsigned ticket;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(ticket)
               : "l"(counter), "r"(count - 1)
               : "memory");
  return ticket;
}

// The index of the first flagged word among the zeroed words of a Workspace; the words before it are tickets.
inline constexpr int flagged_words_offset = 1024;

// From all blocks to one collector. Each 32-bit word of a value is sent in a 64-bit word whose upper half is
// the flag. All words are zero between launches; the collector resets them to zero.
template <class V>
struct CollectorExchange {
  static constexpr int words = (sizeof(V) + 3) / 4;
  std::uint64_t* word;
  int slots;  // values

  static std::size_t bytes(int slots) { return std::size_t(slots) * words * sizeof(std::uint64_t); }

  __device__ __forceinline__ std::uint64_t* at(int slot, int k) const {
    return word + std::int64_t{k} * slots + slot;
  }

  __device__ __forceinline__ void send(int slot, const V& value) const {
    unsigned part[words] = {};
    memcpy(part, &value, sizeof(V));
#pragma unroll
    for (int k = 0; k < words; ++k) {
      const std::uint64_t flagged = (std::uint64_t{1} << 32) | part[k];
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at(slot, k)), "l"(flagged) : "memory");
    }
  }

  // Waits for the values of the Count slots first, first + step, ..., as far as they exist. All loads are in
  // flight together.
  template <int Count>
  __device__ __forceinline__ void receive(int first, int step, V (&value)[Count]) const {
    std::uint64_t flagged[Count][words];
    bool complete;
    do {
      complete = true;
#pragma unroll
      for (int c = 0; c < Count; ++c) {
        const int slot = first + c * step;
#pragma unroll
        for (int k = 0; k < words; ++k) {
          flagged[c][k] = std::uint64_t{1} << 32;
          if (slot < slots)
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                         : "=l"(flagged[c][k])
                         : "l"(at(slot, k))
                         : "memory");
        }
      }
#pragma unroll
      for (int c = 0; c < Count; ++c) {
#pragma unroll
        for (int k = 0; k < words; ++k) complete &= (flagged[c][k] >> 32) != 0;
      }
    } while (!complete);
#pragma unroll
    for (int c = 0; c < Count; ++c) {
      unsigned part[words];
#pragma unroll
      for (int k = 0; k < words; ++k) {
        part[k] = static_cast<unsigned>(flagged[c][k]);
        if (first + c * step < slots) *at(first + c * step, k) = 0;
      }
      memcpy(&value[c], part, sizeof(V));
    }
  }
};

// One warp combines the values of all slots; the result is valid in lane 0. Order: lane i combines the slots
// i, i + 32, ..., then the lanes as warp_reduce<32>.
template <class M>
__device__ __forceinline__ typename M::Value collect(const CollectorExchange<typename M::Value>& exchange,
                                                     M monoid) {
  constexpr int in_flight = sizeof(typename M::Value) <= 8 ? 4 : 2;
  typename M::Value v = monoid.identity();
  for (int slot = threadIdx.x % 32; slot < exchange.slots; slot += 32 * in_flight) {
    typename M::Value part[in_flight];
    exchange.template receive<in_flight>(slot, 32, part);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      if (slot + 32 * u < exchange.slots) v = monoid(v, part[u]);
    }
  }
  return warp_reduce<32>(v, monoid);
}

// From all blocks to all blocks, repeatedly, for a grid whose blocks are resident together (a cooperative
// launch). A word of 16 bytes holds three floats and a tag. The tag increases with every exchange and is
// never reset, so that an old word is not taken for a new one. Two successive exchanges use two sets of
// words, since a fast block may send its next words before a slow block has read these. All blocks add up the
// same words in the same order and get the same bits. Needs compute capability 7.0.
//
// Words: the number of words per block. Groups: the number of threads that share the sum over the blocks of a
// word.
template <int Words, int Groups>
struct AllToAllExchange {
  static constexpr int share_count = Groups * Words;
  uint4* word;  // [blocks][Words]
  int blocks;

  __device__ __forceinline__ static uint4 load(const uint4* from) {
    unsigned long long low, high;
    asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(low), "=l"(high)
                 : "l"(from)
                 : "memory");
    return make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32),
                      static_cast<unsigned>(high), static_cast<unsigned>(high >> 32));
  }
  __device__ __forceinline__ static void store(uint4* to, uint4 value) {
    const unsigned long long low = static_cast<unsigned long long>(value.y) << 32 | value.x;
    const unsigned long long high = static_cast<unsigned long long>(value.w) << 32 | value.z;
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(to),
                 "l"(low), "l"(high)
                 : "memory");
  }

  // Called by one thread: sends word k of this block.
  __device__ __forceinline__ void send(int block, int k, float3 values, std::uint32_t tag) const {
    store(word + static_cast<std::int64_t>(block) * Words + k,
          make_uint4(__float_as_uint(values.x), __float_as_uint(values.y), __float_as_uint(values.z), tag));
  }

  // Called by thread t < Groups * Words: waits for word t % Words of the blocks g, g + Groups, ... (g = t /
  // Words) and adds them up in that order.
  __device__ __forceinline__ float3 receive_share(int t, std::uint32_t tag) const {
    const int k = t % Words, group = t / Words;
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (int first = group; first < blocks; first += 4 * Groups) {
      uint4 got[4];
      bool complete;
      do {  // polling only the missing words was measured to be slower
        complete = true;
#pragma unroll
        for (int u = 0; u < 4; ++u) {
          const int i = first + u * Groups;
          got[u] =
              i < blocks ? load(word + static_cast<std::int64_t>(i) * Words + k) : make_uint4(0, 0, 0, tag);
        }
#pragma unroll
        for (int u = 0; u < 4; ++u) complete = complete && got[u].w == tag;
      } while (!complete);
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        x += __uint_as_float(got[u].x);
        y += __uint_as_float(got[u].y);
        z += __uint_as_float(got[u].z);
      }
    }
    return make_float3(x, y, z);
  }

  // Called by all threads of the block, at least Groups * Words: waits for the words of all blocks with this
  // tag and calls use(k, total of word k) in thread k. shares: shared memory. Ends with a barrier.
  template <class Use>
  __device__ __forceinline__ void receive(int t, std::uint32_t tag, float4 (&shares)[share_count],
                                          const Use& use) const {
    if (t < share_count) {
      const float3 share = receive_share(t, tag);
      shares[t] = make_float4(share.x, share.y, share.z, 0.0f);
    }
    __syncthreads();
    if (t < Words) {
      float4 total = shares[t];
#pragma unroll
      for (int i = 1; i < Groups; ++i) {
        const float4 more = shares[i * Words + t];
        total.x += more.x;
        total.y += more.y;
        total.z += more.z;
      }
      use(t, make_float3(total.x, total.y, total.z));
    }
    __syncthreads();
  }
};

}  // namespace triptych::reduction
