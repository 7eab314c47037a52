// Every public function of the module with arguments that it must refuse: bodies, poses, motions.
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/skeleton_file.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <cstring>
#include <limits>

#include "capsule_likelihood/body/io/small_bvh.hpp"
#include "testing/refusals.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

using triptych::test::expect_refusals;
using triptych::test::Refusal;
using triptych::test::TemporaryDirectory;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
constexpr float huge = std::numeric_limits<float>::max();

const Skeleton& human() {
  static const Skeleton skeleton = make_human();
  return skeleton;
}
std::vector<float> rest_with(std::size_t index, float value) {
  std::vector<float> pose = human().rest_pose();
  pose[index] = value;
  return pose;
}
std::vector<float> without_orientation() {
  std::vector<float> pose = human().rest_pose();
  pose[3] = 0;
  return pose;
}
Motion motion_of(const std::vector<float>& pose) { return {human().pose_size(), 1.0 / 30, pose}; }
Bvh bvh() { return parse_bvh(test::small_bvh, "small"); }
template <class Change>
Bvh bvh_with(const Change& change) {
  Bvh changed = bvh();
  change(changed);
  return changed;
}
Skeleton skeleton_of(const Joint& joint) { return {{{"root", -1, {}, {}}, joint}, {}}; }
Skeleton skeleton_with(const Capsule& capsule) { return {{{"root", -1, {}, {}}}, {{0, capsule}}}; }

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

