// What reading a file takes in memory: at most ten times its bytes, and a constant.
#include <triptych/capsule_likelihood/bvh.hpp>
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/image_file.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>
#include <triptych/capsule_likelihood/skeleton_file.hpp>

#include <gtest/gtest.h>

#include <string>

#include "testing/allocation_faults.hpp"

namespace triptych::capsule_likelihood {
namespace {

template <class Read>
void expect_bounded(const std::string& text, const Read& read) {
  const std::int64_t bytes = test::peak_bytes_of([&] {
    try {
      read();
    } catch (const Error&) {
    }
  });
  constexpr std::int64_t constant = std::int64_t{16} << 20;
  EXPECT_LE(bytes, 10 * static_cast<std::int64_t>(text.size()) + constant)
      << "for " << text.size() << " bytes";
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Memory, OfASkeletonWithALongKeyIsBounded) {
  const std::string text = "{\"" + std::string(60'000, 'k') + "\": [" + repeated("0,", 20'000) + "0]}";
  expect_bounded(text, [&] { parse_skeleton(text, "f"); });
  expect_bounded(text, [&] { adjust_skeleton(make_human(), text, "f"); });
}

TEST(Memory, OfASkeletonOfManySmallValuesIsBounded) {
  for (const char* value : {"{},", "[],", "0,", "\"\","}) {
    const std::string text = "{\"joints\": [" + repeated(value, 500'000) + "0], \"capsules\": []}";
    expect_bounded(text, [&] { parse_skeleton(text, "f"); });
  }
}

TEST(Memory, OfTheMessageAboutALongTokenIsBounded) {
  const std::string text = "{\"joints\": \"" + std::string(200'000, 'a');
  try {
    parse_skeleton(text, "f");
    ADD_FAILURE() << "was accepted";
  } catch (const ParseError& error) {
    EXPECT_LT(std::string(error.what()).size(), 400u);
  }
}

TEST(Memory, OfASparseTableOfJointsIsBounded) {
  std::string text = "frame,joint,x_m,y_m,z_m\n";
  for (int i = 0; i < 4000; ++i) text += std::to_string(i) + ",j" + std::to_string(i) + ",1,2,3\n";
  expect_bounded(text, [&] { parse_joints_csv(text, "f"); });
}

TEST(Memory, OfATableOfShortLinesIsBounded) {
  std::string text = "frame,joint,x_m,y_m,z_m\n";
  for (int i = 0; i < 400'000; ++i) text += std::to_string(i) + ",a,1,2,3\n";
  expect_bounded(text, [&] { EXPECT_EQ(parse_joints_csv(text, "f").frames.size(), 400'000u); });
}

TEST(Memory, OfABvhFileIsBounded) {
  const std::string header =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}\nMOTION\n";
  const int frames = 700'000;
  const std::string text =
      header + "Frames: " + std::to_string(frames) + "\nFrame Time: 1\n" + repeated("0 0 0\n", frames);
  expect_bounded(text, [&] { EXPECT_EQ(parse_bvh(text, "f").frame_count(), frames); });
  const std::string promise = header + "Frames: 1000000000000000000\nFrame Time: 1\n0 0 0\n";
  expect_bounded(promise, [&] { parse_bvh(promise, "f"); });
}

TEST(Memory, OfACloudIsBounded) {
  const std::string text = repeated("0 0 0\n", 700'000);
  expect_bounded(text, [&] { EXPECT_EQ(parse_cloud(text, "f").points.size(), 700'000u); });
  const std::string elements =
      "ply\nformat ascii 1.0\n" + repeated("element a 0\n", 300'000) + "end_header\n";
  expect_bounded(elements, [&] { parse_cloud(elements, "f"); });
  const std::string head = "ply\nformat binary_little_endian 1.0\nelement vertex ";
  const std::string tail = "\nproperty char x\nproperty char y\nproperty char z\nend_header\n";
  const std::string bytes = head + "1000000" + tail + std::string(3'000'000, '\1');
  expect_bounded(bytes, [&] { EXPECT_EQ(parse_cloud(bytes, "f").points.size(), 1'000'000u); });
  const std::string promise = head + "1000000000000000000" + tail + "abc";
  expect_bounded(promise, [&] { parse_cloud(promise, "f"); });
}

TEST(Memory, OfAnImageIsBounded) {
  const std::string pgm = "P5 100000 100000 255\n";
  expect_bounded(pgm, [&] { parse_pgm(pgm, "f"); });
  const std::string pfm = "Pf 100000 100000 -1\n";
  expect_bounded(pfm, [&] { parse_pfm(pfm, "f"); });
}

}  // namespace
}  // namespace triptych::capsule_likelihood
