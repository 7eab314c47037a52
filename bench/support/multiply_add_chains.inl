// Included once for each instruction set: see core/simd/for_each_set.hpp.

// Chains of multiply-adds, enough to fill four units of a latency of four cycles; AVX2 has two such units and
// sixteen registers.
TRIPTYCH_SIMD_TARGET inline FmaChains multiply_add_chains(std::int64_t rounds) {
  using Floats = simd::Pack<float, Set>;
  constexpr int chains = Floats::lanes == 8 ? 12 : 16;
  Floats sums[chains];
  for (int k = 0; k < chains; ++k) sums[k] = Floats::all(static_cast<float>(k));
  const Floats factor = Floats::all(0.999f), term = Floats::all(0.001f);
  for (std::int64_t r = 0; r < rounds; ++r) {
    for (int k = 0; k < chains; ++k) sums[k] = multiply_add(factor, term, sums[k]);
  }
  for (int k = 1; k < chains; ++k) sums[0] = sums[0] + sums[k];
  float lanes[Floats::lanes];
  sums[0].store(lanes);
  return {lanes[0], 2.0 * static_cast<double>(rounds) * chains * Floats::lanes};
}
