// TRIPTYCH_REQUIRE_CUDA_OR_SKIP(): ends a test as Skipped, with the reason, when there is no usable GPU; as
// failed when the environment says TRIPTYCH_REQUIRE_GPU=1. Use it first in a test's body or in SetUp.
#pragma once

#include <triptych/core/device.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#if defined(__NVCC__)
#pragma nv_diag_suppress 177  // nvcc on clang takes the registration in GoogleTest's TEST for an unused
                              // member
#endif

namespace triptych::test {

inline bool gpu_is_required() {
  const char* value = std::getenv("TRIPTYCH_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace triptych::test

#define TRIPTYCH_REQUIRE_CUDA_OR_SKIP()                                                             \
  do {                                                                                              \
    const std::string triptych_reason = ::triptych::cuda_unavailable_reason();                      \
    if (!triptych_reason.empty() && ::triptych::test::gpu_is_required()) FAIL() << triptych_reason; \
    if (!triptych_reason.empty()) GTEST_SKIP() << triptych_reason;                                  \
  } while (false)