TEST(Arguments, OfMotionsAreRefused) {
  const auto walk = [](const WalkOptions& options) { make_walk(human(), options); };
  const auto place = [](const std::vector<float>& pose, const ViewOptions& options) {
    Motion motion = motion_of(pose);
    const std::vector<float> before = motion.values;
    try {
      place_in_view(human(), motion, options);
    } catch (const InvalidArgument&) {
      EXPECT_EQ(std::memcmp(motion.values.data(), before.data(), before.size() * sizeof(float)), 0);
      throw;
    }
  };
  const TemporaryDirectory folder;
  const Refusal refusals[] = {
      {"Motion::push_back: another size", [] { Motion{.pose_size = 3}.push_back(std::vector<float>(4)); },
       "4"},
      {"Motion::pose: -1", [] { motion_of(human().rest_pose()).pose(-1); }, "pose -1"},
      {"Motion::pose: past the end", [] { motion_of(human().rest_pose()).pose(1); }, "pose 1"},
      {"Motion::pose: none", [] { Motion{}.pose(0); }, "pose 0"},
      {"Motion::view: a negative size", [] { Motion{.pose_size = -4}.view(); }, "-4"},
      {"make_walk: -1 frames", [&] { walk({.frames = -1}); }, "-1 frames"},
      {"make_walk: 2^31 - 1 frames",
       [&] {
         walk({.frames = 0x7FFFFFFF, .speed_mps = 0, .stride_hz = 0, .heading_rad = 0, .turn_rad_per_s = 0});
       },
       "2147483647 frames"},
      {"make_walk: a rate of 0", [&] { walk({.rate_hz = 0}); }, "rate of 0"},
      {"make_walk: a negative rate", [&] { walk({.rate_hz = -30}); }, "rate of -30"},
      {"make_walk: a rate of NaN", [&] { walk({.rate_hz = double{nan}}); }, "rate of nan"},
      {"make_walk: a rate of 1e300", [&] { walk({.rate_hz = 1e300}); }, "rate of"},
      {"make_walk: a speed of NaN", [&] { walk({.speed_mps = nan}); }, "nan"},
      {"make_walk: a stride of Inf", [&] { walk({.stride_hz = inf}); }, "inf"},
      {"make_walk: a huge turn", [&] { walk({.turn_rad_per_s = huge}); }, "e+38"},
      {"make_walk: another skeleton",
       [] {
         make_walk(Skeleton({{"a", -1, {}, {}}}, {}));
       },
       "built-in human"},
      {"place_in_view: poses of another size",
       [] {
         Motion motion{.pose_size = 9, .values = std::vector<float>(9)};
         place_in_view(human(), motion);
       },
       "poses of 9"},
      {"place_in_view: a pose of NaN", [&] { place(rest_with(8, nan), {}); }, "pose 0"},
      {"place_in_view: a pose at Inf", [&] { place(rest_with(1, inf), {}); }, "pose 0"},
      {"place_in_view: a pose at 1e38", [&] { place(rest_with(1, huge), {}); }, "pose 0"},
      {"place_in_view: no orientation", [&] { place(without_orientation(), {}); }, "orientation"},
      {"place_in_view: a distance of NaN", [&] { place(human().rest_pose(), {.distance_m = nan}); },
       "distance"},
      {"place_in_view: a huge distance", [&] { place(human().rest_pose(), {.distance_m = huge}); },
       "distance"},
      {"place_in_view: a nearest of Inf", [&] { place(human().rest_pose(), {.nearest_m = inf}); },
       "distance"},
      {"place_in_view: a yaw of NaN", [&] { place(human().rest_pose(), {.yaw_rad = nan}); }, "yaw"},
      {"JointTable::row: past the end",
       [] {
         JointTable{{"a"}, {1}, {{}}}.row(1);
       },
       "row 1"},
      {"JointTable::row: a table that does not fit",
       [] {
         JointTable{{"a", "b"}, {1}, {{}}}.row(0);
       },
       "row 0"},
      {"to_csv: positions that do not fit",
       [] {
         to_csv(JointTable{{"a"}, {1, 2}, {{}}});
       },
       "1 positions"},
      {"write_joints_csv: positions that do not fit",
       [&] {
         write_joints_csv(folder / "a.csv", JointTable{{"a"}, {1, 2}, {{}}});
       },
       "1 positions"},
      {"write_poses_csv: frames that overflow",
       [&] {
         write_poses_csv(folder / "a.csv", human(), motion_of(human().rest_pose()),
                         std::numeric_limits<std::int64_t>::max());
       },
       "first_frame"},
      {"write_poses_csv: poses of another size",
       [&] { write_poses_csv(folder / "a.csv", human(), Motion{.pose_size = 1, .values = {1}}); },
       "poses of 1"},
      {"write_poses_bvh: poses of another size",
       [&] { write_poses_bvh(folder / "a.bvh", human(), Motion{.pose_size = 1, .values = {1}}); },
       "poses of 1"},
      {"write_poses_bvh: a pose of NaN",
       [&] { write_poses_bvh(folder / "a.bvh", human(), motion_of(rest_with(9, nan))); }, "pose 0"},
      {"write_poses_bvh: a unit of Inf",
       [&] { write_poses_bvh(folder / "a.bvh", human(), motion_of(human().rest_pose()), double{inf}); },
       "unit"},
  };
  expect_refusals(refusals);
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(Arguments, OfFitsAndRenderingAreRefused) {
  std::vector<std::string> names;
  for (const KinectJoint& joint : kinect_joints()) names.emplace_back(joint.kinect);
  const std::vector<Vec3> positions = positions_of(human(), human().joints(human().rest_pose()), names);
  const auto moved = [&](const Vec3& to) {
    std::vector<Vec3> changed = positions;
    changed[7] = to;
    return changed;
  };
  const std::vector<Capsule> body = {{{0, 0, 3}, 0.2f, {0, 1, 3}}};
  const auto render = [&](const RenderOptions& options) { render_points(body, options, 1); };
  const auto render_capsule = [](const Capsule& capsule) {
    render_points(std::vector<Capsule>{capsule}, {.points = 10}, 1);
  };
  const Refusal refusals[] = {
      {"positions_of: other joints", [&] { positions_of(human(), {}, names); }, "0 positions"},
      {"positions_of: an unknown name",
       [] { positions_of(human(), human().joints(human().rest_pose()), std::vector<std::string>{"tail"}); },
       "tail"},
      {"fit_pose: sizes that do not fit", [&] { fit_pose(human(), names, std::vector<Vec3>(3)); },
       "3 positions"},
      {"fit_pose: an unknown name",
       [] { fit_pose(human(), std::vector<std::string>{"x"}, std::vector<Vec3>(1)); }, "x"},
      {"fit_pose: no hips", [] { fit_pose(human(), {}, {}); }, "hip"},
      {"fit_pose: a position at 3e38",
       [&] {
         fit_pose(human(), names, moved({huge, 0, 0}));
       },
       "left_hand"},
      {"fit_pose: a position beyond 1000 km",
       [&] {
         fit_pose(human(), names, moved({0, 2e6f, 0}));
       },
       "left_hand"},
      {"fit_pose: a start of another size",
       [&] { fit_pose(human(), names, positions, std::vector<float>(8)); }, "8 numbers"},
      {"fit_pose: a start of NaN", [&] { fit_pose(human(), names, positions, rest_with(9, nan)); }, "start"},
      {"fit_pose: a start at Inf", [&] { fit_pose(human(), names, positions, rest_with(0, inf)); }, "start"},
      {"fit_pose: a start without orientation",
       [&] { fit_pose(human(), names, positions, without_orientation()); }, "orientation"},
      {"fit_human: sizes that do not fit", [&] { fit_human(names, {}); }, "0 positions"},
      {"fit_human: no joints", [] { fit_human({}, {}); }, "needed"},
      {"fit_human: a hip of NaN",
       [&] {
         std::vector<Vec3> changed = positions;
         changed[12] = {nan, 0, 0};
         fit_human(names, changed);
       },
       "left_hip"},
      {"fit_human: a position at 3e38",
       [&] {
         fit_human(names, moved({0, huge, 0}));
       },
       "left_hand"},
      {"fit_radii: no points", [] { fit_radii(human(), human().rest_pose(), {}); }, "points"},
      {"fit_radii: points of NaN",
       [] {
         fit_radii(human(), human().rest_pose(), std::vector<Vec3>(5, {nan, 0, 1}));
       },
       "points"},
      {"fit_radii: a pose of another size",
       [] {
         fit_radii(human(), std::vector<float>(3), std::vector<Vec3>(5, {0, 0, 1}));
       },
       "pose of 3"},
      {"fit_radii: a pose of NaN",
       [] {
         fit_radii(human(), rest_with(10, nan), std::vector<Vec3>(5, {0, 0, 1}));
       },
       "pose"},
      {"fit_radii: a camera of NaN",
       [] {
         fit_radii(human(), human().rest_pose(), std::vector<Vec3>(5, {0, 0, 1}), {0, nan, 0});
       },
       "camera"},
      {"find_standing_person: no points", [] { find_standing_person({}); }, "0 points"},
      {"find_standing_person: points of Inf",
       [] {
         find_standing_person(std::vector<Vec3>(99, {inf, 0, 0}));
       },
       "0 points"},
      {"render_points: no body", [] { render_points({}, {}, 1); }, "without capsules"},
      {"render_points: -1 points", [&] { render({.points = -1}); }, "-1 points"},
      {"render_points: 2^45 points", [&] { render({.points = std::int64_t{1} << 45}); },
       "35184372088832 points"},
      {"render_points: 2^63 - 1 points",
       [&] { render({.points = std::numeric_limits<std::int64_t>::max()}); }, "9223372036854775807 points"},
      {"render_points: a noise of NaN", [&] { render({.noise_m = nan}); }, "noise of nan"},
      {"render_points: a negative noise", [&] { render({.noise_m = -1}); }, "noise of -1"},
      {"render_points: a huge noise", [&] { render({.noise_m = huge}); }, "noise of"},
      {"render_points: a tiny reference distance",
       [&] { render({.points = 10, .noise_reference_m = 1e-30f}); }, "reference distance"},
      {"render_points: a reference distance of NaN", [&] { render({.noise_reference_m = nan}); },
       "reference"},
      {"render_points: outliers of 1", [&] { render({.outliers = 1}); }, "outliers"},
      {"render_points: outliers of NaN", [&] { render({.outliers = nan}); }, "outliers"},
      {"render_points: a negative background", [&] { render({.background = -0.1f}); }, "background"},
      {"render_points: a camera of NaN",
       [&] {
         render({.points = 10, .camera = {nan, 0, 0}});
       },
       "camera"},
      {"render_points: a camera at 1e38",
       [&] {
         render({.points = 10, .camera = {0, 0, -huge}});
       },
       "camera"},
      {"render_points: a body behind",
       [&] {
         render_capsule({{0, 0, -3}, 1, {}});
       },
       "front of the camera"},
      {"render_points: a body of NaN",
       [&] {
         render_capsule({{0, 0, 3}, nan, {0, 0, 3}});
       },
       "capsule 0"},
      {"render_points: a body at 1e38",
       [&] {
         render_capsule({{0, 0, huge}, 1, {0, 0, huge}});
       },
       "capsule 0"},
      {"render_points: a body without surface",
       [&] {
         render_capsule({{0, 0, 3}, 0, {0, 0, 3}});
       },
       "thin"},
      {"first_hit_m: a direction of 0", [&] { first_hit_m(body, {}, {}); }, "direction"},
      {"first_hit_m: a direction of NaN",
       [&] {
         first_hit_m(body, {}, {0, 0, nan});
       },
       "direction"},
      {"first_hit_m: a camera of Inf",
       [&] {
         first_hit_m(body, {inf, 0, 0}, {0, 0, 1});
       },
       "camera"},
  };
  expect_refusals(refusals);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
