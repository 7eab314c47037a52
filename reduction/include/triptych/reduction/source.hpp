// Sources: the contribution of element i of an index range to the accumulator; for host and device.
//
// A source is any struct with `Value operator()(std::int64_t i) const`. A source that also has packs is read
// 16 bytes at a time by the fast strategies:
//   static constexpr int pack_size;                 elements per pack
//   using Pack = ...;                               the registers of one pack
//   bool aligned() const;                           whether load_aligned may be used
//   Pack load_aligned(std::int64_t first) const;    one 16-byte load; first is a multiple of pack_size
//   Pack load_once(std::int64_t first) const;       optional: for data that need not stay in a cache
//   Pack load(std::int64_t first) const;            the same from any address
//   Value fold(Pack, std::int64_t first, M) const;  combines the elements of a pack in a fixed order
// The order of combination depends on the indices alone, not on the address, so that the bits of a float sum
// do not depend on the alignment of the array.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/reduction/monoid.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>

namespace triptych::reduction {

template <class S, class Value>
concept Source = requires(const S& s, std::int64_t i) {
  { s(i) } -> std::convertible_to<Value>;
};

template <class S>
concept PackedSource = requires(const S& s, std::int64_t i) {
  { S::pack_size } -> std::convertible_to<int>;
  { s.aligned() } -> std::convertible_to<bool>;
  { s.load(i) } -> std::same_as<typename S::Pack>;
  { s.load_aligned(i) } -> std::same_as<typename S::Pack>;
};

template <class T, int N>
struct Pack {
  T element[N];
};

namespace detail {

template <class T>
inline constexpr int pack_of = sizeof(T) <= 16 && 16 % sizeof(T) == 0 ? int(16 / sizeof(T)) : 1;

TRIPTYCH_HD inline bool is_16_byte_aligned(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

// A pack in one 16-byte load, by the read-only path: the data must not change while the kernel runs.
template <class T, int N>
TRIPTYCH_HD inline Pack<T, N> load_16_bytes(const T* p) {
  Pack<T, N> pack;
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Pack<T, N>) == 16) {
    unsigned word[4];
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "l"(p));
    memcpy(&pack, word, 16);
  } else {
    memcpy(&pack, p, sizeof(pack));
  }
#else
  std::memcpy(&pack, p, sizeof(pack));
#endif
  return pack;
}

// The same for data that need not stay in a cache. The hint names L1 alone, but an H200 also evicts such data
// first from L2 (docs/method.md).
template <class T, int N>
TRIPTYCH_HD inline Pack<T, N> load_16_bytes_once(const T* p) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Pack<T, N>) == 16) {
    Pack<T, N> pack;
    unsigned word[4];
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "l"(p));
    memcpy(&pack, word, 16);
    return pack;
  }
#endif
  return load_16_bytes<T, N>(p);
}

// Combines N values in a balanced tree: a short dependency chain and a small rounding error.
template <int N, class M>
TRIPTYCH_HD inline typename M::Value combine_tree(typename M::Value (&v)[N], M monoid) {
  TRIPTYCH_UNROLL
  for (int width = 1; width < N; width *= 2) {
    TRIPTYCH_UNROLL
    for (int k = 0; k + width < N; k += 2 * width) v[k] = monoid(v[k], v[k + width]);
  }
  return v[0];
}

}  // namespace detail

// A mapped array: element i contributes map(data[i], i).
template <class T, class Map>
struct MappedArray {
  static constexpr int pack_size = detail::pack_of<T>;
  using Pack = reduction::Pack<T, pack_size>;

  const T* data;
  Map map;

  TRIPTYCH_HD auto operator()(std::int64_t i) const { return map(data[i], i); }
  TRIPTYCH_HD bool aligned() const { return detail::is_16_byte_aligned(data); }
  TRIPTYCH_HD Pack load_aligned(std::int64_t first) const {
    return detail::load_16_bytes<T, pack_size>(data + first);
  }
  TRIPTYCH_HD Pack load_once(std::int64_t first) const {
    return detail::load_16_bytes_once<T, pack_size>(data + first);
  }
  TRIPTYCH_HD Pack load(std::int64_t first) const {
    Pack pack;
    for (int k = 0; k < pack_size; ++k) pack.element[k] = data[first + k];
    return pack;
  }
  template <class M>
  TRIPTYCH_HD typename M::Value fold(const Pack& pack, std::int64_t first, M monoid) const {
    typename M::Value v[pack_size];
    TRIPTYCH_UNROLL
    for (int k = 0; k < pack_size; ++k) v[k] = map(pack.element[k], first + k);
    return detail::combine_tree(v, monoid);
  }
};

// The product of two arrays of equal length: element i contributes A(a[i]) * A(b[i]).
template <class T, class A>
struct ProductOfArrays {
  static constexpr int pack_size = detail::pack_of<T>;
  struct Pack {
    reduction::Pack<T, pack_size> a, b;
  };

  const T* a;
  const T* b;

  TRIPTYCH_HD A operator()(std::int64_t i) const { return multiply(a[i], b[i]); }
  TRIPTYCH_HD bool aligned() const { return detail::is_16_byte_aligned(a) && detail::is_16_byte_aligned(b); }
  TRIPTYCH_HD Pack load_aligned(std::int64_t first) const {
    return {detail::load_16_bytes<T, pack_size>(a + first), detail::load_16_bytes<T, pack_size>(b + first)};
  }
  TRIPTYCH_HD Pack load_once(std::int64_t first) const {
    return {detail::load_16_bytes_once<T, pack_size>(a + first),
            detail::load_16_bytes_once<T, pack_size>(b + first)};
  }
  TRIPTYCH_HD Pack load(std::int64_t first) const {
    Pack pack;
    for (int k = 0; k < pack_size; ++k) pack.a.element[k] = a[first + k], pack.b.element[k] = b[first + k];
    return pack;
  }
  template <class M>
  TRIPTYCH_HD A fold(const Pack& pack, std::int64_t, M monoid) const {
    A v[pack_size];
    TRIPTYCH_UNROLL
    for (int k = 0; k < pack_size; ++k) v[k] = multiply(pack.a.element[k], pack.b.element[k]);
    return detail::combine_tree(v, monoid);
  }

 private:
  TRIPTYCH_HD static A multiply(T x, T y) {
    if constexpr (std::is_integral_v<A>) {
      using U = std::make_unsigned_t<A>;
      return static_cast<A>(static_cast<U>(x) * static_cast<U>(y));
    } else {
      return static_cast<A>(x) * static_cast<A>(y);
    }
  }
};

// The maps of the operations of reduce.hpp.
template <Number A>
struct Convert {
  template <Number T>
  TRIPTYCH_HD A operator()(T v, std::int64_t) const {
    return static_cast<A>(v);
  }
};

// A NaN becomes the identity of the monoid, so that it is ignored.
template <class ArgMonoid>
struct WithIndex {
  template <Number T>
  TRIPTYCH_HD Indexed<T> operator()(T v, std::int64_t i) const {
    if (detail::is_nan(v)) return ArgMonoid{}.identity();
    return {v, i};
  }
};

struct AsMoments {
  template <Number T>
  TRIPTYCH_HD Moments operator()(T v, std::int64_t) const {
    return {1, static_cast<double>(v), 0};
  }
};

}  // namespace triptych::reduction
