// Warp collectives: shuffles, sums, minima and maxima, scans over the 32 lanes of a warp. For .cu files.
//
// All lanes of the warp must call a function, unless it has the parameter `members`, the mask of the calling
// lanes. Integer results do not depend on the order. Float results follow the stated order, and so have the
// same bits in every run and on every GPU.
#pragma once

#include <triptych/reduction/monoid.hpp>

#include <cub/warp/warp_scan.cuh>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace triptych::reduction {

inline constexpr unsigned all_lanes = 0xffffffffu;

namespace detail {

// Moves a trivially copyable value between lanes, 32 bits at a time.
template <class V, class Move>
__device__ __forceinline__ V move_words(const V& value, Move move) {
  static_assert(std::is_trivially_copyable_v<V>);
  constexpr int words = (sizeof(V) + 3) / 4;
  unsigned word[words] = {};
  memcpy(word, &value, sizeof(V));
#pragma unroll
  for (int k = 0; k < words; ++k) word[k] = move(word[k]);
  V result;
  memcpy(&result, word, sizeof(V));
  return result;
}

}  // namespace detail

// ---- exchange

// The value of lane (this lane xor distance).
template <class V>
__device__ __forceinline__ V shuffle_xor(const V& value, int distance, unsigned members = all_lanes) {
  if constexpr (std::is_arithmetic_v<V>) {
    return __shfl_xor_sync(members, value, distance);
  } else {
    return detail::move_words(value, [=](unsigned w) { return __shfl_xor_sync(members, w, distance); });
  }
}

// The value of the lane `distance` above.
template <class V>
__device__ __forceinline__ V shuffle_down(const V& value, int distance) {
  return detail::move_words(value, [=](unsigned w) { return __shfl_down_sync(all_lanes, w, distance); });
}

// The value of one lane, in all lanes.
template <class V>
__device__ __forceinline__ V broadcast(const V& value, int lane = 0) {
  return detail::move_words(value, [=](unsigned w) { return __shfl_sync(all_lanes, w, lane); });
}

// A word that has the same value in all lanes, in a form that the compiler can keep in a uniform register.
__device__ __forceinline__ unsigned warp_uniform(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(all_lanes, v);
#else
  return __shfl_sync(all_lanes, v, 0);
#endif
}

// ---- reduce

// Combines the first Lanes lanes (a power of two); the result is valid in lane 0. Order: lane i with i +
// Lanes / 2, then i + Lanes / 4, ... i + 1. An exact monoid may have a static member warp_reduce<Lanes>,
// which replaces the shuffles.
template <int Lanes, class M>
__device__ __forceinline__ typename M::Value warp_reduce(typename M::Value v, M monoid) {
  if constexpr (requires { M::template warp_reduce<Lanes>(v); }) {
    static_assert(M::exact, "only an exact monoid may choose its own order");
    return M::template warp_reduce<Lanes>(v);
  } else {
#pragma unroll
    for (int offset = Lanes / 2; offset > 0; offset /= 2) v = monoid(v, shuffle_down(v, offset));
    return v;
  }
}

// Combines all lanes; the result is valid in all lanes. Order: lane i with i ^ 16, then i ^ 8, ... i ^ 1.
template <class V, class Combine>
__device__ __forceinline__ V warp_all_reduce(V v, Combine combine) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) v = combine(v, shuffle_xor(v, offset));
  return v;
}

// Sums, valid in all lanes. Floats in the order of warp_all_reduce; integers modulo 2^bits.
__device__ __forceinline__ float warp_sum(float v) { return warp_all_reduce(v, Sum<float>{}); }
__device__ __forceinline__ double warp_sum(double v) { return warp_all_reduce(v, Sum<double>{}); }
__device__ __forceinline__ unsigned warp_sum(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all_lanes, v);
#else
  return warp_all_reduce(v, Sum<unsigned>{});
#endif
}
__device__ __forceinline__ int warp_sum(int v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all_lanes, v);
#else
  return warp_all_reduce(v, Sum<int>{});
#endif
}

// The sum of 64-bit integers below 2^bits modulo 2^64, valid in all lanes. From compute capability 8.0 by two
// or three 32-bit reductions of digits that are narrow enough for 32 lanes.
template <int bits>
__device__ __forceinline__ std::uint64_t warp_sum_bits(std::uint64_t v) {
  static_assert(bits > 27 && bits <= 64);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  constexpr int digits = (bits + 26) / 27, width = (bits + digits - 1) / digits;
  constexpr unsigned mask = (1u << width) - 1;
  std::uint64_t sum = 0;
#pragma unroll
  for (int k = 0; k < digits; ++k) {
    const auto digit = static_cast<unsigned>(v >> (k * width));
    sum += std::uint64_t{warp_sum(k + 1 < digits ? digit & mask : digit)} << (k * width);
  }
  return sum;
#else
  return warp_all_reduce(v, Sum<std::uint64_t>{});
#endif
}
__device__ __forceinline__ std::uint64_t warp_sum(std::uint64_t v) { return warp_sum_bits<64>(v); }

