// How the GPU's kernels are best cut, found by measuring and remembered for each device and size class.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/reduction/autotune.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace triptych::capsule_likelihood {

// Every cut of a method that is worth measuring.
std::vector<EvaluateOptions> evaluate_candidates(Method method);

// Picks the fastest of the candidates by `measure` (microseconds; a throw disqualifies), unless the cache
// knows. Sizes of as many bits count as the same.
EvaluateOptions tune_evaluate(reduction::TuningCache& cache, const std::string& device, Method method,
                              std::int64_t samples, std::int64_t capsules, std::int64_t points,
                              const std::function<double(const EvaluateOptions&)>& measure);

// The same on the current CUDA device, timing replays of a captured graph over the given rays and bodies:
// what zeros in EvaluateOptions then stand for on this device for sizes of that class; in this process and,
// when the cache is the default file (reduction::default_tuning), in later ones. Synchronises.
EvaluateOptions tune_evaluate_cuda(reduction::TuningCache& cache, const DeviceRays& rays,
                                   DeviceMatrixView<const Capsule> bodies, Method method,
                                   Workspace& workspace, StreamRef stream);

}  // namespace triptych::capsule_likelihood
