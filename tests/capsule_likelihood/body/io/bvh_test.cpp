#include <triptych/capsule_likelihood/bvh.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <gtest/gtest.h>

#include <string>

#include "capsule_likelihood/body/io/small_bvh.hpp"
#include "testing/expect_error.hpp"
#include "testing/mutate.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

TEST(Bvh, IsReadAsItStands) {
  const Bvh bvh = parse_bvh(test::small_bvh, "small.bvh");
  ASSERT_EQ(bvh.joints.size(), 4u);
  EXPECT_EQ(bvh.joints[1].name, "Chest");
  EXPECT_EQ(bvh.joints[2].name, "Left Arm");
  EXPECT_EQ(bvh.joints[2].parent, 1);
  EXPECT_EQ(bvh.joints[3].parent, 0);
  EXPECT_EQ(bvh.joints[2].offset, (std::array<double, 3>{5, 2, 0.5}));
  EXPECT_EQ(bvh.joints[1].end_sites.size(), 1u);
  EXPECT_EQ(bvh.joints[1].channels,
            (std::vector{BvhChannel::z_rotation, BvhChannel::x_rotation, BvhChannel::y_rotation}));
  EXPECT_EQ(bvh.channel_count(), 16);
  EXPECT_EQ(bvh.frame_count(), 2);
  EXPECT_DOUBLE_EQ(bvh.frame_time_s, 0.0083333);
  EXPECT_EQ(bvh.frame(1)[0], 1.5);
  EXPECT_EQ(bvh.frame(1)[13], 80);
  EXPECT_EQ(bvh.frame(1)[15], -170);
  EXPECT_ERROR(bvh.frame(2), InvalidArgument, "frame 2");
}

TEST(Bvh, IsWrittenAndReadBackTheSame) {
  const triptych::test::TemporaryDirectory directory;
  const Bvh bvh = parse_bvh(test::small_bvh, "small.bvh");
  write_bvh(directory.path() / "again.bvh", bvh);
  EXPECT_EQ(read_bvh(directory.path() / "again.bvh"), bvh);
}

