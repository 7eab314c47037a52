// Synthetic faces: landmarks where they were drawn, the same picture for the same parameters, and pictures
// that follow them.
#include <triptych/aam_fit/synthetic_face.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "synthetic/face_geometry.hpp"
#include "synthetic/face_mesh.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

FaceParameters calm() {
  FaceParameters face;
  face.noise = 0;
  return face;
}

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

// Mean grey value of a disc.
double grey_at(const Image<Grey8>& image, Point middle, double radius) {
  double sum = 0;
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (std::hypot(x - middle.x, y - middle.y) > radius) continue;
      sum += image.view().at(x, y).v;
      ++count;
    }
  }
  return sum / count;
}

Point between(Point a, Point b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

TEST(SyntheticFace, the_pixel_at_a_landmark_shows_that_landmark) {
  for (int number = 0; number < 5; ++number) {
    FaceParameters face = random_face(3, number);
    face.x_px = face.y_px = 256;
    face.size_px = 240;
    const face::Mesh mesh(face);
    const int size = 512;
    const std::vector<face::SurfacePoint> seen = mesh.rasterise(size, size);
    for (const Point p : face::landmarks()) {
      const Point in_image = mesh.in_image(p.x, p.y);
      const auto x = static_cast<std::size_t>(std::lround(in_image.x));
      const auto y = static_cast<std::size_t>(std::lround(in_image.y));
      const face::SurfacePoint& s = seen[y * size + x];
      ASSERT_TRUE(s.hit);
      // What that pixel shows lies, in the image again, on the pixel itself (the places are floats).
      EXPECT_LT(distance(mesh.in_image(s.x, s.y), {static_cast<double>(x), static_cast<double>(y)}), 1e-3);
      EXPECT_LT(std::hypot(s.x - p.x, s.y - p.y), 0.02);
    }
  }
}

TEST(SyntheticFace, curves_pass_through_their_landmarks) {
  const auto& at = face::landmarks();
  const face::Curves& c = face::curves();
  for (const int i : {36, 37, 38, 39})
    EXPECT_NEAR(c.upper_lid.at(at[static_cast<std::size_t>(i)].x), at[static_cast<std::size_t>(i)].y, 1e-12);
  for (const int i : {48, 50, 51, 53})
    EXPECT_NEAR(c.outer_upper_lip.at(at[static_cast<std::size_t>(i)].x), at[static_cast<std::size_t>(i)].y,
                1e-12);
  for (std::size_t i = 0; i <= 16; ++i)
    EXPECT_NEAR(face::outline_towards(at[i].x, at[i].y), std::hypot(at[i].x, at[i].y), 1e-12);
}

TEST(SyntheticFace, same_parameters_same_picture) {
  const FaceParameters face = random_face(9, 4);
  const Example a = render_face(face, 160, 120), b = render_face(face, 160, 120);
  EXPECT_EQ(a.image.pixels, b.image.pixels);
  EXPECT_EQ(a.landmarks, b.landmarks);
  FaceParameters moved = face;
  moved.x_px += 1e-3;  // other noise, for a video's next frame
  EXPECT_NE(render_face(moved, 160, 120).image.pixels, a.image.pixels);
}

TEST(SyntheticFace, at_rest_it_has_the_size_and_place_asked_for) {
  FaceParameters face = calm();
  face.expression[1] = 0.25;  // the mouth as it is drawn
  face.x_px = 90;
  face.y_px = 75;
  face.size_px = 64;
  const Example made = render_face(face, 180, 160);
  const Box box = bounds(made.landmarks);
  EXPECT_NEAR(std::sqrt(box.width * box.height), 64, 0.1);
  EXPECT_NEAR(box.x + box.width / 2, 90, 0.1);
  EXPECT_NEAR(box.y + box.height / 2, 75, 0.1);
}

TEST(SyntheticFace, random_faces_lie_inside_their_image) {
  for (int number = 0; number < 100; ++number) {
    const Example made = render_face(random_face(17, number), 256, 256);
    ASSERT_EQ(made.landmarks.size(), 68U);
    for (const Point p : made.landmarks) {
      ASSERT_TRUE(p.x > 8 && p.y > 8 && p.x < 247 && p.y < 247) << number << ": " << p.x << ", " << p.y;
    }
  }
}

TEST(SyntheticFace, the_mirror_swaps_sides) {
  const std::vector<int> mirror = mirror_of_68();
  ASSERT_EQ(mirror.size(), 68U);
  FaceParameters face = calm();
  face.yaw = 0.2;
  face.roll = 0.1;
  FaceParameters other = face;
  other.yaw = -0.2;
  other.roll = -0.1;
  const Shape a = render_face(face, 256, 256).landmarks, b = render_face(other, 256, 256).landmarks;
  for (std::size_t i = 0; i < 68; ++i) {
    const auto j = static_cast<std::size_t>(mirror[i]);
    EXPECT_EQ(mirror[j], static_cast<int>(i));
    EXPECT_NEAR(a[i].x, 256 - b[j].x, 0.05) << i;  // the mesh's cells are not cut symmetrically
    EXPECT_NEAR(a[i].y, b[j].y, 0.05) << i;
  }
}

TEST(SyntheticFace, the_picture_follows_expression_and_light) {
  FaceParameters face = calm();
  face.expression[1] = 1;
  const Example open = render_face(face, 256, 256);
  const Shape& p = open.landmarks;
  EXPECT_GT(p[66].y - p[62].y, 9);
  // Inside the open mouth it is dark, the upper lip is not.
  const Point inside{p[66].x, p[62].y + 0.75 * (p[66].y - p[62].y)};
  EXPECT_LT(grey_at(open.image, inside, 2) + 30, grey_at(open.image, between(p[51], p[62]), 1.5));
  // The iris is darker than skin, the skin beside the jaw brighter than the neck below it.
  EXPECT_LT(grey_at(open.image, between(between(p[37], p[38]), between(p[40], p[41])), 4) + 25,
            grey_at(open.image, {p[1].x + 14, p[1].y}, 4));

  face.light_x = 0.9;
  const Example from_right = render_face(face, 256, 256);
  EXPECT_GT(grey_at(from_right.image, {p[14].x - 14, p[14].y}, 4),
            grey_at(from_right.image, {p[2].x + 14, p[2].y}, 4) + 15);
}

TEST(SyntheticFace, a_video_moves_little_from_frame_to_frame_and_far_over_time) {
  const Shape first = render_face(face_in_motion(5, 0), 256, 256).landmarks;
  Shape last = first;
  double farthest = 0;
  for (int frame = 1; frame <= 60; ++frame) {
    const Shape now = render_face(face_in_motion(5, frame / 30.0), 64, 64).landmarks;
    EXPECT_LT(shape_error(now, last), 0.03) << frame;
    farthest = std::max(farthest, shape_error(now, first));
    last = now;
  }
  EXPECT_GT(farthest, 0.08);
}

TEST(SyntheticFace, refuses_images_and_faces_of_no_size) {
  FaceParameters face;
  EXPECT_ERROR(render_face(face, 8, 100), InvalidArgument, "8192");
  face.size_px = 0;
  EXPECT_ERROR(render_face(face, 64, 64), InvalidArgument, "pixels large");
}

}  // namespace
}  // namespace triptych::aam_fit
