// What the zeros of EvaluateOptions stand for, in this process.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/reduction/autotune.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace triptych::capsule_likelihood {

// Sizes of as many bits have the same name.
std::string size_class(Method method, std::int64_t samples, std::int64_t capsules, std::int64_t points);

void remember_options(int device, const std::string& size_class, const EvaluateOptions& options);

// The candidate that the cache knows for a size class.
std::optional<EvaluateOptions> known_options(const reduction::TuningCache& cache, const std::string& device,
                                             const std::string& size_class, Method method);

// The options with what was remembered, else with what reduction::default_tuning() knows, in place of zeros.
EvaluateOptions with_remembered(int device, const std::string& size_class, const EvaluateOptions& options);

}  // namespace triptych::capsule_likelihood
