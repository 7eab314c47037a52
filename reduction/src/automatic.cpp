#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <mutex>

#include "automatic.hpp"

namespace triptych::reduction {

namespace {

constexpr int max_devices = 16;
constexpr int size_classes = 64;

int size_class(std::int64_t bytes) {
  return std::bit_width(static_cast<std::uint64_t>(bytes)) % size_classes;
}

// The tuned strategy per device, operation and size class; automatic, which is 0, where there is none.
std::array<std::atomic<std::uint8_t>, std::size_t{max_devices} * detail::tuned_operations * size_classes>
    tuned_strategies{};

bool is_tuned(int device, int operation) {
  return device >= 0 && device < max_devices && operation >= 0 && operation < detail::tuned_operations;
}

std::atomic<std::uint8_t>& choice(int device, int operation, int size_class) {
  const int place = (device * detail::tuned_operations + operation) * size_classes + size_class;
  return tuned_strategies[static_cast<std::size_t>(place)];
}

std::string key_of_class(int operation, int size_class) {
  constexpr const char* names[detail::element_count] = {"float",  "double", "int32",
                                                        "uint32", "int64",  "uint64"};
  return std::string("sum of ") + names[operation % detail::element_count] + " in " +
         names[operation / detail::element_count] + ", 2^" + std::to_string(size_class) + " bytes";
}

bool is_exact(int operation) { return operation / detail::element_count >= 2; }

// The strategy in the cache when it qualifies, else automatic: the entry is missing, damaged or of another
// version.
Strategy known_strategy(const TuningCache& cache, const std::string& device, const std::string& key,
                        bool exact) {
  const auto known = cache.find(device, key);
  if (!known) return Strategy::automatic;
  const auto all = all_strategies();
  const auto found = std::find_if(all.begin(), all.end(), [&](Strategy s) { return to_string(s) == *known; });
  return found != all.end() && qualifies(*found, exact) ? *found : Strategy::automatic;
}

void load_default_tuning(int device) noexcept {
  static std::array<std::once_flag, max_devices> loaded;
  if (device >= max_devices) return;
  try {
    std::call_once(loaded[static_cast<std::size_t>(device)], [&] {
      const TuningCache& cache = default_tuning();
      if (cache.size() > 0) load_automatic(device, device_name(device), cache);
    });
  } catch (...) {  // keep the built-in choices
  }
}

}  // namespace

bool qualifies(Strategy strategy, bool exact) {
  constexpr Strategy contenders[] = {Strategy::single_pass, Strategy::cluster, Strategy::warp_shuffle,
                                     Strategy::cub_device};
  return std::find(std::begin(contenders), std::end(contenders), strategy) != std::end(contenders) &&
         promised(strategy, exact) >= Determinism::gpu_to_gpu;
}

std::string tuning_key(int operation, std::int64_t bytes) {
  return key_of_class(operation, size_class(bytes));
}

Strategy tune_strategy(TuningCache& cache, const std::string& device, int operation, std::int64_t bytes,
                       bool exact, const std::function<double(Strategy)>& measure) {
  const std::string key = tuning_key(operation, bytes);
  const Strategy known = known_strategy(cache, device, key, exact);
  if (known != Strategy::automatic) return known;
  Strategy best = fastest_measured;
  double best_us = std::numeric_limits<double>::infinity(), default_us = best_us;
  for (const Strategy strategy : all_strategies()) {
    if (!qualifies(strategy, exact)) continue;
    try {
      const double us = measure(strategy);
      if (us < best_us) best_us = us, best = strategy;
      if (strategy == fastest_measured) default_us = us;
    } catch (const Unavailable&) {  // not supported by this GPU
    }
  }
  if (default_us <= (1 + noise) * best_us) best = fastest_measured;
  cache.remember(device, key, std::string(to_string(best)));
  return best;
}

void set_automatic(int device, int operation, std::int64_t bytes, Strategy strategy) {
  if (is_tuned(device, operation))
    choice(device, operation, size_class(bytes))
        .store(static_cast<std::uint8_t>(strategy), std::memory_order_relaxed);
}

void load_automatic(int device, const std::string& device_name, const TuningCache& cache) {
  for (int operation = 0; operation < detail::tuned_operations; ++operation) {
    if (!is_tuned(device, operation)) return;
    for (int c = 0; c < size_classes; ++c) {
      const Strategy known =
          known_strategy(cache, device_name, key_of_class(operation, c), is_exact(operation));
      std::uint8_t none = 0;
      if (known != Strategy::automatic)
        choice(device, operation, c)
            .compare_exchange_strong(none, static_cast<std::uint8_t>(known), std::memory_order_relaxed);
    }
  }
}

Strategy automatic_strategy(int device, Determinism determinism, const detail::Operation& operation) {
  // Two GPUs may be tuned to two strategies with different orders of combination.
  if (determinism >= Determinism::gpu_to_gpu && !operation.exact) return fastest_measured;
  if (!is_tuned(device, operation.tuned)) return fastest_measured;
  const auto tuned = static_cast<Strategy>(
      choice(device, operation.tuned, size_class(operation.bytes)).load(std::memory_order_relaxed));
  if (tuned == Strategy::automatic) return fastest_measured;
  if (tuned == Strategy::cluster && !operation.clusters()) return fastest_measured;
  if (tuned == Strategy::cub_device && !operation.libraries) return fastest_measured;
  return tuned;
}

namespace detail {

static_assert(static_cast<int>(Strategy::automatic) == 0);

Strategy resolve(const Options& options, const Operation& operation) {
  if (options.strategy != Strategy::automatic) return options.strategy;
  if (operation.tuned == not_tuned) return fastest_measured;
  const int device = current_device();
  load_default_tuning(device);
  return automatic_strategy(device, options.determinism, operation);
}

}  // namespace detail

}  // namespace triptych::reduction
