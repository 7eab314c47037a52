// In a build without CUDA the CUDA functions link, and throw with the remedy.
#include <triptych/capsule_likelihood/cuda_group.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

TEST(CapsuleCudaOff, EveryObjectIsUnavailableWithAReason) {
  if (TRIPTYCH_HAS_CUDA) GTEST_SKIP() << "built with CUDA";
  EXPECT_ERROR(DeviceRays(100, SensorModel{}), Unavailable, "DeviceRays");
  EXPECT_ERROR(DeviceRays(100, SensorModel{}), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(DeviceSkeleton(Skeleton(make_human(1.7f))), Unavailable, "DeviceSkeleton");
  const int first = 0;
  EXPECT_ERROR(CudaGroup({&first, 1}, 100, SensorModel{}), Unavailable, "TRIPTYCH_CUDA");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
