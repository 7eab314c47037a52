// Atomic combination into one address that many threads share. For .cu files.
#pragma once

#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/monoid.hpp>

#include <type_traits>

namespace triptych::reduction::detail {

template <class M>
inline constexpr bool is_plain_sum = false;
template <Number A>
inline constexpr bool is_plain_sum<Sum<A>> = sizeof(A) == 4 || sizeof(A) == 8;

template <class M>
concept HasAtomic = requires(typename M::Value* address, typename M::Value v) {
  M::atomic(address, v);
};

template <class M>
inline constexpr bool fits_compare_and_swap = (sizeof(typename M::Value) == 4 &&
                                               alignof(typename M::Value) >= 4) ||
                                              (sizeof(typename M::Value) == 8 &&
                                               alignof(typename M::Value) >= 8);

// *address = monoid(*address, v) by compare-and-swap, repeated until no other thread has written in between.
template <class M>
__device__ void combine_by_swap(typename M::Value* address, typename M::Value v, M monoid) {
  using Value = typename M::Value;
  using Word = std::conditional_t<sizeof(Value) == 4, unsigned, unsigned long long>;
  auto* word = reinterpret_cast<Word*>(address);
  Word seen = atomicCAS(word, Word{0}, Word{0});
  for (;;) {
    Value old;
    memcpy(&old, &seen, sizeof(Value));
    const Value combined = monoid(old, v);
    Word wanted;
    memcpy(&wanted, &combined, sizeof(Value));
    if (wanted == seen) return;
    const Word found = atomicCAS(word, seen, wanted);
    if (found == seen) return;
    seen = found;
  }
}

// The same for values that are too large to swap: the lanes of a warp combine first, then one of them
// acquires the lock.
template <class M>
__device__ void combine_under_lock(typename M::Value* address, typename M::Value v, M monoid,
                                   std::uint32_t* lock) {
  using Value = typename M::Value;
  static_assert(sizeof(Value) % 4 == 0,
                "the size of an accumulator without an atomic must be a multiple of 4 bytes");
  v = warp_reduce<32>(v, monoid);
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(lock, 0u, 1u) != 0u) __nanosleep(64);
  __threadfence();
  auto* shared_word = reinterpret_cast<volatile unsigned*>(address);
  unsigned word[sizeof(Value) / 4];
  for (int k = 0; k < int(sizeof(Value) / 4); ++k) word[k] = shared_word[k];
  Value old;
  memcpy(&old, word, sizeof(Value));
  const Value combined = monoid(old, v);
  memcpy(word, &combined, sizeof(Value));
  for (int k = 0; k < int(sizeof(Value) / 4); ++k) shared_word[k] = word[k];
  __threadfence();
  atomicExch(lock, 0u);
}

template <class M>
inline constexpr bool combines_atomically = HasAtomic<M> || is_plain_sum<M> || fits_compare_and_swap<M>;

// *address = monoid(*address, v) by an atomic instruction or compare-and-swap; for monoids that have one.
template <class M>
__device__ void combine_by_instruction(typename M::Value* address, typename M::Value v, M monoid) {
  if constexpr (HasAtomic<M>) {
    M::atomic(address, v);
  } else if constexpr (is_plain_sum<M>) {
    using Value = typename M::Value;
    if constexpr (std::is_floating_point_v<Value>) {
      atomicAdd(address, v);
    } else if constexpr (sizeof(Value) == 4) {
      atomicAdd(reinterpret_cast<unsigned*>(address), static_cast<unsigned>(v));
    } else {
      atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(v));
    }
  } else {
    combine_by_swap(address, v, monoid);
  }
}

// In global memory. All 32 lanes must call; a lane without a value passes the identity. *lock is 0 before and
// after.
template <class M>
__device__ void combine_globally(typename M::Value* address, typename M::Value v, M monoid,
                                 std::uint32_t* lock) {
  if constexpr (combines_atomically<M>) {
    combine_by_instruction(address, v, monoid);
  } else {
    combine_under_lock(address, v, monoid, lock);
  }
}

// In a word of shared memory that no thread reads before the next barrier. All threads must call. Without an
// atomic, the warps write in sequence.
template <int Threads, class M>
__device__ void combine_in_block(typename M::Value* address, typename M::Value v, M monoid) {
  if constexpr (combines_atomically<M>) {
    combine_by_instruction(address, v, monoid);
  } else {
    v = warp_reduce<32>(v, monoid);
    for (int warp = 0; warp < Threads / 32; ++warp) {
      if (threadIdx.x == 32 * warp) *address = monoid(*address, v);
      __syncthreads();
    }
  }
}

}  // namespace triptych::reduction::detail
