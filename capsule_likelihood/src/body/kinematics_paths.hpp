// The ways in which the CPU poses a skeleton, by name, for tests: both return the same bits.
#pragma once

#include <triptych/capsule_likelihood/kinematics.hpp>

namespace triptych::capsule_likelihood::detail {

// plain: fused multiply-adds of the C library where the compiler may assume no better. best: the machine's.
enum class PosePath { plain, best };

void pose_cpu_by(PosePath by, const Skeleton& skeleton, MatrixView<const float> poses,
                 MatrixView<Vec3> joints, MatrixView<Capsule> bodies, int threads);

}  // namespace triptych::capsule_likelihood::detail
