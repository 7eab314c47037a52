// What Strategy::automatic stands for: a choice measured on the device, else the built-in one.
#pragma once

#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/detail/automatic.hpp>
#include <triptych/reduction/strategy.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace triptych::reduction {

// The built-in choice for every size and type. Measured on an H200 (bench/results/h200/reduction_bench.json:
// float, double, int32 and int64 from 2^10 to 2^30 elements) single_pass is the fastest of the strategies
// that qualify, or within `noise` of it, without exception; a test reads the file. It also runs on every GPU
// and in every build.
inline constexpr Strategy fastest_measured = Strategy::single_pass;

// Differences of times below this share are noise: fastest_measured is preferred.
inline constexpr double noise = 0.03;

// The order of combining must be fixed: a strategy qualifies when it promises gpu_to_gpu for the monoid, does
// not synchronise, and is not a rung that a later one improves on.
bool qualifies(Strategy strategy, bool exact);

// The name of an operation and size class (as many bits in the number of bytes) in a cache.
std::string tuning_key(int operation, std::int64_t bytes);

// The fastest qualified strategy by `measure` (microseconds; Unavailable disqualifies), unless the cache
// knows.
Strategy tune_strategy(TuningCache& cache, const std::string& device, int operation, std::int64_t bytes,
                       bool exact, const std::function<double(Strategy)>& measure);

// From now on automatic means `strategy` for the operation and the size class of `bytes` on CUDA device
// `device`.
void set_automatic(int device, int operation, std::int64_t bytes, Strategy strategy);

// The same for all that the cache knows of the device with that name; what was set before stays.
void load_automatic(int device, const std::string& device_name, const TuningCache& cache);

// What automatic means on a device. Where a choice cannot run it is fastest_measured.
Strategy automatic_strategy(int device, Determinism determinism, const detail::Operation& operation);

// What default_tuning() returns when it is called first.
TuningCache read_default_tuning() noexcept;

// The plan that the cache knows for the shape, when it is one of the candidates.
std::optional<RowPlan> known_row_plan(const TuningCache& cache, const std::string& device, std::int64_t rows,
                                      std::int64_t cols, const std::vector<RowPlan>& candidates);

// The ordinal of the current CUDA device, and the name under which a cache knows it.
int current_device();
std::string device_name(int device);

}  // namespace triptych::reduction
