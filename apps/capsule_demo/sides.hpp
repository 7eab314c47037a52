// Which side of the body a joint belongs to, by its name.
#pragma once

#include <string_view>

namespace triptych::capsule_demo {

enum class Side { middle, left, right };

// "left_knee", "LeftLeg", "LHipJoint", "lShin", "mixamorig:RightArm", ...
Side side_of(std::string_view joint);

}  // namespace triptych::capsule_demo
