// In a build without CUDA the CUDA functions link, and throw with the remedy.
#include <triptych/core/error.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/reduce.hpp>

#include <gtest/gtest.h>

#include "testing/expect_error.hpp"

namespace triptych::reduction {
namespace {

TEST(CudaOff, EveryOperationIsUnavailableWithAReason) {
  if (TRIPTYCH_HAS_CUDA) GTEST_SKIP() << "built with CUDA";
  Workspace workspace;
  const StreamRef stream(static_cast<CUstream_st*>(nullptr));
  float result = 5;
  EXPECT_ERROR((sum_cuda<float, float>({}, &result, {}, workspace, stream)), Unavailable, "use the CPU form");
  EXPECT_ERROR(sum_exact_cuda<float>({}, nullptr, workspace, stream), Unavailable, "sum_exact_cuda");
  EXPECT_ERROR((dot_cuda<float, float>({}, {}, &result, {}, workspace, stream)), Unavailable, "dot_cuda");
  EXPECT_ERROR(min_cuda<float>({}, &result, {}, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(max_cuda<float>({}, &result, {}, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(argmin_cuda<float>({}, nullptr, {}, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(argmax_cuda<float>({}, nullptr, {}, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(moments_cuda<float>({}, nullptr, {}, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(row_sums_cuda({}, {}, {}, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_ERROR(multiply_cuda({}, {}, {}, {}, workspace, stream), Unavailable, "TRIPTYCH_CUDA");
  TuningCache cache;
  EXPECT_ERROR((tune_sum_cuda<float, float>(cache, {}, workspace, stream)), Unavailable, "tune_sum_cuda");
  EXPECT_ERROR(tune_multiply_cuda(cache, {}, {}, {}, workspace, stream), Unavailable, "tune_multiply_cuda");
  EXPECT_ERROR(current_row_device(), Unavailable, "TRIPTYCH_CUDA");
  EXPECT_EQ(result, 5);
}

}  // namespace
}  // namespace triptych::reduction
