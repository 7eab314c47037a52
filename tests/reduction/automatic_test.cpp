// The resolution of Strategy::automatic: the committed measurements agree with the built-in choice, and a
// tuning cache overrides it by device, types and size.
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/json.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "automatic.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::reduction {
namespace {

using detail::Operation;
using detail::tuned_sum;

constexpr int float_sum = tuned_sum<float, float>;
bool yes() { return true; }
bool no() { return false; }

Operation operation(int tuned, std::int64_t bytes) {
  return {.tuned = tuned, .bytes = bytes, .exact = false, .libraries = true, .clusters = yes};
}
Strategy automatic(int device, const Operation& operation) {
  return automatic_strategy(device, Determinism::run_to_run, operation);
}

struct Environment {  // sets a variable for a scope
  Environment(const char* variable, const std::string& value) : name(variable) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { ::unsetenv(name); }
  const char* name;
};

// "sum/float/single_pass/rotating/1024/iterations:1/manual_time" -> operation/type/mode/size and strategy
TEST(Automatic, TheBuiltInChoiceIsTheFastestMeasuredOfEverySizeAndType) {
  const Json json = read_json(std::string(TRIPTYCH_BENCH_RESULTS) + "/h200/reduction_bench.json");
  std::map<std::string, std::map<Strategy, double>> times;
  for (const Json& run : json.at("benchmarks")) {
    std::istringstream name(run.at("name").get<std::string>());
    std::string operation, type, strategy, mode, size;
    for (std::string* part : {&operation, &type, &strategy, &mode, &size}) std::getline(name, *part, '/');
    const bool exact = operation == "min" || operation == "argmin" || type.starts_with("int");
    std::string what = operation;
    for (const std::string* part : {&type, &mode, &size}) what.append("/").append(*part);
    for (const Strategy s : all_strategies()) {
      if (to_string(s) == strategy && qualifies(s, exact) && run.contains("real_time") &&
          !run.contains("error_occurred"))
        times[what][s] = run.at("real_time").get<double>();
    }
  }
  int compared = 0;
  for (const auto& [what, of_strategy] : times) {
    if (!of_strategy.contains(fastest_measured)) continue;
    for (const auto& [strategy, us] : of_strategy) {
      EXPECT_LE(of_strategy.at(fastest_measured), (1 + noise) * us) << what << ": " << to_string(strategy);
      compared += strategy != fastest_measured;
    }
  }
  EXPECT_GE(compared, 70);  // the file has 22 sizes of float and 5 each of three other types
}

TEST(Automatic, OnlyStrategiesWithAFixedOrderQualify) {
  for (const Strategy s : all_strategies()) {
    EXPECT_TRUE(!qualifies(s, false) || promised(s, false) == Determinism::gpu_to_gpu) << to_string(s);
    EXPECT_GE(qualifies(s, true), qualifies(s, false)) << to_string(s);
  }
  EXPECT_TRUE(qualifies(fastest_measured, false));
  EXPECT_TRUE(qualifies(Strategy::cub_device, true));
  EXPECT_FALSE(qualifies(Strategy::cub_device, false));
  EXPECT_FALSE(qualifies(Strategy::thrust, true));  // synchronises
}

TEST(Automatic, KeysTellTypesAndSizesApart) {
  EXPECT_EQ(tuning_key(float_sum, 1 << 20), "sum of float in float, 2^21 bytes");
  EXPECT_EQ(tuning_key((tuned_sum<double, float>), 1 << 20), "sum of float in double, 2^21 bytes");
  EXPECT_EQ(tuning_key((tuned_sum<std::uint64_t, std::uint32_t>), 0), "sum of uint32 in uint64, 2^0 bytes");
  EXPECT_EQ((detail::tuned_operation<MappedArray<float, Convert<double>>, Sum<double>>),
            (tuned_sum<double, float>));
  EXPECT_EQ((detail::tuned_operation<MappedArray<float, Convert<float>>, Min<float>>), detail::not_tuned);
}

TEST(Automatic, FollowsTheChoiceOfItsDeviceTypesAndSize) {
  constexpr int device = 3, other_device = 4;
  set_automatic(device, float_sum, 1 << 20, Strategy::warp_shuffle);
  EXPECT_EQ(automatic(device, operation(float_sum, 1 << 20)), Strategy::warp_shuffle);
  EXPECT_EQ(automatic(device, operation(float_sum, (1 << 21) - 1)), Strategy::warp_shuffle);
  EXPECT_EQ(automatic(device, operation(float_sum, 1 << 21)), fastest_measured);
  EXPECT_EQ(automatic(device, operation(tuned_sum<double, float>, 1 << 20)), fastest_measured);
  EXPECT_EQ(automatic(device, operation(detail::not_tuned, 1 << 20)), fastest_measured);
  EXPECT_EQ(automatic(other_device, operation(float_sum, 1 << 20)), fastest_measured);
  EXPECT_EQ(automatic(1000, operation(float_sum, 1 << 20)), fastest_measured);
  // the same bits on every GPU: the same strategy, unless the monoid is exact
  Operation strict = operation(float_sum, 1 << 20);
  EXPECT_EQ(automatic_strategy(device, Determinism::gpu_to_gpu, strict), fastest_measured);
  strict.exact = true;
  EXPECT_EQ(automatic_strategy(device, Determinism::gpu_to_gpu, strict), Strategy::warp_shuffle);
}

TEST(Automatic, WhatCannotRunHereIsReplacedInsteadOfThrowing) {
  constexpr int device = 5;
  constexpr int words = tuned_sum<std::uint64_t, std::uint64_t>;
  set_automatic(device, words, 1 << 10, Strategy::cluster);
  set_automatic(device, words, 1 << 12, Strategy::cub_device);
  Operation small = operation(words, 1 << 10), large = operation(words, 1 << 12);
  EXPECT_EQ(automatic(device, small), Strategy::cluster);
  EXPECT_EQ(automatic(device, large), Strategy::cub_device);
  small.clusters = no;
  large.libraries = false;
  EXPECT_EQ(automatic(device, small), fastest_measured);
  EXPECT_EQ(automatic(device, large), fastest_measured);
}

TEST(Automatic, AFilledCacheDecidesAndWhatWasTunedHereStays) {
  constexpr int device = 6;
  TuningCache cache;
  cache.remember("a GPU", tuning_key(float_sum, 1 << 20), "cluster");
  cache.remember("a GPU", tuning_key(float_sum, 1 << 22), "warp_shuffle");
  cache.remember("a GPU", tuning_key(float_sum, 1 << 24), "cub_device");  // not for floats
  cache.remember("a GPU", tuning_key(float_sum, 1 << 25), "no_such_strategy");
  cache.remember("a GPU", tuning_key(tuned_sum<std::int32_t, std::int32_t>, 1 << 24), "cub_device");
  cache.remember("another GPU", tuning_key(float_sum, 1 << 26), "cluster");
  set_automatic(device, float_sum, 1 << 22, Strategy::single_pass);
  load_automatic(device, "a GPU", cache);
  EXPECT_EQ(automatic(device, operation(float_sum, 1 << 20)), Strategy::cluster);
  EXPECT_EQ(automatic(device, operation(float_sum, 1 << 22)), Strategy::single_pass);
  for (const int power : {24, 25, 26})
    EXPECT_EQ(automatic(device, operation(float_sum, std::int64_t{1} << power)), fastest_measured) << power;
  EXPECT_EQ(automatic(device, operation(tuned_sum<std::int32_t, std::int32_t>, 1 << 24)),
            Strategy::cub_device);
  EXPECT_NO_THROW(load_automatic(1000, "a GPU", cache));
}

TEST(Automatic, TuningPrefersSinglePassWithinTheNoiseAndMeasuresOnce) {
  TuningCache cache;
  int measured = 0;
  const auto tune = [&](std::int64_t bytes, double of_shuffle) {
    return tune_strategy(cache, "a GPU", float_sum, bytes, false, [&](Strategy s) {
      ++measured;
      if (s == Strategy::cluster) throw Unavailable("not on this GPU");
      return s == Strategy::warp_shuffle ? of_shuffle : 1.0;
    });
  };
  EXPECT_EQ(tune(1 << 10, 0.98), Strategy::single_pass);
  EXPECT_EQ(tune(1 << 12, 0.90), Strategy::warp_shuffle);
  EXPECT_EQ(tune(1 << 14, 1.10), Strategy::single_pass);
  const int before = measured;
  EXPECT_EQ(tune(1 << 12, 5.0), Strategy::warp_shuffle);
  EXPECT_EQ(measured, before);
  cache.remember("a GPU", tuning_key(float_sum, 1 << 12), "thrust");  // damaged, or of another version
  EXPECT_EQ(tune(1 << 12, 5.0), Strategy::single_pass);
  EXPECT_GT(measured, before);
}

TEST(Automatic, TheDefaultFileIsReadUnlessTurnedOffOrCorrupt) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "tuning.json";
  const Environment where("TRIPTYCH_TUNING_CACHE", file.string());
  EXPECT_EQ(read_default_tuning().size(), 0u);
  TuningCache filled(file);
  filled.remember("a GPU", tuning_key(float_sum, 1 << 20), "cluster");
  filled.save();
  EXPECT_EQ(read_default_tuning().find("a GPU", tuning_key(float_sum, 1 << 20)), "cluster");
  {
    const Environment off("TRIPTYCH_TUNING", "off");
    EXPECT_EQ(read_default_tuning().size(), 0u);
  }
  const Environment on("TRIPTYCH_TUNING", "on");
  EXPECT_EQ(read_default_tuning().size(), 1u);
  write_file_atomically(file, "{\"format\": \"triptych tuning\", \"version\"");
  EXPECT_EQ(read_default_tuning().size(), 0u);
}

TEST(Automatic, ARowPlanOfTheCacheMustBeACandidate) {
  const RowDevice with{132, true}, without{132, false};
  const auto candidates = candidate_row_plans(84, 65536, with);
  TuningCache cache;
  EXPECT_EQ(known_row_plan(cache, "a GPU", 84, 65536, candidates), std::nullopt);
  const RowPlan cluster{.lanes = 32, .block = 256, .rows = 2, .shares = 8, .cluster = true};
  cache.remember("a GPU", "rows 84x65536", to_string(cluster));
  EXPECT_EQ(known_row_plan(cache, "a GPU", 84, 65536, candidates), cluster);
  EXPECT_EQ(known_row_plan(cache, "a GPU", 84, 65536, candidate_row_plans(84, 65536, without)), std::nullopt);
  EXPECT_EQ(known_row_plan(cache, "another", 84, 65536, candidates), std::nullopt);
}

}  // namespace
}  // namespace triptych::reduction
