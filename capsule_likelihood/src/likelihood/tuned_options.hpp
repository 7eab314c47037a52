// What the zeros of EvaluateOptions stand for, in this process.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>

#include <cstdint>
#include <string>

namespace triptych::capsule_likelihood {

// Sizes of as many bits have the same name.
std::string size_class(Method method, std::int64_t samples, std::int64_t capsules, std::int64_t points);

void remember_options(int device, const std::string& size_class, const EvaluateOptions& options);

// The options with what was remembered in place of zeros.
EvaluateOptions with_remembered(int device, const std::string& size_class, const EvaluateOptions& options);

}  // namespace triptych::capsule_likelihood
