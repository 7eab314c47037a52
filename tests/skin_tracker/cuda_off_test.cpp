// In a build without CUDA the CUDA functions link, and throw with the remedy.
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <gtest/gtest.h>

#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

TEST(SkinCudaOff, EveryOperationIsUnavailableWithAReason) {
  if (TRIPTYCH_HAS_CUDA) GTEST_SKIP() << "built with CUDA";
  Workspace workspace;
  const StreamRef stream(static_cast<CUstream_st*>(nullptr));
  const LinearFilter filter = generic_skin_filter;
  const DeviceSpan<const std::uint16_t> table;
  EXPECT_ERROR(moments_cuda({}, {}, filter, nullptr, {}, workspace, stream), Unavailable, "moments_cuda");
  EXPECT_ERROR(moments_cuda({}, {}, table, nullptr, {}, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(moments_batch_cuda({}, filter, nullptr, workspace, stream), Unavailable, "moments_batch_cuda");
  EXPECT_ERROR(moments_batch_cuda({}, table, nullptr, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(moments_gpu_variant(Variant::gpu1, {}, filter, nullptr, workspace, stream), Unavailable,
               "moments_gpu_variant");
}

}  // namespace
}  // namespace triptych::skin_tracker
