// Triples of bytes, such as pixels, and their dot product with three integers.
//
// ByteTriples<Set>         `lanes` triples b0 b1 b2; a load reads only the stated bytes:
//   load_3(p)                b0 b1 b2 contiguous: 3 lanes bytes
//   load_4(p)                b0 b1 b2 and a byte that is ignored: 4 lanes bytes
//   load_422(p)              b0 b1 b0' b2 for two triples that share b1 and b2 (YUYV): 2 lanes bytes
//   load_420(p, q)           b0 at p; b1 b2 for two triples at q (NV12): lanes bytes each
// TripleDot<Set>           made of TripleDot<Set>::Factors(c0, c1, c2, offset), which any function can make
//   operator()(triples)      c0 b0 + c1 b1 + c2 b2 + offset for each triple, modulo 2^32, in lanes order in
//                            `packs` packs of int32; |c| is at most 127 (1 + 2^8 + 2^16)
// AVX-512 needs VNNI: TRIPTYCH_TARGET_AVX512_VNNI, available_byte_triple_paths().
#pragma once

#include <triptych/core/simd/byte_triples_avx2.hpp>
#include <triptych/core/simd/byte_triples_avx512.hpp>
#include <triptych/core/simd/byte_triples_neon.hpp>
#include <triptych/core/simd/byte_triples_plain.hpp>
