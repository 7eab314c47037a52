#include <triptych/core/error.hpp>
#include <triptych/core/pnm.hpp>

#include <gtest/gtest.h>

#include <string>

#include "testing/expect_error.hpp"
#include "testing/mutate.hpp"

namespace triptych {
namespace {

TEST(Pnm, HeadersOfAllKindsAreRead) {
  const std::string grey = "P5\n# a comment\n3 2\n255\nabcdef and more";
  const PnmImage five = parse_pnm(grey, "f", "P5 P6", "P5 or P6");
  EXPECT_EQ(five.magic, "P5");
  EXPECT_EQ(five.width, 3);
  EXPECT_EQ(five.height, 2);
  EXPECT_EQ(five.channels, 1);
  EXPECT_EQ(five.largest, 255);
  EXPECT_EQ(five.samples, "abcdef");

  const std::string wide = "P6 1 2 256 " + std::string(12, 'x');
  EXPECT_EQ(parse_pnm(wide, "f", "P5 P6", "").samples.size(), 12U);
  const std::string floats = "PF 2 1 -0.5\n" + std::string(24, 'x');
  EXPECT_EQ(parse_pnm(floats, "f", "Pf PF", "").scale, -0.5);
  EXPECT_EQ(parse_pnm(floats, "f", "Pf PF", "").channels, 3);
}

TEST(Pnm, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_ERROR(parse_pnm("P5 1 1 255 a", "f", "P6", "expected P6"), ParseError, "f:1:1: expected P6");
  EXPECT_ERROR(parse_pnm("", "f", "P6", "expected P6"), ParseError, "expected P6");
  EXPECT_ERROR(parse_pnm("P5 P6", "f", "P5 P6", ""), ParseError, "the width");
  EXPECT_ERROR(parse_pnm("5 1 1 255 a", "f", "P5 P6", "none"), ParseError, "none");
  EXPECT_ERROR(parse_pnm("P5\n2 2\n255\nabc", "f", "P5", ""), ParseError, "needs 4 bytes, the file has 3");
  EXPECT_ERROR(parse_pnm("P5 1.5 1 255 a", "f", "P5", ""), ParseError, "the width is out of range");
  EXPECT_ERROR(parse_pnm("P5 1 1 65536 a", "f", "P5", ""), ParseError, "the largest value");
  EXPECT_ERROR(parse_pnm("P6 1048576 1048576 255 a", "f", "P6", ""), ParseError, "too large");
  EXPECT_ERROR(parse_pnm("Pf 1 1 0 abcd", "f", "Pf", ""), ParseError, "cannot be 0");
}

TEST(Pnm, DamagedHeadersNeverReachBeyondTheBytes) {
  const std::string original = "P6\n# comment\n3 2\n255\n" + std::string(18, 'q');
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const std::string bytes = test::mutated(original, seed);
    try {
      const PnmImage image = parse_pnm(bytes, "fuzz", "P5 P6", "no image");
      EXPECT_GE(image.samples.data(), bytes.data());
      EXPECT_LE(image.samples.data() + image.samples.size(), bytes.data() + bytes.size());
    } catch (const ParseError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace triptych
