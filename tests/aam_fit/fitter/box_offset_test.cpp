// The offset of a face detector: recovered from examples, and applied.
#include <triptych/aam_fit/box_offset.hpp>
#include <triptych/aam_fit/shape.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

constexpr BoxOffset detector{0.03, 0.12, 0.8};

Shape a_shape(int number) {
  return {{20.0 + number, 30}, {60.0 + 2 * number, 35}, {40, 90.0 + 3 * number}, {25, 70}};
}

// What a detector with that offset returns for a shape.
Box box_of(const Shape& shape, double height_over_width) {
  const Box face = bounds(shape);
  const double area = face.width * face.height / (detector.scale * detector.scale);
  const double width = std::sqrt(area / height_over_width), height = width * height_over_width;
  return {face.x + face.width / 2 - width * (0.5 + detector.shift_x),
          face.y + face.height / 2 - height * (0.5 + detector.shift_y), width, height};
}

void expect_near(const BoxOffset& a, const BoxOffset& b) {
  EXPECT_NEAR(a.shift_x, b.shift_x, 1e-12);
  EXPECT_NEAR(a.shift_y, b.shift_y, 1e-12);
  EXPECT_NEAR(a.scale, b.scale, 1e-12);
}

TEST(BoxOffset, is_recovered_from_boxes_that_have_it) {
  for (const int count : {1, 2, 31, 32}) {
    std::vector<Box> boxes;
    std::vector<Shape> shapes;
    for (int i = 0; i < count; ++i) {
      shapes.push_back(a_shape(i));
      boxes.push_back(box_of(shapes.back(), 0.8 + 0.02 * i));
    }
    expect_near(calibrate_box_offset(boxes, shapes), detector);
    if (count < 31) continue;
    for (int i = 0; i < 10; ++i) boxes[static_cast<std::size_t>(i)] = {i * 100.0, 7, 5, 6};  // wrong ones
    for (int i = 0; i < 10; ++i) boxes[static_cast<std::size_t>(i)].x *= i % 2 == 0 ? 1 : -1;
    EXPECT_NE(calibrate_box_offset(std::span(boxes).first(10), std::span(shapes).first(10)), detector);
  }
}

TEST(BoxOffset, places_the_mean_shape_where_the_landmarks_are) {
  Model model;
  model.mean = {{-0.5, -0.4}, {0.4, -0.45}, {0.1, 0.6}};
  const double size = face_size(model.mean);
  for (Point& p : model.mean) p = {p.x / size, p.y / size};
  const Shape truth = place_in_box(model.mean, {30, 40, 80, 80});
  const Box found = box_of(truth, 1.1);
  const Shape start = start_in_box(model, found, detector, 200, 200);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(start[i].x, truth[i].x, 1e-9);
    EXPECT_NEAR(start[i].y, truth[i].y, 1e-9);
  }
  // Without an offset: a square of the box's area, as before.
  EXPECT_NEAR(face_size(start_in_box(model, found, BoxOffset{}, 200, 200)),
              std::sqrt(found.width * found.height), 1e-9);
}

TEST(BoxOffset, refuses_what_makes_no_sense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Shape> shapes{a_shape(0)};
  const auto calibrate = [&](Box box, const std::vector<Shape>& of) {
    return calibrate_box_offset(std::vector<Box>{box}, of);
  };
  EXPECT_ERROR(calibrate_box_offset({}, {}), InvalidArgument, "boxes");
  EXPECT_ERROR(calibrate({0, 0, 9, 9}, {}), InvalidArgument, "boxes");
  EXPECT_ERROR(calibrate({0, 0, 0, 9}, shapes), InvalidArgument, "boxes");
  EXPECT_ERROR(calibrate({nan, 0, 9, 9}, shapes), InvalidArgument, "boxes");
  EXPECT_ERROR(calibrate({0, 0, 9, 9}, {{{1, 1}, {1, 1}}}), InvalidArgument, "shapes");
  EXPECT_ERROR(calibrate({0, 0, 9, 9}, {{{1, nan}, {3, 1}, {3, 4}}}), InvalidArgument, "shapes");
  Model model;
  model.mean = a_shape(0);
  for (const BoxOffset bad : {BoxOffset{nan, 0, 1}, BoxOffset{0, 0, 0}, BoxOffset{0, 0, -1},
                              BoxOffset{0, std::numeric_limits<double>::infinity(), 1}})
    EXPECT_ERROR(start_in_box(model, {0, 0, 9, 9}, bad, 100, 100), InvalidArgument, "offset");
  EXPECT_ERROR(start_in_box(model, {0, 0, 0, 9}, detector, 100, 100), InvalidArgument, "empty");
  EXPECT_ERROR(start_in_box(model, {200, 0, 9, 9}, detector, 100, 100), InvalidArgument, "outside");
}

}  // namespace
}  // namespace triptych::aam_fit
