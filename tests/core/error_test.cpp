#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <type_traits>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

static_assert(std::is_base_of_v<std::runtime_error, Error>);
static_assert(std::is_base_of_v<Error, InvalidArgument>);
static_assert(std::is_base_of_v<Error, Unavailable>);
static_assert(std::is_base_of_v<Error, ParseError>);
static_assert(std::is_base_of_v<Error, CudaError>);

TEST(Error, ParseErrorNamesThePlace) {
  const ParseError error("scene.json", 3, 14, "expected a number");
  EXPECT_STREQ(error.what(), "scene.json:3:14: expected a number");
  EXPECT_EQ(error.file(), "scene.json");
  EXPECT_EQ(error.line(), 3);
  EXPECT_EQ(error.column(), 14);
}

TEST(Error, ParseErrorWithoutAPlaceNamesTheFile) {
  EXPECT_STREQ(ParseError("scene.json", 0, 0, "expected a number").what(), "scene.json: expected a number");
}

TEST(Error, CudaErrorNamesCallPlaceAndWords) {
  const CudaError error("cudaMalloc(&p, n)", "a.cu", 7, 2, "out of memory");
  EXPECT_STREQ(error.what(), "a.cu:7: cudaMalloc(&p, n) failed: out of memory (CUDA error 2)");
  EXPECT_EQ(error.code(), 2);
}

TEST(Error, RequireJoinsItsPartsIntoASentence) {
  EXPECT_NO_THROW(require(true, "never seen ", 1));
  EXPECT_ERROR(require(false, "a box of ", -3, " eggs"), InvalidArgument, "a box of -3 eggs");
}

}  // namespace
}  // namespace triptych
