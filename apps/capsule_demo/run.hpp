// capsule_demo's work: clouds in, the body followed, pictures, poses and numbers out.
#pragma once

#include "options.hpp"

namespace triptych::capsule_demo {

void run(const Options& options);

}  // namespace triptych::capsule_demo
