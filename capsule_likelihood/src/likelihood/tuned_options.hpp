// What the zeros of EvaluateOptions stand for, in this process.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/reduction/autotune.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace triptych::capsule_likelihood {

// Sizes with the same number of bits have the same name.
std::string size_class(Method method, std::int64_t samples, std::int64_t capsules, std::int64_t points);

void remember_options(int device, const std::string& size_class, const EvaluateOptions& options);

// The candidate that the cache knows for a size class.
std::optional<EvaluateOptions> known_options(const reduction::TuningCache& cache, const std::string& device,
                                             const std::string& size_class, Method method);

// The options with zeros replaced by stored values, else by those of reduction::default_tuning().
EvaluateOptions with_remembered(int device, const std::string& size_class, const EvaluateOptions& options);

}  // namespace triptych::capsule_likelihood
