#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/image_file.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "testing/expect_error.hpp"
#include "testing/mutate.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

template <class T>
void append(std::string& bytes, T value, bool big) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (big == (std::endian::native == std::endian::little)) std::reverse(raw, raw + sizeof(T));
  bytes.append(raw, sizeof(T));
}

// A list before the vertices, properties around and between the coordinates, a point that is not finite.
std::string binary_ply(bool big) {
  std::string bytes = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                      "_endian 1.0\ncomment made by hand\nelement face 2\nproperty list uchar int32 index\n"
                      "element vertex 3\nproperty uchar red\nproperty double x\nproperty float y\n"
                      "property short quality\nproperty float32 z\nend_header\n";
  append<std::uint8_t>(bytes, 3, big);
  for (const int i : {0, 1, 2}) append<std::int32_t>(bytes, i, big);
  append<std::uint8_t>(bytes, 0, big);
  for (const double x : {1.5, std::nan(""), -2.25}) {
    append<std::uint8_t>(bytes, 200, big);
    append<double>(bytes, x, big);
    append<float>(bytes, 0.5f, big);
    append<std::int16_t>(bytes, -7, big);
    append<float>(bytes, 3.0f, big);
  }
  return bytes;
}

constexpr const char* ascii_ply =
    "ply\r\nformat ascii 1.0\r\nobj_info x y z\r\nelement vertex 3\r\nproperty float x\r\nproperty float "
    "y\r\n"
    "property float z\r\nproperty uchar red\r\nelement face 1\r\nproperty list uchar int "
    "index\r\nend_header\r\n"
    "1.5 0.5 3 255\r\nnan 0 0 1\r\n-2.25 0.5 3 9\r\n3 0 1 2\r\n";

constexpr const char* xyz =
    "# a comment\n// another\n1.5, 0.5, 3, 255, 255\n\n nan;0;0\n-2.25\t0.5 3 a-name\n";

void expect_two_points(const Cloud& cloud) {
  EXPECT_EQ(cloud.points, (std::vector<Vec3>{{1.5f, 0.5f, 3}, {-2.25f, 0.5f, 3}}));
  EXPECT_EQ(cloud.dropped, 1);
}

TEST(CloudFile, ReadsEveryFormat) {
  expect_two_points(parse_cloud(binary_ply(false), "little.ply"));
  expect_two_points(parse_cloud(binary_ply(true), "big.ply"));
  expect_two_points(parse_cloud(ascii_ply, "ascii.ply"));
  expect_two_points(parse_cloud(xyz, "points.xyz"));
  EXPECT_EQ(parse_cloud("1000 2000 -500", "mm.xyz", 0.001).points[0], (Vec3{1, 2, -0.5f}));
  EXPECT_TRUE(parse_cloud("", "empty.xyz").points.empty());
}

TEST(CloudFile, DropsPointsThatAreTooFar) {
  const Cloud cloud = parse_cloud("0 0 1000\n3000 0 1\n0 -1e300 0\nnan 0 0\n0 0 1e999\n", "mm.xyz");
  EXPECT_EQ(cloud.points, (std::vector<Vec3>{{0, 0, 1000}}));
  EXPECT_EQ(cloud.dropped, 4);
  EXPECT_EQ(cloud.too_far, 2);
}

