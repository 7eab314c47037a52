// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/device.hpp>

#include "filter/filter_engine.hpp"

namespace triptych::capsule_likelihood {

std::unique_ptr<FilterEngine> make_cuda_engine(const Skeleton&, const SensorModel&, const FilterPlan&,
                                               std::int64_t, int, const FilterShare*) {
  throw_cuda_unavailable("ParticleFilter on a GPU");
}

}  // namespace triptych::capsule_likelihood
