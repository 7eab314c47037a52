// CPU paths: their names, and the selection among the available ones.
#include <triptych/core/cpu_path.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <array>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

TEST(CpuPath, HasNames) {
  EXPECT_EQ(to_string(CpuPath::plain), "plain");
  EXPECT_EQ(to_string(CpuPath::avx512), "avx512");
  EXPECT_EQ(to_string(CpuPath::simd), "simd");
  EXPECT_ERROR(to_string(static_cast<CpuPath>(77)), InvalidArgument, "number 77");
}

TEST(CpuPath, SimdIsTheLastAvailablePath) {
  const std::array paths{CpuPath::plain, CpuPath::avx2};
  EXPECT_EQ(pick_cpu_path(CpuPath::simd, paths), CpuPath::avx2);
  EXPECT_EQ(pick_cpu_path(CpuPath::plain, paths), CpuPath::plain);
  EXPECT_ERROR(pick_cpu_path(CpuPath::neon, paths), InvalidArgument,
               "this machine does not have the CPU path neon");
  EXPECT_ERROR(pick_cpu_path(CpuPath::simd, {}), InvalidArgument, "one CPU path");
}

}  // namespace
}  // namespace triptych
