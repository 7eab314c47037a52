// ParticleFilter as Python holds it.
#pragma once

#include "../frame_processor.hpp"
#include "follower.hpp"

namespace triptych::python::capsule {

using HeldFilter = Held<Follower>;

// The constructor, its keywords as a property, the skeleton, the pose, and pickle.
void bind_construction(nb::class_<HeldFilter>& type);

}  // namespace triptych::python::capsule
