#include <triptych/capsule_likelihood/skeleton_file.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "testing/expect_error.hpp"
#include "testing/mutate.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

bool same(const Skeleton& a, const Skeleton& b) {
  const auto same_rotation = [](const Rotation& p, const Rotation& q) {
    return p.axis == q.axis && p.lower_rad == q.lower_rad && p.upper_rad == q.upper_rad;
  };
  const auto same_joint = [&](const Joint& p, const Joint& q) {
    return p.name == q.name && p.parent == q.parent && p.offset_m == q.offset_m &&
           std::ranges::equal(p.rotations, q.rotations, same_rotation);
  };
  const auto same_body_capsules = [](const BodyCapsule& p, const BodyCapsule& q) {
    return p.joint == q.joint && p.capsule == q.capsule;
  };
  return std::ranges::equal(a.joints(), b.joints(), same_joint) &&
         std::ranges::equal(a.body_capsules(), b.body_capsules(), same_body_capsules);
}

constexpr const char* small =
    "{\"joints\": [\n"
    "  {\"name\": \"hips\", \"parent\": null, \"offset_m\": [0, 0, 0],\n"
    "   \"rotations\": []},\n"
    "  {\"name\": \"leg\", \"parent\": \"hips\", \"offset_m\": [0.1, -0.2, 0],\n"
    "   \"rotations\": [{\"axis\": \"x\", \"limits_deg\": [-5, 150]},\n"
    "                 {\"axis\": \"z\"}]}],\n"
    " \"capsules\": [\n"
    "  {\"joint\": \"leg\", \"a_m\": [0, 0, 0], \"b_m\": [0, -0.4, 0], \"radius_m\": 0.06}]}\n";

TEST(SkeletonFile, IsReadAsItStands) {
  const Skeleton skeleton = parse_skeleton(small, "small.json");
  ASSERT_EQ(skeleton.joint_count(), 2);
  EXPECT_EQ(skeleton.joints()[1].name, "leg");
  EXPECT_EQ(skeleton.joints()[1].parent, 0);
  EXPECT_FLOAT_EQ(skeleton.joints()[1].rotations[0].upper_rad, 2.6179939f);
  EXPECT_EQ(skeleton.joints()[1].rotations[1].axis, Axis::z);
  EXPECT_EQ(skeleton.body_capsules()[0].capsule.b, (Vec3{0, -0.4f, 0}));
}

TEST(SkeletonFile, IsWrittenAndReadBackTheSame) {
  const triptych::test::TemporaryDirectory directory;
  for (const float height : {0.7f, 1.75f, 1.8123f}) {
    const Skeleton human = make_human(height);
    write_skeleton(directory.path() / "human.json", human);
    EXPECT_TRUE(same(read_skeleton(directory.path() / "human.json"), human));
    EXPECT_FALSE(same(make_human(height * 1.0001f), human));
  }
}

TEST(SkeletonFile, CannotHoldTwoJointsOfOneName) {
  EXPECT_ERROR(to_json(Skeleton({{"a", -1, {}, {}}, {"a", 0, {}, {}}}, {})), InvalidArgument, "called a");
  EXPECT_ERROR(to_json(Skeleton({{"\xff", -1, {}, {}}}, {})), InvalidArgument, "cannot be written");
}

