// The poses from which find() sets out: at rest, and sitting where the cloud is low.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <array>
#include <vector>

namespace triptych::capsule_likelihood {

using Direction = std::array<double, 2>;  // x and z: seen from above

// Where the body looks at rest: from the feet to the toes. {0, 0} when no joint is called toe.
Direction front_of(const Skeleton& skeleton);

// height_m: of the cloud. Positions are 0, and there is no rotation.
std::vector<std::vector<float>> start_poses(const Skeleton& skeleton, double height_m);

}  // namespace triptych::capsule_likelihood
