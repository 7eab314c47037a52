// In a build without CUDA the CUDA functions link, and throw with the remedy.
#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

TEST(AamCudaOff, EveryOperationIsUnavailableWithAReason) {
  if (TRIPTYCH_HAS_CUDA) GTEST_SKIP() << "built with CUDA";
  const StreamRef stream(static_cast<CUstream_st*>(nullptr));
  EXPECT_ERROR(LevelFitterCuda({}, {}, 1, stream), Unavailable, "LevelFitterCuda");
  EXPECT_ERROR(LevelFitterCuda({}, {}, 1, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(Device::cuda(), Unavailable, "TRIPTYCH_CUDA");
}

}  // namespace
}  // namespace triptych::aam_fit