// The small file with one piece replaced.
std::string replaced(const std::string& what, const std::string& by) {
  std::string text = test::small_bvh;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(Bvh, NamesEndBeforeAnyWhitespace) {
  for (const std::string space : {" ", "\t", "\r", "\f", "\v", "\t\r\t"}) {
    const Bvh bvh = parse_bvh(replaced("Chest {", "Chest" + space + "{"), "small.bvh");
    EXPECT_EQ(bvh.joints[1].name, "Chest");
    EXPECT_EQ(parse_bvh(to_text(bvh), "again.bvh"), bvh);
  }
  Bvh bvh = parse_bvh(test::small_bvh, "small.bvh");
  for (const std::string name : {" Chest", "Chest\f", "\tChest"}) {
    bvh.joints[1].name = name;
    EXPECT_ERROR(to_text(bvh), InvalidArgument, "cannot stand in a BVH file");
  }
}

void expect_refused(const std::string& text, int line, const std::string& reason) {
  try {
    parse_bvh(text, "bad.bvh");
    ADD_FAILURE() << "accepted; expected: " << reason;
  } catch (const ParseError& error) {
    EXPECT_EQ(error.file(), "bad.bvh");
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(Bvh, RefusesWhatIsMalformedWithItsLine) {
  expect_refused("", 1, "expected \"HIERARCHY\", found the end");
  expect_refused("PNG", 1, "found \"PNG\"");
  expect_refused(replaced("ROOT Hips", "ROOT"), 2, "name of a joint");
  expect_refused(replaced("OFFSET 0 10 1", "OFFSET 0 10"), 8, "an offset, a number, found \"CHANNELS\"");
  expect_refused(replaced("OFFSET 0 10 1", "OFFSET 0 x 1"), 7, "found \"x\"");
  expect_refused(replaced("OFFSET 0 10 1", "OFFSET 0 nan 1"), 7, "found \"nan\"");
  expect_refused(replaced("OFFSET 0 10 1", "OFFSET 0 1e999 1"), 7, "a number");
  expect_refused(replaced("OFFSET 0 10 1", "OFFSET 0 10 1 OFFSET 1 1 1"), 7, "OFFSET twice");
  expect_refused(replaced("\tOFFSET 0 0 0\n", "\n"), 26, "Hips has no OFFSET");
  expect_refused(replaced("CHANNELS 3 Z", "CHANNELS -3 Z"), 8, "number of channels");
  expect_refused(replaced("CHANNELS 3 Z", "CHANNELS 7 Z"), 8, "at most 6 channels");
  expect_refused(replaced("CHANNELS 1 Xrotation", "CHANNELS 2 Xrotation Xrotation"), 23, "twice in a joint");
  expect_refused(replaced("CHANNELS 1 Xrotation", "CHANNELS 1 Wrotation"), 23, "\"Wrotation\"");
  expect_refused(replaced("CHANNELS 1 Xrotation", "CHANNELS 1 Xrotation CHANNELS 0"), 23, "CHANNELS twice");
  expect_refused(replaced("End Site\n", "End\n"), 14, "expected \"Site\"");
  expect_refused(replaced("MOTION", "ROOT other {"), 27, "a second ROOT");
  expect_refused(replaced("}\nMOTION", "MOTION"), 26, "expected OFFSET, CHANNELS");
  expect_refused(replaced("Frames: 2", "Frames: two"), 28, "number of frames");
  expect_refused(replaced("Frames: 2", "Frames: 3"), 33, "ends after 2 of 3 frames");
  expect_refused(replaced("Frames: 2", "Frames: 1"), 32, "more follows");
  expect_refused(replaced("Time: .0083333", "Time: 0"), 29, "above 0");
  expect_refused(replaced("-90 15\n", "-90\n"), 30, "frame 0 has 15 numbers instead of 16");
  expect_refused(replaced("-90 15\n", "-90 15 16\n"), 30, "more numbers than the 16");
  expect_refused(replaced("-90 15\n", "-90 abc\n"), 30, "\"abc\"");
}

TEST(Bvh, RefusesEndlessNestingAndTooManyJoints) {
  std::string text = "HIERARCHY\nROOT a {\nOFFSET 0 0 0\n";
  for (int i = 0; i < 400; ++i) text += "JOINT b {\nOFFSET 0 0 0\n";
  expect_refused(text, 3 + 2 * 384 - 1, "more than 384 joints");
}

TEST(Bvh, SurvivesMutations) {
  const std::string original = test::small_bvh;
  int accepted = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    try {
      parse_bvh(triptych::test::mutated(original, seed), "fuzz");
      ++accepted;
    } catch (const ParseError& error) {
      EXPECT_GE(error.line(), 1);
      ++refused;
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

TEST(Bvh, RefusesNumbersOutOfRangeWithTheirLine) {
  const std::string text = test::small_bvh;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return parse_bvh(changed.replace(changed.find(from), from.size(), to), "f");
  };
  EXPECT_ERROR(with("OFFSET 0 10 1", "OFFSET 0 1e300 1"), ParseError, "f:7:12: an offset is beyond 1e9");
  EXPECT_ERROR(with("OFFSET 6 0 0", "OFFSET -2e9 0 0"), ParseError, "an offset is beyond 1e9");
  EXPECT_ERROR(with("1 2 3 10", "1 2 1e300 10"), ParseError, "f:30:5: a length is beyond 1e9");
  EXPECT_ERROR(with("1 2 3 10", "1 2 3 1e30"), ParseError, "f:30:7: an angle is beyond 360,000 degrees");
  EXPECT_ERROR(with("Time: .0083333", "Time: 1e-300"), ParseError, "1e-6 to 1e6 s");
  EXPECT_ERROR(with("Chest {", "Chest {{"), ParseError, "expected the name of a joint");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
