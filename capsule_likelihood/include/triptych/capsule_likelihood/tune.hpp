// Launch parameters of the GPU's kernels, found by measuring and stored for each device and size class.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/reduction/autotune.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace triptych::capsule_likelihood {

// All launch parameters of a method that are worth measuring. InvalidArgument for an unknown method.
std::vector<EvaluateOptions> evaluate_candidates(Method method);

// Picks the fastest of the candidates by `measure` (microseconds; a throw disqualifies), unless the cache
// knows. Sizes with the same number of bits are one size class. InvalidArgument for an unknown method, a
// negative size or an empty function.
EvaluateOptions tune_evaluate(reduction::TuningCache& cache, const std::string& device, Method method,
                              std::int64_t samples, std::int64_t capsules, std::int64_t points,
                              const std::function<double(const EvaluateOptions&)>& measure);

// The same on the current CUDA device, timing replays of a captured graph over the given rays and bodies:
// the result replaces zeros in EvaluateOptions on this device for sizes of that class; in this process and,
// when the cache is the default file (reduction::default_tuning), in later ones. Synchronises.
EvaluateOptions tune_evaluate_cuda(reduction::TuningCache& cache, const DeviceRays& rays,
                                   DeviceMatrixView<const Capsule> bodies, Method method,
                                   Workspace& workspace, StreamRef stream);

}  // namespace triptych::capsule_likelihood
