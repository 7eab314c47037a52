// Tuning without a GPU: the fastest candidate wins, is remembered, and stands for zeros.
#include <triptych/capsule_likelihood/tune.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include "likelihood/tuned_options.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

bool same(const EvaluateOptions& a, const EvaluateOptions& b) {
  return a.method == b.method && a.points_per_block == b.points_per_block &&
         a.samples_per_launch == b.samples_per_launch;
}

TEST(Tune, TheFastestWinsAndIsNotMeasuredAgain) {
  const test::TemporaryDirectory directory;
  for (const Method method : {Method::culled, Method::brute, Method::tiled}) {
    const std::vector<EvaluateOptions> candidates = evaluate_candidates(method);
    ASSERT_GT(candidates.size(), 2u);
    reduction::TuningCache cache(directory / "tuning.json");
    int measured = 0;
    const auto measure = [&](const EvaluateOptions& options) {
      ++measured;
      if (same(options, candidates[0])) throw Unavailable("not here");
      return same(options, candidates[2]) ? 1.0 : 2.0;
    };
    EXPECT_TRUE(same(tune_evaluate(cache, "a GPU", method, 2000, 40, 50000, measure), candidates[2]));
    EXPECT_EQ(measured, static_cast<int>(candidates.size()));
    cache.save();
    reduction::TuningCache again(directory / "tuning.json");
    EXPECT_TRUE(same(tune_evaluate(again, "a GPU", method, 1999, 41, 49999, measure), candidates[2]));
    EXPECT_EQ(measured, static_cast<int>(candidates.size()));
    // another GPU or size class is another matter
    tune_evaluate(again, "another", method, 2000, 40, 50000, measure);
    tune_evaluate(again, "a GPU", method, 20, 40, 50000, measure);
    EXPECT_EQ(measured, 3 * static_cast<int>(candidates.size()));
  }
}

TEST(Tune, AnEntryThatIsNoCandidateIsMeasuredAnew) {
  reduction::TuningCache cache;
  cache.remember("a GPU", size_class(Method::brute, 1, 1, 1), "7 points a block, 0 samples a launch");
  int measured = 0;
  tune_evaluate(cache, "a GPU", Method::brute, 1, 1, 1, [&](const EvaluateOptions&) { return ++measured; });
  EXPECT_GT(measured, 0);
}

TEST(Tune, ACacheIsTrustedForItsDeviceClassAndCandidates) {
  reduction::TuningCache cache;
  const std::string here = size_class(Method::culled, 2000, 40, 50000);
  tune_evaluate(cache, "a GPU", Method::culled, 2000, 40, 50000,
                [](const EvaluateOptions& o) { return o.points_per_block == 64 ? 1.0 : 2.0; });
  const auto known = known_options(cache, "a GPU", here, Method::culled);
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->points_per_block, 64);
  EXPECT_FALSE(known_options(cache, "another", here, Method::culled).has_value());
  EXPECT_FALSE(known_options(cache, "a GPU", here, Method::brute).has_value());
  cache.remember("a GPU", here, "65 points a block, 0 samples a launch");
  EXPECT_FALSE(known_options(cache, "a GPU", here, Method::culled).has_value());
}

TEST(Tune, WhatIsRememberedStandsForZeros) {
  const std::string here = size_class(Method::culled, 70000, 3, 9);
  EXPECT_TRUE(same(with_remembered(5, here, {}), {}));
  remember_options(5, here, {Method::culled, 512, 64});
  EXPECT_TRUE(same(with_remembered(5, here, {}), {Method::culled, 512, 64}));
  EXPECT_TRUE(same(with_remembered(5, here, {Method::culled, 7, 0}), {Method::culled, 7, 64}));
  EXPECT_TRUE(same(with_remembered(6, here, {}), {}));
  EXPECT_TRUE(same(with_remembered(5, size_class(Method::culled, 1, 3, 9), {}), {}));
}

}  // namespace
}  // namespace triptych::capsule_likelihood
