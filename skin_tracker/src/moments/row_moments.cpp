// row_moments.inl compiled for each instruction set, and the choice among them.
#include <triptych/core/simd/byte_triples.hpp>

#include <array>
#include <type_traits>

#include "moments/row_moments.hpp"

namespace triptych::skin_tracker::rows {

namespace {

#define TRIPTYCH_SIMD_SOURCE "moments/row_moments.inl"
#define TRIPTYCH_SIMD_BYTE_TRIPLES
#include <triptych/core/simd/for_each_set.hpp>

}  // namespace

ChunkMoments chunk_moments_by(CpuPath path, FrameFormat format) {
  return by_format(format,
                   [&](auto f) -> ChunkMoments { return TRIPTYCH_SIMD_CHOOSE(path, chunk_moments<f()>); });
}

}  // namespace triptych::skin_tracker::rows
