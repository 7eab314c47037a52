// Bad arguments of motions, fits and rendering.
#include <cstring>

#include "capsule_likelihood/bad_bodies.hpp"
#include "testing/refusals.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

using triptych::test::expect_refusals;
using triptych::test::Refusal;
using triptych::test::TemporaryDirectory;

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
      {"fit_body: no points", [] { fit_body(human(), human().rest_pose(), {}); }, "points"},
      {"fit_body: a pose of another size",
       [] {
         fit_body(human(), std::vector<float>(3), std::vector<Vec3>(5, {0, 0, 1}));
       },
       "pose of 3"},
      {"fit_body: a camera of NaN",
       [] {
         fit_body(human(), human().rest_pose(), std::vector<Vec3>(5, {0, 0, 1}), {0, nan, 0});
       },
       "camera"},
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
