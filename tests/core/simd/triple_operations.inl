// The dot products of `count` triples, a multiple of 16, for one instruction set: see byte_triples_test.cpp.

using Triples = simd::ByteTriples<Set>;
using Dot = simd::TripleDot<Set>;

TRIPTYCH_SIMD_TARGET inline void dots(Layout layout, const std::uint8_t* p, const std::uint8_t* q, int count,
                                      const std::int32_t (&c)[4], std::int32_t* out) {
  const Dot dot(typename Dot::Factors{c[0], c[1], c[2], c[3]});
  for (int i = 0; i < count; i += Triples::lanes) {
    const Triples triples = layout == Layout::three  ? Triples::load_3(p + 3 * i)
                            : layout == Layout::four ? Triples::load_4(p + 4 * i)
                            : layout == Layout::yuyv ? Triples::load_422(p + 2 * i)
                                                     : Triples::load_420(p + i, q + i);
    const typename Dot::Sums sums = dot(triples);
    for (int k = 0; k < Dot::packs; ++k) sums.pack[k].store(out + i + k * (Triples::lanes / Dot::packs));
  }
}
