#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime.hpp"
#include "testing/gpu.hpp"

namespace triptych {
namespace {

TEST(DeviceGuard, OfACpuChangesNothingAndNeedsNoCuda) {
  const DeviceGuard guard(Device::cpu());
  const DeviceGuard negative(-1);
  if (cuda_device_count() > 0) {
    EXPECT_EQ(runtime::current_device(), 0);
  }
}

TEST(DeviceGuard, WithoutAGpuIsUnavailable) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THROW(DeviceGuard(0), Unavailable);
  EXPECT_THROW(current_gpu(), Unavailable);
}

TEST(DeviceGuard, OfAGpuThatDoesNotExistLeavesTheCurrentOne) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const int before = runtime::current_device();
  EXPECT_THROW(DeviceGuard(1 << 20), CudaError);
  EXPECT_EQ(runtime::current_device(), before);
}

TEST(DeviceGuard, OfTheCurrentGpuKeepsIt) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const int before = runtime::current_device();
  {
    const DeviceGuard guard(Device::cuda(before));
    EXPECT_EQ(runtime::current_device(), before);
  }
  EXPECT_EQ(runtime::current_device(), before);
}

TEST(DeviceGuard, RestoresTheCallersGpuAfterNestedGuardsAndExceptions) {
  if (cuda_device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  runtime::set_device(1);
  try {
    const DeviceGuard first(Device::cuda(0));
    EXPECT_EQ(runtime::current_device(), 0);
    {
      const DeviceGuard second(Device::cuda(1));
      EXPECT_EQ(runtime::current_device(), 1);
    }
    EXPECT_EQ(runtime::current_device(), 0);
    throw std::runtime_error("leaves the scope");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(runtime::current_device(), 1);
  runtime::set_device(0);
}

}  // namespace
}  // namespace triptych
