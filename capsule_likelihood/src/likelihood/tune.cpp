#include <triptych/capsule_likelihood/tune.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>

#include <atomic>
#include <bit>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "likelihood/evaluate_paths.hpp"
#include "likelihood/tuned_options.hpp"

namespace triptych::capsule_likelihood {

namespace {

std::string to_text(const EvaluateOptions& options) {
  return std::to_string(options.points_per_block) + " points a block, " +
         std::to_string(options.samples_per_launch) + " samples a launch";
}

struct Remembered {
  std::mutex mutex;
  std::atomic<bool> any{false};
  std::map<std::pair<int, std::string>, EvaluateOptions> options;
};
Remembered& remembered() {
  static Remembered instance;
  return instance;
}

// What the default tuning file knows; zeros where it knows nothing.
EvaluateOptions default_options(int device, const std::string& size_class, Method method) {
  try {
    const std::string name = Device::cuda(device).properties().name;
    if (const auto known = known_options(reduction::default_tuning(), name, size_class, method))
      return *known;
  } catch (const Error&) {  // no such device: nothing is known of it
  }
  return {method};
}

}  // namespace

std::string size_class(Method method, std::int64_t samples, std::int64_t capsules, std::int64_t points) {
  constexpr const char* names[] = {"culled", "brute", "tiled"};
  const auto bits = [](std::int64_t n) {
    return std::to_string(std::bit_width(static_cast<std::uint64_t>(n)));
  };
  return std::string("capsule likelihood, ") + names[static_cast<int>(method)] + ", 2^" + bits(samples) +
         " samples, 2^" + bits(capsules) + " capsules, 2^" + bits(points) + " points";
}

void remember_options(int device, const std::string& size_class, const EvaluateOptions& options) {
  Remembered& known = remembered();
  const std::lock_guard lock(known.mutex);
  known.options[{device, size_class}] = options;
  known.any = true;
}

std::optional<EvaluateOptions> known_options(const reduction::TuningCache& cache, const std::string& device,
                                             const std::string& size_class, Method method) {
  const auto known = cache.find(device, size_class);
  if (!known) return std::nullopt;
  for (const EvaluateOptions& candidate : evaluate_candidates(method))
    if (to_text(candidate) == *known) return candidate;
  return std::nullopt;  // of another version, or damaged
}

EvaluateOptions with_remembered(int device, const std::string& size_class, const EvaluateOptions& options) {
  Remembered& known = remembered();
  const bool has_default = reduction::default_tuning().size() > 0;
  if (!known.any && !has_default) return options;
  const std::lock_guard lock(known.mutex);
  auto found = known.options.find({device, size_class});
  if (found == known.options.end() && has_default)
    found = known.options
                .emplace(std::pair(device, size_class), default_options(device, size_class, options.method))
                .first;
  if (found == known.options.end()) return options;
  EvaluateOptions filled = options;
  if (filled.points_per_block == 0) filled.points_per_block = found->second.points_per_block;
  if (filled.samples_per_launch == 0) filled.samples_per_launch = found->second.samples_per_launch;
  return filled;
}

std::vector<EvaluateOptions> evaluate_candidates(Method method) {
  check_method(method);
  std::vector<EvaluateOptions> candidates;
  if (method == Method::culled) {
    for (const int points : {128, 64})
      for (const int samples : {0, 1024, 512}) candidates.push_back({method, samples, points});
  } else if (method == Method::brute) {
    for (const int points : {512, 256, 128}) candidates.push_back({method, 0, points});
  } else {
    for (const int points : {128, 64, 192, 256, 512})
      for (const int samples : {8, 32, 128}) candidates.push_back({method, samples, points});
  }
  return candidates;
}

EvaluateOptions tune_evaluate(reduction::TuningCache& cache, const std::string& device, Method method,
                              std::int64_t samples, std::int64_t capsules, std::int64_t points,
                              const std::function<double(const EvaluateOptions&)>& measure) {
  check_method(method);
  require(samples >= 0 && capsules >= 0 && points >= 0, "cannot tune a likelihood of ", samples, " samples, ",
          capsules, " capsules and ", points, " points");
  require(static_cast<bool>(measure), "cannot tune a likelihood without a function to measure it with");
  const std::string key = size_class(method, samples, capsules, points);
  const std::vector<EvaluateOptions> candidates = evaluate_candidates(method);
  if (const auto known = known_options(cache, device, key, method)) return *known;
  EvaluateOptions best = candidates.front();
  double best_us = std::numeric_limits<double>::infinity();
  for (const EvaluateOptions& candidate : candidates) {
    try {
      const double us = measure(candidate);
      if (us < best_us) {
        best_us = us;
        best = candidate;
      }
    } catch (const Error&) {  // not on this device
    }
  }
  cache.remember(device, key, to_text(best));
  return best;
}

}  // namespace triptych::capsule_likelihood
