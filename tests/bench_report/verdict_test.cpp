#include <gtest/gtest.h>

#include "report/verdict.hpp"
#include "samples.hpp"

namespace triptych::report {
namespace {

using test::entry;

std::string verdict_of(std::vector<Json> entries) {
  const Results all = test::results(std::move(entries));
  return verdict(all, make_grids(all));
}

Outcome outcome_of(const Json& ours, const Json& other) {
  return compare(test::results({ours}).entries[0], test::results({other}).entries[0]).outcome;
}

TEST(Verdict, SpreadsThatOverlapAreTheSame) {
  EXPECT_EQ(outcome_of(entry("a", 10, 9, 11), entry("b", 12, 11.5, 13)), Outcome::faster);
  EXPECT_EQ(outcome_of(entry("a", 12, 11.5, 13), entry("b", 10, 9, 11)), Outcome::slower);
  EXPECT_EQ(outcome_of(entry("a", 10, 9, 11), entry("b", 12, 10.5, 13)), Outcome::same);
  EXPECT_EQ(outcome_of(entry("a", 10, 9, 11), entry("b", 12, 11, 13)), Outcome::same);
  EXPECT_EQ(outcome_of(entry("a", 10), entry("b", 10.1)), Outcome::faster);
  EXPECT_EQ(outcome_of(entry("a", 10), entry("b", 10)), Outcome::same);
  EXPECT_EQ(outcome_of(entry("a", 10), entry("b", 12, 9, 13)), Outcome::same);
}

TEST(Verdict, GeometricMeanOverTheCountedSizes) {
  // Counted: 2x at 2^14, 8x at 2^22. Not counted: 2^12 and 2^28. The mean of 2 and 8 is 4.
  const std::string text = verdict_of({
      entry("sum/float/automatic/rotating/4096", 10), entry("sum/float/peer_cub/rotating/4096", 5),
      entry("sum/float/automatic/rotating/16384", 1), entry("sum/float/peer_cub/rotating/16384", 2),
      entry("sum/float/automatic/rotating/4194304", 2), entry("sum/float/peer_cub/rotating/4194304", 16),
      entry("sum/float/automatic/rotating/268435456", 1),
      entry("sum/float/peer_cub/rotating/268435456", 1000),
      entry("sum/float/automatic/rotating/65536", 1),  // nothing to compare with
  });
  EXPECT_EQ(
      text,
      "- sum of float, rotating: automatic is **4.00x** as fast as peer_cub (geometric mean of 2 sizes, "
      "2^14 to 2^22: faster at 2, same at 0, slower at 0); its worst is 0.500x at 2^12 (slower).\n\n");
}

TEST(Verdict, WorstAloneWhereNoSizeCounts) {
  EXPECT_EQ(
      verdict_of({entry("min/float/automatic/resident/1024", 4, 3, 5),
                  entry("min/float/peer_cub/resident/1024", 4, 3, 5)}),
      "- min of float, resident: automatic against peer_cub: its worst is 1.00x at 2^10 (same: the spreads "
      "overlap).\n\n");
}

TEST(Verdict, ShareOfTheGpu) {
  // 2^28 floats in 1000 us are 1074 GB/s, of 2000 GB/s.
  EXPECT_EQ(verdict_of({entry("limit/read/gpu", 1, 2e6),
                        entry("sum/float/automatic/rotating/268435456", 1000, 1073741824.0)}),
            "- sum of float, rotating: automatic reaches **54 %** of what the GPU can read at 2^28.\n\n");
  Json own = entry("sum/float/automatic/rotating/268435456", 1000, 1073741824.0);
  own["share"] = 0.91;  // of its own run
  EXPECT_NE(verdict_of({entry("limit/read/gpu", 1, 2e6), own}).find("**91 %**"), std::string::npos);
}

TEST(Verdict, MultiplyAgainstCublas) {
  const std::string text = verdict_of({
      entry("multiply/float/plan/rotating/4x64", 2),
      entry("multiply/float/tuned/rotating/4x64", 1),
      entry("multiply/float/peer_cublas/rotating/4x64", 4),
      entry("multiply/float/plan/rotating/3x1000", 4),
      entry("multiply/float/peer_cublas/rotating/3x1000", 2),
  });
  EXPECT_NE(
      text.find(
          "plan is **1.00x** as fast as peer_cublas (geometric mean of 2 sizes: faster at 1, same at 0, "
          "slower at 1); its worst is 0.500x at 3 x 1000 (slower)."),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("tuned is **4.00x** as fast as peer_cublas (geometric mean of 1 size: "),
            std::string::npos);
}

TEST(Verdict, CpuAtTheLargestSize) {
  EXPECT_EQ(verdict_of({entry("limit/read/cpu_1", 1, 2e4), entry("limit/read/cpu_all", 1, 1e5),
                        entry("sum_cpu/float/simd/memory/1024", 1, 9e4),
                        entry("sum_cpu/float/simd/memory/4096", 1, 1e4),
                        entry("sum_cpu/float/threads/memory/1024", 1, 9e4)}),
            "- sum_cpu of float, memory: simd reaches **50 %** of what one core can read at 2^12.\n"
            "- sum_cpu of float, memory: threads reaches **90 %** of what all cores can read at 2^10.\n\n");
}

TEST(Verdict, NothingWithoutData) {
  EXPECT_EQ(verdict_of({entry("x", 1)}), "");
  EXPECT_EQ(verdict_of({entry("sum/float/automatic/rotating/1024", 1)}), "");
  EXPECT_EQ(verdict_of({entry("sum_cpu/float/simd/memory/1024", 1)}), "");
}

}  // namespace
}  // namespace triptych::report