void expect_refused(const std::string& what, const std::string& by, int line, const std::string& reason) {
  std::string text = small;
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), by);
  try {
    parse_skeleton(text, "bad.json");
    ADD_FAILURE() << "accepted; expected: " << reason;
  } catch (const ParseError& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(SkeletonFile, RefusesWhatIsMalformedWithItsLine) {
  expect_refused("[0.1, -0.2, 0]", "[0.1, -0.2, ]", 4, "syntax error");
  expect_refused("[0.1, -0.2, 0]", "[0.1, -0.2]", 4, "expected 3 numbers, found 2");
  expect_refused("[0.1, -0.2, 0]", "[0.1, \"up\", 0]", 4, "expected a number, found string");
  expect_refused("[0.1, -0.2, 0]", "[0.1, 1e300, 0]", 4, "too large");
  expect_refused("\"parent\": \"hips\"", "\"parent\": \"hip\"", 4, "no joint \"hip\"");
  expect_refused("\"parent\": \"hips\"", "\"parent\": null", 4, "only that, has the parent null");
  expect_refused("\"leg\", \"parent\"", "\"hips\", \"parent\"", 4, "stands twice");
  expect_refused("[-5, 150]", "[150, -5]", 5, "lower limit is above");
  expect_refused("\"axis\": \"z\"", "\"axis\": \"w\"", 6, "not \"w\"");
  expect_refused("\"axis\": \"z\"", "\"axes\": \"z\"", 6, "no such key");
  expect_refused("0.06", "-0.06", 8, "cannot be negative");
  expect_refused("\"joint\": \"leg\"", "\"joint\": \"arm\"", 8, "no joint \"arm\"");
  expect_refused("\"capsules\"", "\"capsule\"", 7, "no such key");
  EXPECT_ERROR(parse_skeleton("[]", "f"), ParseError, "f:1:1: the file: expected an object, found array");
  EXPECT_ERROR(parse_skeleton("{\"joints\": [], \"capsules\": []}", "f"), ParseError, "at least one joint");
  EXPECT_ERROR(parse_skeleton(std::string(100000, '['), "f"), ParseError, "nested more than 100 deep");
}

TEST(AdjustSkeleton, ChangesRadiiAndLimits) {
  const Skeleton skeleton = parse_skeleton(small, "small.json");
  const Skeleton changed = adjust_skeleton(skeleton,
                                           "{\"radius_scale\": 2, \"joints\": {\"leg\": {\"limits_deg\": "
                                           "{\"x\": [0, 90]}, \"fixed_deg\": {\"z\": 30},"
                                           "\"radius_scale\": 0.5}}}",
                                           "change.json");
  EXPECT_FLOAT_EQ(changed.joints()[1].rotations[0].upper_rad, 1.5707964f);
  EXPECT_EQ(changed.joints()[1].rotations[1].lower_rad, changed.joints()[1].rotations[1].upper_rad);
  EXPECT_FLOAT_EQ(changed.joints()[1].rotations[1].lower_rad, 0.5235988f);
  EXPECT_FLOAT_EQ(changed.body_capsules()[0].capsule.radius_m, 0.06f);
  EXPECT_EQ(changed.free_angle_count(), 1);
  const Skeleton bare = adjust_skeleton(skeleton, "{\"capsules\": []}", "change.json");
  EXPECT_EQ(bare.capsule_count(), 0);
  EXPECT_TRUE(same(adjust_skeleton(skeleton, "{}", "change.json"), skeleton));
}

TEST(AdjustSkeleton, RefusesWhatTheSkeletonHasNot) {
  const Skeleton skeleton = parse_skeleton(small, "small.json");
  EXPECT_ERROR(adjust_skeleton(skeleton, "{\n\"joints\": {\n\"knee\": {}}}", "c"), ParseError,
               "c:3:1: \"/joints/knee\"");
  EXPECT_ERROR(adjust_skeleton(skeleton, "{\"joints\": {\"leg\": {\"fixed_deg\": {\"y\": 0}}}}", "c"),
               ParseError, "does not turn about it");
  EXPECT_ERROR(adjust_skeleton(skeleton, "{\"radius_scale\": -1}", "c"), ParseError, "cannot be negative");
}

TEST(SkeletonFile, SurvivesMutations) {
  const Skeleton base = parse_skeleton(small, "small.json");
  int accepted = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const std::string text = triptych::test::mutated(small, seed);
    try {
      parse_skeleton(text, "fuzz");
      ++accepted;
    } catch (const ParseError&) {
      ++refused;
    }
    try {
      adjust_skeleton(base, text, "fuzz");
    } catch (const ParseError&) {
    }
  }
  EXPECT_GT(accepted, 50);
  EXPECT_GT(refused, 1000);
}

TEST(SkeletonFile, RefusesLengthsAndAnglesOutOfRangeAsErrorsOfTheFile) {
  const auto with = [](const std::string& offset, const std::string& limit, const std::string& radius) {
    return parse_skeleton(
        R"({"joints": [{"name": "a", "parent": null, "offset_m": [0, 0, 0], "rotations": []},
      {"name": "b", "parent": "a", "offset_m": [0, )" +
            offset + R"(, 0],
       "rotations": [{"axis": "x", "limits_deg": [)" +
            limit + R"(, 1e9]}]}],
      "capsules": [{"joint": "a", "a_m": [0, 0, 0], "b_m": [0, 0, 0], "radius_m": )" +
            radius + "}]}",
        "f.json");
  };
  EXPECT_ERROR(with("2000", "0", "1"), ParseError, "f.json: joint b has an offset");
  EXPECT_ERROR(with("1", "0", "1"), ParseError, "f.json: joint b has a limit");
  EXPECT_ERROR(with("1e300", "0", "1"), ParseError, "too large");
  EXPECT_ERROR(adjust_skeleton(make_human(), R"({"radius_scale": 1e30})", "f.json"), ParseError, "radius");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
