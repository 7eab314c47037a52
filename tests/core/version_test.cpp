#include <triptych/core/version.hpp>

#include <gtest/gtest.h>

#include <string>

namespace triptych {
namespace {

TEST(Version, IsThatOfTheHeaders) {
  EXPECT_EQ(version(), std::to_string(TRIPTYCH_VERSION_MAJOR) + "." + std::to_string(TRIPTYCH_VERSION_MINOR) +
                           "." + std::to_string(TRIPTYCH_VERSION_PATCH));
}

}  // namespace
}  // namespace triptych