// The same sum as a monoid, for warp_reduce and for the exchange between blocks.
struct SumWords {
  using Value = std::uint64_t;
  static constexpr bool exact = true;
  __device__ std::uint64_t identity() const { return 0; }
  __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  template <int Lanes>
  requires(Lanes == 32) __device__ static std::uint64_t warp_reduce(std::uint64_t v) { return warp_sum(v); }
#endif
};

// The sum over each aligned group of Lanes lanes (2, 4, 8 or 16), valid in all lanes of the group. Order:
// lane i with i ^ 1, then i ^ 2, ...
template <int Lanes, class V>
__device__ __forceinline__ V group_sum(V v, unsigned members = all_lanes) {
#pragma unroll
  for (int offset = 1; offset < Lanes; offset *= 2) v += shuffle_xor(v, offset, members);
  return v;
}

// Maximum and minimum, valid in all lanes. NaNs are ignored; the result of only NaNs is NaN.
__device__ __forceinline__ float warp_max(float v) { return warp_all_reduce(v, Max<float>{}); }
__device__ __forceinline__ float warp_min(float v) { return warp_all_reduce(v, Min<float>{}); }
__device__ __forceinline__ double warp_max(double v) {
  return warp_all_reduce(v, [](double a, double b) { return fmax(a, b); });
}
__device__ __forceinline__ unsigned warp_min(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(all_lanes, v);
#else
  return warp_all_reduce(v, Min<unsigned>{});
#endif
}
__device__ __forceinline__ unsigned warp_max(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(all_lanes, v);
#else
  return warp_all_reduce(v, Max<unsigned>{});
#endif
}

// The smallest value and its index, valid in all lanes; the lowest index of equal values.
template <Number T>
__device__ __forceinline__ Indexed<T> warp_arg_min(Indexed<T> v) {
  if (detail::is_nan(v.value)) v = ArgMin<T>{}.identity();
  return warp_all_reduce(v, ArgMin<T>{});
}

// ---- scan

// The inclusive prefix sum over the lanes, by CUB.
template <class T>
__device__ __forceinline__ T warp_inclusive_sum(T v) {
  using Scan = cub::WarpScan<T>;
  typename Scan::TempStorage unused;  // a whole warp uses shuffles only
  T sum;
  Scan(unused).InclusiveSum(v, sum);
  return sum;
}

// ---- several sums

// The sums of Rows rows of floats over the lanes, with about 2 * Rows + log2(32 / Rows) shuffles instead of
// 5 * Rows: in each step a lane keeps one half of its rows and sends the other half. Rows is 1 to 9. Order of
// a row: lane i with i ^ 16, i ^ 8, ... i ^ 1.
template <int Rows>
class WarpRowSums {
 public:
  // lane: the lane of the calling thread.
  __device__ __forceinline__ explicit WarpRowSums(const float (&value)[Rows],
                                                  int lane = static_cast<int>(threadIdx.x % 32)) {
    float rows[folded];
#pragma unroll
    for (int i = 0; i < folded; ++i) rows[i] = i < Rows ? value[i] : 0.0f;
#pragma unroll
    for (int k = folded / 2, offset = 16; k >= 1; k >>= 1, offset >>= 1) {
      const bool upper = (lane & offset) != 0;
#pragma unroll
      for (int i = 0; i < k; ++i) {
        const float keep = upper ? rows[i + k] : rows[i], send = upper ? rows[i] : rows[i + k];
        rows[i] = keep + shuffle_xor(send, offset);
      }
    }
#pragma unroll
    for (int offset = 16 / folded; offset > 0; offset >>= 1) rows[0] += shuffle_xor(rows[0], offset);
    row_of_lane_ = rows[0];
    if constexpr (Rows > folded) {
      static_assert(Rows == folded + 1);
      last_ = warp_sum(value[folded]);
    }
  }

  // The sum of row r, which may differ between lanes; 0 for r >= Rows. All lanes must call.
  __device__ __forceinline__ float operator[](int r) const {
    const int from =
        folded == 8 ? (r >> 2 & 1) * 16 + (r >> 1 & 1) * 8 + (r & 1) * 4 : (r >> 1 & 1) * 16 + (r & 1) * 8;
    const float sum = __shfl_sync(all_lanes, row_of_lane_, from);
    return r < folded && r < Rows ? sum : r < Rows ? last_ : 0.0f;
  }

 private:
  static constexpr int folded = Rows <= 5 ? 4 : 8;
  static_assert(Rows >= 1 && Rows <= 9);
  float row_of_lane_;
  float last_ = 0.0f;
};

}  // namespace triptych::reduction