TEST(CloudFile, IsWrittenAndReadBackTheSame) {
  const triptych::test::TemporaryDirectory directory;
  const std::vector<Vec3> points = {{1, 2, 3}, {-0.1f, 1e-30f, 700.25f}};
  write_ply(directory.path() / "p.ply", points);
  EXPECT_EQ(read_cloud(directory.path() / "p.ply").points, points);
  write_ply(directory.path() / "none.ply", {});
  EXPECT_TRUE(read_cloud(directory.path() / "none.ply").points.empty());
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(CloudFile, RefusesWhatIsMalformed) {
  EXPECT_ERROR(parse_cloud("1 2\n", "f"), ParseError,
               "f:1:1: expected a coordinate, a number, found the end");
  EXPECT_ERROR(parse_cloud("1 2 3\n1 x 3\n", "f"), ParseError,
               "f:2:1: expected a coordinate, a number, found \"x\"");
  EXPECT_ERROR(parse_cloud("1 2 3", "f", 0), InvalidArgument, "unit of 0 m");
  EXPECT_ERROR(parse_cloud(replaced(ascii_ply, "ascii", "text"), "f"), ParseError,
               "f:2:8: expected a format");
  EXPECT_ERROR(parse_cloud(replaced(ascii_ply, "vertex", "point"), "f"), ParseError, "no element \"vertex\"");
  EXPECT_ERROR(parse_cloud(replaced(ascii_ply, "property float y", "property float w"), "f"), ParseError,
               "no number y");
  EXPECT_ERROR(parse_cloud(replaced(ascii_ply, "property float y", "property real y"), "f"), ParseError,
               "found \"real\"");
  EXPECT_ERROR(parse_cloud(replaced(ascii_ply, "vertex 3", "vertex 30"), "f"), ParseError, "found the end");
  EXPECT_ERROR(parse_cloud(replaced(ascii_ply, "vertex 3", "vertex -3"), "f"), ParseError, "f:4:16");
  EXPECT_ERROR(parse_cloud(replaced(ascii_ply, "end_header", "hello"), "f"), ParseError, "found \"hello\"");
  EXPECT_ERROR(parse_cloud(replaced(binary_ply(true), "vertex 3", "vertex 4000000000000"), "f"), ParseError,
               "vertex 3: the data end too early");
  EXPECT_ERROR(parse_cloud(replaced(binary_ply(true), "list uchar", "list float"), "f"), ParseError,
               "whole number");
}

TEST(CloudFile, SurvivesMutations) {
  int accepted = 0, refused = 0;
  for (const std::string& original :
       {binary_ply(false), binary_ply(true), std::string(ascii_ply), std::string(xyz)}) {
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
      try {
        for (const Vec3& p : parse_cloud(triptych::test::mutated(original, seed), "fuzz").points) {
          ASSERT_TRUE(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z));
        }
        ++accepted;
      } catch (const ParseError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
}

TEST(Pgm, IsReadInBothWidths) {
  const std::string head = "P5\n# depth\n2 1\n65535\n";
  const Image<std::uint16_t> wide = parse_pgm(head + std::string("\x12\x34\xff\x00", 4), "f");
  EXPECT_EQ(wide.pixels, (std::vector<std::uint16_t>{0x1234, 0xff00}));
  EXPECT_EQ(wide.view().width(), 2);
  EXPECT_EQ(parse_pgm(std::string("P5 1 2 255 ") + "az", "f").pixels, (std::vector<std::uint16_t>{'a', 'z'}));
  EXPECT_ERROR(parse_pgm(head + "abc", "f"), ParseError, "f:4:1: the image needs 4 bytes, the file has 3");
  EXPECT_ERROR(parse_pgm("P2 1 1 255 7", "f"), ParseError, "P5");
  EXPECT_ERROR(parse_pgm("P5 0 1 255 7", "f"), ParseError, "the width");
  EXPECT_ERROR(parse_pgm("P5 1048576 1048576 255 7", "f"), ParseError, "too large");
  EXPECT_ERROR(parse_pgm("P5 1 1", "f"), ParseError, "the largest value");
  EXPECT_ERROR(parse_pgm("P5 1 1 255", "f"), ParseError, "needs 1 bytes, the file has 0");
}

TEST(Pfm, IsReadFromTheBottomInBothOrders) {
  for (const bool big : {false, true}) {
    std::string bytes = std::string("Pf\n1 2\n") + (big ? "1.0\n" : "-1.0\n");
    append<float>(bytes, 7.5f, big);
    append<float>(bytes, -2.0f, big);
    EXPECT_EQ(parse_pfm(bytes, "f").pixels, (std::vector<float>{-2.0f, 7.5f}));
    EXPECT_ERROR(parse_pfm(bytes.substr(0, bytes.size() - 1), "f"), ParseError, "the file has 7");
  }
  EXPECT_ERROR(parse_pfm("PF\n1 1\n1\nabcdabcdabcd", "f"), ParseError, "one channel");
  EXPECT_ERROR(parse_pfm("Pf\n1 1\n0\nabcd", "f"), ParseError, "cannot be 0");
}

TEST(ImageFiles, SurviveMutations) {
  std::string pfm = "Pf\n3 2\n-1.0\n", pgm = "P5\n3 2\n65535\n";
  pfm += std::string(24, 'a');
  pgm += std::string(12, 'b');
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    try {
      parse_pfm(triptych::test::mutated(pfm, seed), "fuzz");
      parse_pgm(triptych::test::mutated(pgm, seed), "fuzz");
      ++accepted;
    } catch (const ParseError&) {
    }
  }
  EXPECT_GT(accepted, 50);
  EXPECT_LT(accepted, 1450);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
