// Rigid transforms, and the files that hold those of cameras.
#include <triptych/capsule_likelihood/cameras_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/expect_error.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

// A rotation about the axis (1, 2, 3), by Rodrigues' formula, and a translation.
RigidTransform some_transform() {
  const double angle = 0.7, n = std::sqrt(14.0), x = 1 / n, y = 2 / n, z = 3 / n;
  const double c = std::cos(angle), s = std::sin(angle), d = 1 - c;
  const double rows[9] = {c + x * x * d,     x * y * d - z * s, x * z * d + y * s,
                          y * x * d + z * s, c + y * y * d,     y * z * d - x * s,
                          z * x * d - y * s, z * y * d + x * s, c + z * z * d};
  RigidTransform t;
  for (std::size_t i = 0; i < 9; ++i) t.rotation[i] = static_cast<float>(rows[i]);
  t.translation_m = {0.5f, -1.25f, 3};
  return t;
}

TEST(RigidTransform, MovesPointsAndBack) {
  const RigidTransform t = some_transform();
  const Vec3 p = {1, 2, 3}, moved = transform(t, p);
  // The axis stays where it is.
  EXPECT_NEAR(moved.x, p.x + 0.5f, 1e-6);
  EXPECT_NEAR(moved.y, p.y - 1.25f, 1e-6);
  EXPECT_NEAR(moved.z, p.z + 3, 1e-6);
  const Vec3 q = {-4, 0.5f, 7}, back = transform(inverse(t), transform(t, q));
  EXPECT_NEAR(back.x, q.x, 3e-6);
  EXPECT_NEAR(back.y, q.y, 3e-6);
  EXPECT_NEAR(back.z, q.z, 3e-6);
  EXPECT_EQ(transform(RigidTransform{}, q), q);
}

TEST(RigidTransform, IsChecked) {
  RigidTransform t = some_transform();
  check_transform(t, "a camera");
  t.rotation[4] += 0.01f;
  EXPECT_ERROR(check_transform(t, "a camera"), InvalidArgument, "a camera: the rotation's rows");
  t = some_transform();
  t.rotation[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_ERROR(check_transform(t, "a camera"), InvalidArgument, "a camera: the rotation's rows");
  t = some_transform();
  t.translation_m.y = 2e6f;
  EXPECT_ERROR(check_transform(t, "a camera"), InvalidArgument, "a camera: the translation");
}

TEST(CamerasFile, ReadsWhatItWrites) {
  const test::TemporaryDirectory folder;
  const std::vector<CalibratedCamera> cameras = {{"front", {}}, {"left", some_transform()}};
  write_cameras(folder.path() / "cameras.json", cameras);
  const std::vector<CalibratedCamera> read = read_cameras(folder.path() / "cameras.json");
  ASSERT_EQ(read.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].name, cameras[i].name);
    EXPECT_EQ(read[i].camera_from_world, cameras[i].camera_from_world);
  }
}

TEST(CamerasFile, RefusesWhatIsNoCalibration) {
  const test::TemporaryDirectory folder;
  const auto refuses = [&](const std::string& text, const std::string& part) {
    const auto path = folder.path() / "bad.json";
    write_file_atomically(path, text);
    EXPECT_ERROR(read_cameras(path), ParseError, part);
  };
  refuses("{", "bad.json");
  refuses("[]", "cameras");
  refuses(R"({"cameras": 3})", "a list of 1 to 1024 cameras");
  refuses(R"({"cameras": []})", "a list of 1 to 1024 cameras");
  refuses(R"({"cameras": [{"rotation": [1,0,0,0,1,0,0,0,1], "translation_m": [0,0,0]}]})", "name");
  refuses(R"({"cameras": [{"name": "a", "rotation": [1,0,0], "translation_m": [0,0,0]}]})",
          "rotation has 3 numbers, not 9");
  refuses(R"({"cameras": [{"name": "a", "rotation": [1,0,0,0,1,0,0,0,1], "translation_m": [0,0]}]})",
          "translation_m has 2 numbers, not 3");
  refuses(R"({"cameras": [{"name": "a", "rotation": [1,0,0,0,1,0,0,0,2], "translation_m": [0,0,0]}]})",
          "camera 'a': the rotation's rows");
  refuses(R"({"cameras": [{"name": "a", "rotation": "x", "translation_m": [0,0,0]}]})", "rotation");
  EXPECT_THROW(read_cameras(folder.path() / "absent.json"), Error);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
