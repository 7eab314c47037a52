// Bad arguments of skeletons and BVH files.
#include "capsule_likelihood/bad_bodies.hpp"
#include "testing/refusals.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

using triptych::test::expect_refusals;
using triptych::test::Refusal;
using triptych::test::TemporaryDirectory;

TEST(Arguments, OfSkeletonsAreRefused) {
  const Refusal refusals[] = {
      {"Skeleton: no joint", [] { Skeleton({}, {}); }, "at least one joint"},
      {"Skeleton: too many joints", [] { Skeleton(std::vector<Joint>(385), {}); }, "385"},
      {"Skeleton: a first joint with a parent",
       [] {
         Skeleton({{"a", 0, {}, {}}}, {});
       },
       "parent 0"},
      {"Skeleton: a parent below -1",
       [] {
         skeleton_of({"a", -2, {}, {}});
       },
       "parent -2"},
      {"Skeleton: a parent that is the joint",
       [] {
         skeleton_of({"a", 1, {}, {}});
       },
       "parent 1"},
      {"Skeleton: a parent past the end",
       [] {
         skeleton_of({"a", 1 << 30, {}, {}});
       },
       "parent"},
      {"Skeleton: an offset of NaN",
       [] {
         skeleton_of({"a", 0, {nan, 0, 0}, {}});
       },
       "offset"},
      {"Skeleton: an endless offset",
       [] {
         skeleton_of({"a", 0, {0, inf, 0}, {}});
       },
       "offset"},
      {"Skeleton: a huge offset",
       [] {
         skeleton_of({"a", 0, {0, 0, huge}, {}});
       },
       "offset"},
      {"Skeleton: four rotations",
       [] {
         skeleton_of({"a", 0, {}, std::vector<Rotation>(4)});
       },
       "4 rotations"},
      {"Skeleton: an unknown axis",
       [] {
         skeleton_of({"a", 0, {}, {{static_cast<Axis>(7)}}});
       },
       "axis"},
      {"Skeleton: a negative axis",
       [] {
         skeleton_of({"a", 0, {}, {{static_cast<Axis>(-1)}}});
       },
       "axis"},
      {"Skeleton: a limit of NaN",
       [] {
         skeleton_of({"a", 0, {}, {{Axis::x, nan, 1}}});
       },
       "limit"},
      {"Skeleton: an endless limit",
       [] {
         skeleton_of({"a", 0, {}, {{Axis::x, 0, inf}}});
       },
       "limit"},
      {"Skeleton: a huge limit",
       [] {
         skeleton_of({"a", 0, {}, {{Axis::x, 1e30f, 1e30f}}});
       },
       "limit"},
      {"Skeleton: limits the wrong way",
       [] {
         skeleton_of({"a", 0, {}, {{Axis::x, 1, -1}}});
       },
       "limit"},
      {"Skeleton: a capsule on no joint",
       [] {
         Skeleton({{"a", -1, {}, {}}}, {{1, {}}});
       },
       "joint 1"},
      {"Skeleton: a capsule on joint -1",
       [] {
         Skeleton({{"a", -1, {}, {}}}, {{-1, {}}});
       },
       "joint -1"},
      {"Skeleton: a capsule's end of NaN",
       [] {
         skeleton_with({{nan, 0, 0}, 1, {}});
       },
       "end"},
      {"Skeleton: a capsule's huge end",
       [] {
         skeleton_with({{}, 1, {0, huge, 0}});
       },
       "end"},
      {"Skeleton: a negative radius",
       [] {
         skeleton_with({{}, -1, {}});
       },
       "radius"},
      {"Skeleton: a radius of NaN",
       [] {
         skeleton_with({{}, nan, {}});
       },
       "radius"},
      {"Skeleton: a huge radius",
       [] {
         skeleton_with({{}, huge, {}});
       },
       "radius"},
      {"Skeleton::first_angle: -1", [] { human().first_angle(-1); }, "joint -1"},
      {"Skeleton::first_angle: past the end", [] { human().first_angle(24); }, "joint 24"},
      {"Skeleton::clamp: another size",
       [] {
         std::vector<float> pose(3);
         human().clamp(pose);
       },
       "3 numbers"},
      {"Skeleton::clamp: NaN",
       [] {
         auto pose = rest_with(9, nan);
         human().clamp(pose);
       },
       "not a number"},
      {"Skeleton::joints: no pose", [] { human().joints({}); }, "0 numbers"},
      {"Skeleton::joints: another size", [] { human().joints(std::vector<float>(8)); }, "8 numbers"},
      {"Skeleton::capsules: another size", [] { human().capsules(std::vector<float>(8)); }, "8 numbers"},
      {"make_human: a negative height", [] { make_human(-1.7f); }, "-1.7 m"},
      {"make_human: a height of NaN", [] { make_human(nan); }, "nan m"},
      {"make_human: a height of 1e30", [] { make_human(1e30f); }, "e+30 m"},
      {"make_human: a factor of NaN", [] { make_human(HumanShape{.thigh = nan}); }, "factor of nan"},
      {"make_human: a factor of 0", [] { make_human(HumanShape{.girth = 0}); }, "factor of 0"},
      {"pose_cpu: poses of another size",
       [] {
         const std::vector<float> poses(20);
         std::vector<Vec3> joints(48, {7, 7, 7});
         try {
           pose_cpu(human(), {poses.data(), 2, 10}, {joints.data(), 2, 24}, {}, 1);
         } catch (const InvalidArgument&) {
           EXPECT_EQ(joints, std::vector<Vec3>(48, {7, 7, 7}));
           throw;
         }
       },
       "10"},
      {"pose_cpu: joints of another size",
       [] {
         const auto pose = human().rest_pose();
         std::vector<Vec3> joints(3);
         pose_cpu(human(), {pose.data(), 1, human().pose_size()}, {joints.data(), 1, 3}, {}, 1);
       },
       "joints"},
      {"pose_cpu: too many bodies",
       [] {
         const auto pose = human().rest_pose();
         std::vector<Capsule> bodies(80);
         pose_cpu(human(), {pose.data(), 1, human().pose_size()}, {}, {bodies.data(), 2, 40}, 1);
       },
       "capsules"},
      {"to_json: two joints of one name",
       [] {
         to_json(Skeleton({{"a", -1, {}, {}}, {"a", 0, {}, {}}}, {}));
       },
       "a"},
      {"to_json: a name that is no UTF-8",
       [] {
         to_json(Skeleton({{"\xff", -1, {}, {}}}, {}));
       },
       "name"},
  };
  expect_refusals(refusals);
}

