// Includes the file TRIPTYCH_SIMD_SOURCE once for each instruction set of this build, inside the namespaces
// plain, avx2, avx512 and neon of the including scope. The file uses the tag Set and puts
// TRIPTYCH_SIMD_TARGET before each function that uses packs; lambdas cannot use packs. Define
// TRIPTYCH_SIMD_BYTE_TRIPLES before the inclusion for kernels over byte_triples.hpp.
//
// TRIPTYCH_SIMD_CHOOSE(path, name) then selects `name` of the namespace of a CpuPath other than simd.
#if defined(TRIPTYCH_SIMD_SOURCE)

namespace plain {
using Set = ::triptych::simd::Plain;
#define TRIPTYCH_SIMD_TARGET
#include TRIPTYCH_SIMD_SOURCE
#undef TRIPTYCH_SIMD_TARGET
}  // namespace plain

#undef TRIPTYCH_SIMD_CHOOSE
#if defined(__x86_64__)
namespace avx2 {
using Set = ::triptych::simd::Avx2;
#define TRIPTYCH_SIMD_TARGET TRIPTYCH_TARGET_AVX2
#include TRIPTYCH_SIMD_SOURCE
#undef TRIPTYCH_SIMD_TARGET
}  // namespace avx2

namespace avx512 {
using Set = ::triptych::simd::Avx512;
#if defined(TRIPTYCH_SIMD_BYTE_TRIPLES)
#define TRIPTYCH_SIMD_TARGET TRIPTYCH_TARGET_AVX512_VNNI
#else
#define TRIPTYCH_SIMD_TARGET TRIPTYCH_TARGET_AVX512
#endif
#include TRIPTYCH_SIMD_SOURCE
#undef TRIPTYCH_SIMD_TARGET
}  // namespace avx512
#define TRIPTYCH_SIMD_CHOOSE(path, name)                \
  ((path) == ::triptych::CpuPath::avx512 ? avx512::name \
   : (path) == ::triptych::CpuPath::avx2 ? avx2::name   \
                                         : plain::name)

#elif defined(__aarch64__)
namespace neon {
using Set = ::triptych::simd::Neon;
#define TRIPTYCH_SIMD_TARGET
#include TRIPTYCH_SIMD_SOURCE
#undef TRIPTYCH_SIMD_TARGET
}  // namespace neon
#define TRIPTYCH_SIMD_CHOOSE(path, name) ((path) == ::triptych::CpuPath::neon ? neon::name : plain::name)

#else
#define TRIPTYCH_SIMD_CHOOSE(path, name) (plain::name)
#endif

#undef TRIPTYCH_SIMD_SOURCE
#undef TRIPTYCH_SIMD_BYTE_TRIPLES
#endif
