// Tags of the instruction sets of packs, and the attribute that a function over the packs of a set needs. A
// build compiles for all sets; dispatch.hpp lists those that the machine supports.
#pragma once

#define TRIPTYCH_SIMD_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define TRIPTYCH_TARGET_AVX2 __attribute__((target("avx2,fma,f16c")))
#define TRIPTYCH_TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx2,fma")))
#define TRIPTYCH_TARGET_AVX512_VNNI \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#endif

namespace triptych::simd {

struct Plain {};     // one element, on every machine
struct Baseline {};  // 16 bytes, needs no attribute: SSE2 on x86_64, NEON on aarch64
struct Avx2 {};      // 32 bytes, with fused multiply-adds and conversion of halves
struct Avx512 {};    // 64 bytes; byte_triples.hpp needs VNNI in addition
#if defined(__aarch64__)
using Neon = Baseline;
#endif

// `lanes` elements of type T in a register of the set.
template <class T, class Set>
struct Pack;

// One boolean per lane, the result of a comparison of packs of floats.
template <class Set>
struct Mask;

// Triples of bytes, and their dot product with three integers: byte_triples.hpp.
template <class Set>
struct ByteTriples;
template <class Set>
struct TripleDot;

}  // namespace triptych::simd