TEST(Arguments, OfBvhFilesAreRefused) {
  const auto with_parent = [](int parent) { return bvh_with([&](Bvh& b) { b.joints[1].parent = parent; }); };
  const auto with_channel = [](int channel) {
    return bvh_with([&](Bvh& b) { b.joints[1].channels[0] = static_cast<BvhChannel>(channel); });
  };
  const auto with_offset = [](double x) { return bvh_with([&](Bvh& b) { b.joints[1].offset[0] = x; }); };
  const auto with_motion = [](std::size_t at, double x) {
    return bvh_with([&](Bvh& b) { b.motion[at] = x; });
  };
  const auto with_time = [](double time) { return bvh_with([&](Bvh& b) { b.frame_time_s = time; }); };
  const Skeleton skeleton = make_skeleton(bvh(), {.metres_per_unit = 1});
  const Refusal refusals[] = {
      {"make_skeleton: a parent past the end", [&] { make_skeleton(with_parent(1000)); }, "parent 1000"},
      {"make_skeleton: a negative parent", [&] { make_skeleton(with_parent(-7)); }, "parent -7"},
      {"make_skeleton: a joint that is its parent", [&] { make_skeleton(with_parent(1)); }, "parent 1"},
      {"make_skeleton: no joints", [] { make_skeleton(Bvh{}); }, "joint"},
      {"make_skeleton: too many joints",
       [] { make_skeleton(bvh_with([](Bvh& b) { b.joints.resize(385, b.joints[1]); })); }, "385"},
      {"make_skeleton: an unknown channel", [&] { make_skeleton(with_channel(99)); }, "channel"},
      {"make_skeleton: a negative channel", [&] { make_skeleton(with_channel(-1)); }, "channel"},
      {"make_skeleton: an offset of NaN", [&] { make_skeleton(with_offset(double{nan})); }, "offset"},
      {"make_skeleton: an offset of 1e300", [&] { make_skeleton(with_offset(1e300)); }, "offset"},
      {"make_skeleton: an offset of 1e300 and a unit",
       [&] { make_skeleton(with_offset(1e300), {.metres_per_unit = 0.01}); }, "offset"},
      {"make_skeleton: an angle of 1e30", [&] { make_skeleton(with_motion(6, 1e30)); }, "frame 0"},
      {"make_skeleton: a motion of NaN", [&] { make_skeleton(with_motion(0, double{nan})); }, "frame 0"},
      {"make_skeleton: a negative unit", [] { make_skeleton(bvh(), {.metres_per_unit = -1}); }, "unit of -1"},
      {"make_skeleton: a unit of NaN", [] { make_skeleton(bvh(), {.metres_per_unit = double{nan}}); },
       "unit"},
      {"make_skeleton: a unit of 1e300", [] { make_skeleton(bvh(), {.metres_per_unit = 1e300}); }, "unit of"},
      {"make_skeleton: no such frame", [] { make_skeleton(bvh(), {.fixed_at_frame = 1 << 30}); }, "frame"},
      {"guess_scale: a parent past the end", [&] { guess_scale(with_parent(1000)); }, "parent 1000"},
      {"guess_scale: no joints", [] { guess_scale(Bvh{}); }, "joint"},
      {"guess_scale: an offset of Inf", [&] { guess_scale(with_offset(double{inf})); }, "offset"},
      {"poses_of: a parent past the end", [&] { poses_of(with_parent(1000), skeleton, 1); }, "Chest"},
      {"poses_of: another skeleton", [] { poses_of(bvh(), human(), 1); }, "joints"},
      {"poses_of: a root at 1e300", [&] { poses_of(with_motion(0, 1e300), skeleton, 1); }, "frame 0"},
      {"poses_of: a root of NaN", [&] { poses_of(with_motion(1, double{nan}), skeleton, 1); }, "frame 0"},
      {"poses_of: an angle of 1e30", [&] { poses_of(with_motion(6, 1e30), skeleton, 1); }, "frame 0"},
      {"poses_of: a unit of NaN", [&] { poses_of(bvh(), skeleton, double{nan}); }, "unit of nan"},
      {"poses_of: a unit of 0", [&] { poses_of(bvh(), skeleton, 0); }, "unit of 0"},
      {"poses_of: a negative unit", [&] { poses_of(bvh(), skeleton, -1); }, "unit of -1"},
      {"poses_of: a root beyond 1000 km", [&] { poses_of(with_motion(0, 1e8), skeleton, 1); }, "frame 0"},
      {"poses_of: a unit of 1e300", [&] { poses_of(bvh(), skeleton, 1e300); }, "unit of"},
      {"to_text: a parent past the end", [&] { to_text(with_parent(1000)); }, "parent 1000"},
      {"to_text: an unknown channel", [&] { to_text(with_channel(99)); }, "channel"},
      {"to_text: a channel twice",
       [] { to_text(bvh_with([](Bvh& b) { b.joints[1].channels[1] = b.joints[1].channels[0]; })); },
       "channel"},
      {"to_text: no joints", [] { to_text(Bvh{}); }, "joint"},
      {"to_text: a name of two lines", [] { to_text(bvh_with([](Bvh& b) { b.joints[1].name = "a\n}"; })); },
       "name"},
      {"to_text: no name", [] { to_text(bvh_with([](Bvh& b) { b.joints[1].name = ""; })); }, "name"},
      {"to_text: a time of NaN", [&] { to_text(with_time(double{nan})); }, "frame time"},
      {"to_text: a time of 0", [&] { to_text(with_time(0)); }, "frame time"},
      {"to_text: a motion that does not fit", [] { to_text(bvh_with([](Bvh& b) { b.motion.pop_back(); })); },
       "motion"},
      {"to_text: a motion of Inf", [&] { to_text(with_motion(3, double{inf})); }, "frame 0"},
      {"write_bvh: a parent past the end",
       [&] {
         const TemporaryDirectory folder;
         try {
           write_bvh(folder / "a.bvh", with_parent(1000));
         } catch (const InvalidArgument&) {
           EXPECT_EQ(folder.entry_count(), 0);
           throw;
         }
       },
       "parent 1000"},
      {"Bvh::frame: -1", [] { bvh().frame(-1); }, "frame -1"},
      {"Bvh::frame: past the end", [] { bvh().frame(bvh().frame_count()); }, "frame"},
      {"to_bvh: poses of another size",
       [] {
         to_bvh(human(), Motion{.pose_size = 3, .values = {1, 2, 3}});
       },
       "poses of 3"},
      {"to_bvh: a pose of NaN", [] { to_bvh(human(), motion_of(rest_with(9, nan))); }, "pose 0"},
      {"to_bvh: a pose of Inf", [] { to_bvh(human(), motion_of(rest_with(0, inf))); }, "pose 0"},
      {"to_bvh: no orientation", [] { to_bvh(human(), motion_of(without_orientation())); }, "orientation"},
      {"to_bvh: a unit of 0", [] { to_bvh(human(), motion_of(human().rest_pose()), 0); }, "unit of 0"},
      {"to_bvh: a unit of 1e-310", [] { to_bvh(human(), motion_of(human().rest_pose()), 1e-310); },
       "unit of"},
      {"to_bvh: a unit of NaN", [] { to_bvh(human(), motion_of(human().rest_pose()), double{nan}); }, "unit"},
      {"to_bvh: a time of 0",
       [] {
         to_bvh(human(), {human().pose_size(), 0, {}});
       },
       "frame time"},
      {"to_bvh: a time of 1e-310",
       [] {
         to_bvh(human(), {human().pose_size(), 1e-310, {}});
       },
       "frame time"},
      {"to_bvh: a time of NaN",
       [] {
         to_bvh(human(), {human().pose_size(), double{nan}, {}});
       },
       "frame time"},
  };
  expect_refusals(refusals);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
