// Faces that vary as photographs do: exact landmarks, also on the visible outline; and plain faces as before.
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "synthetic/face_geometry.hpp"
#include "synthetic/face_mesh.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

constexpr int size = 512;

FaceParameters large(FaceParameters face) {
  face.x_px = face.y_px = size / 2.0;
  face.size_px = 240;
  return face;
}

const face::SurfacePoint& at(const std::vector<face::SurfacePoint>& seen, Point p) {
  return seen[static_cast<std::size_t>(std::lround(p.y)) * size + static_cast<std::size_t>(std::lround(p.x))];
}

TEST(VariedFace, the_pixel_at_a_landmark_shows_that_landmark) {
  for (int number = 0; number < 8; ++number) {
    FaceParameters face = large(varied_face(3, number));
    face.yaw *= 0.2;  // nothing is hidden
    face.pitch *= 0.2;
    const face::Mesh mesh(face);
    const std::vector<face::SurfacePoint> seen = mesh.rasterise(size, size);
    const Shape landmarks = mesh.landmarks();
    for (std::size_t i = 17; i < 68; ++i) {
      const Point p = face::landmarks()[i];
      EXPECT_EQ(landmarks[i], mesh.in_image(p.x, p.y));
      const face::SurfacePoint& s = at(seen, landmarks[i]);
      ASSERT_TRUE(s.hit);
      const Point pixel{std::round(landmarks[i].x), std::round(landmarks[i].y)},
          back = mesh.in_image(s.x, s.y);
      EXPECT_LT(std::hypot(back.x - pixel.x, back.y - pixel.y), 1e-3) << number << ", " << i;
      EXPECT_LT(std::hypot(s.x - p.x, s.y - p.y), 0.03) << number << ", " << i;
    }
    EXPECT_EQ(render_face(face, 64, 64).landmarks, landmarks);
  }
}

TEST(VariedFace, a_turned_jaw_ends_at_its_visible_outline) {
  int hidden = 0;
  for (const double yaw : {-0.65, -0.3, 0.3, 0.65}) {
    for (int number = 0; number < 4; ++number) {
      FaceParameters face = large(varied_face(4, number));
      face.yaw = yaw;
      face.pitch = face.roll = 0;
      const face::Mesh mesh(face);
      const std::vector<face::SurfacePoint> seen = mesh.rasterise(size, size);
      const Shape landmarks = mesh.landmarks();
      for (std::size_t i = 0; i < 17; ++i) {
        if (i == 8) continue;
        const Point p = face::landmarks()[i];
        const double side = p.x < 0 ? -1 : 1;
        // No point of its row, from the landmark of the neutral face inwards, lies farther outside.
        double farthest = -1e9;
        for (int step = 0; step <= 3000; ++step)
          farthest = std::max(farthest, side * mesh.in_image(p.x * (1 - step / 3000.0), p.y).x);
        EXPECT_LT(farthest - side * landmarks[i].x, 0.01) << yaw << ", " << number << ", " << i;
        if (landmarks[i] == mesh.in_image(p.x, p.y)) continue;
        ++hidden;
        EXPECT_GT(side * yaw, 0) << "only the far side is hidden";
        // On the picture's side of the outline there is skin near that row.
        const face::SurfacePoint& s = at(seen, {landmarks[i].x - 3 * side, landmarks[i].y});
        EXPECT_TRUE(s.hit && std::abs(s.y - p.y) < 0.25) << yaw << ", " << number << ", " << i;
      }
    }
  }
  EXPECT_GT(hidden, 20);
}

TEST(VariedFace, is_the_same_again_and_different_from_the_others) {
  const Example a = render_face(varied_face(9, 4), 160, 120), b = render_face(varied_face(9, 4), 160, 120);
  EXPECT_EQ(a.image.pixels, b.image.pixels);
  EXPECT_EQ(a.landmarks, b.landmarks);
  EXPECT_NE(render_face(varied_face(9, 5), 160, 120).image.pixels, a.image.pixels);
  EXPECT_NE(render_face(varied_face(10, 4), 160, 120).image.pixels, a.image.pixels);
}

TEST(VariedFace, turns_within_its_range_and_stays_in_the_image) {
  double max_yaw = 0, max_pitch = 0;
  for (int number = 0; number < 300; ++number) {
    const FaceParameters face = varied_face(17, number);
    max_yaw = std::max(max_yaw, std::abs(face.yaw));
    max_pitch = std::max(max_pitch, std::abs(face.pitch));
    if (number >= 60) continue;
    for (const Point p : render_face(face, 256, 256).landmarks)
      ASSERT_TRUE(p.x > 4 && p.y > 4 && p.x < 251 && p.y < 251) << number << ": " << p.x << ", " << p.y;
  }
  constexpr double degree = 3.14159265358979 / 180;
  EXPECT_LE(max_yaw, 40.2 * degree);
  EXPECT_GT(max_yaw, 39 * degree);
  EXPECT_LE(max_pitch, 25 * degree);
  EXPECT_GT(max_pitch, 20 * degree);
}

// The figures were made before there was any detail. A grey value may round differently with another libm.
TEST(VariedFace, leaves_plain_faces_as_they_were) {
  const Example plain = render_face(random_face(1, 0), 256, 256);
  const auto sum = std::accumulate(plain.image.pixels.begin(), plain.image.pixels.end(), std::int64_t{0},
                                   [](std::int64_t all, Grey8 value) { return all + value.v; });
  EXPECT_NEAR(static_cast<double>(sum), 5038238, 20);
  EXPECT_NEAR(plain.landmarks[0].x, 61.47742029062012, 1e-9);
  EXPECT_NEAR(plain.landmarks[0].y, 96.81049129668723, 1e-9);
  EXPECT_NEAR(plain.landmarks[8].x, 137.1449536179939, 1e-9);
  EXPECT_NEAR(plain.landmarks[8].y, 192.2911156954985, 1e-9);
}

TEST(VariedFace, refuses_detail_far_outside_its_range) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change, const char* part) {
    FaceParameters face = varied_face(1, 1);
    change(*face.detail);
    EXPECT_ERROR(render_face(face, 64, 64), InvalidArgument, part);
  };
  refused([&](FaceDetail& d) { d.shape[3] = nan; }, "shape");
  refused([&](FaceDetail& d) { d.depth = 1e9; }, "depth");
  refused([&](FaceDetail& d) { d.hardness = nan; }, "light");
  refused([&](FaceDetail& d) { d.hair = nan; }, "appearance");
  refused([&](FaceDetail& d) { d.clutter = 1e9; }, "clutter");
  refused([&](FaceDetail& d) { d.brow_thickness = 0; }, "brow_thickness");
  refused([&](FaceDetail& d) { d.gamma = -1; }, "gamma");
  refused([&](FaceDetail& d) { d.blur_px = 1e6; }, "blur_px");
  refused([&](FaceDetail& d) { d.quantisation = nan; }, "quantisation");
}

}  // namespace
}  // namespace triptych::aam_fit
