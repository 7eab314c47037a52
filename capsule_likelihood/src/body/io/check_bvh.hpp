// The check of a Bvh that did not come from parse_bvh, which makes only ones that pass.
#pragma once

#include <triptych/capsule_likelihood/bvh.hpp>

namespace triptych::capsule_likelihood::detail {

// False also for NaN.
bool is_bvh_time(double frame_time_s);
bool is_bvh_value(BvhChannel channel, double value);

// InvalidArgument, naming the joint or the frame, unless the joints are a tree with parents first, channels
// are known and each at most once in a joint, the motion has whole frames, and all numbers are in the range
// that bvh.hpp states.
void check_bvh(const Bvh& bvh);

}  // namespace triptych::capsule_likelihood::detail
