// The resolution of Strategy::automatic: a choice measured on the device, else the built-in choice.
#pragma once

#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/detail/automatic.hpp>
#include <triptych/reduction/strategy.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace triptych::reduction {

// The built-in choice for every size and type. On an H200, single_pass is the fastest of the qualified
// strategies, or within `noise` of it, for every measured size and type; a test reads the measurements
// (bench/results/h200/reduction_bench.json). It also runs on every GPU and in every build.
inline constexpr Strategy fastest_measured = Strategy::single_pass;

// Relative differences of times below this are noise: fastest_measured is preferred.
inline constexpr double noise = 0.03;

// A strategy qualifies when it has the level gpu_to_gpu for the monoid (a fixed order of combination), does
// not synchronise, and is not superseded by a later strategy.
bool qualifies(Strategy strategy, bool exact);

// The key of an operation and size class (the bit width of the number of bytes) in a cache.
std::string tuning_key(int operation, std::int64_t bytes);

// The fastest qualified strategy by `measure` (microseconds; Unavailable excludes the strategy), unless the
// cache has the key.
Strategy tune_strategy(TuningCache& cache, const std::string& device, int operation, std::int64_t bytes,
                       bool exact, const std::function<double(Strategy)>& measure);

// From now on automatic is `strategy` for the operation and the size class of `bytes` on CUDA device
// `device`.
void set_automatic(int device, int operation, std::int64_t bytes, Strategy strategy);

// The same for all entries of the cache for the device of that name; earlier settings are kept.
void load_automatic(int device, const std::string& device_name, const TuningCache& cache);

// The strategy of automatic on a device; fastest_measured when the tuned choice cannot run.
Strategy automatic_strategy(int device, Determinism determinism, const detail::Operation& operation);

// Reads the file for default_tuning().
TuningCache read_default_tuning() noexcept;

// The plan of the cache for the shape, when it is one of the candidates.
std::optional<RowPlan> known_row_plan(const TuningCache& cache, const std::string& device, std::int64_t rows,
                                      std::int64_t cols, const std::vector<RowPlan>& candidates);

// The ordinal of the current CUDA device, and its name in a cache.
int current_device();
std::string device_name(int device);

}  // namespace triptych::reduction
