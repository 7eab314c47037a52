// Shapes: similarities against hand-computed cases and each other, alignment against a known pose, the
// evaluation's starts against their definition.
#include <triptych/aam_fit/shape.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

const Shape corner{{0, 0}, {4, 0}, {0, 3}, {4, 3}};

TEST(Shape, APoseTurnsScalesAndMoves) {
  // a quarter turn, twice the size, then (10, 20): x' = -2 y + 10, y' = 2 x + 20
  const Point p = posed(Similarity{-1, 2, 10, 20}, Point{3, 4});
  EXPECT_EQ(p, (Point{2, 26}));
}

TEST(Shape, ComposedAndInversePosesUndoEachOther) {
  const Similarity a{0.2, -0.4, 5, -7}, b{-0.3, 0.1, 2, 11};
  const Point p{13, -8}, both = posed(compose(b, a), p), one_by_one = posed(b, posed(a, p));
  EXPECT_NEAR(both.x, one_by_one.x, 1e-13);
  EXPECT_NEAR(both.y, one_by_one.y, 1e-13);
  const Point back = posed(inverse(a), posed(a, p));
  EXPECT_NEAR(back.x, p.x, 1e-13);
  EXPECT_NEAR(back.y, p.y, 1e-13);
}

TEST(Shape, AlignFindsThePose) {
  const Similarity pose{std::cos(0.3) * 1.5 - 1, std::sin(0.3) * 1.5, -4, 9};
  const Similarity found = align(corner, posed(pose, corner));
  EXPECT_NEAR(found.sx, pose.sx, 1e-14);
  EXPECT_NEAR(found.sy, pose.sy, 1e-14);
  EXPECT_NEAR(found.tx, pose.tx, 1e-13);
  EXPECT_NEAR(found.ty, pose.ty, 1e-13);
}

TEST(Shape, CentreIsTheMeanOfThePoints) {
  EXPECT_EQ(centre_of(corner), (Point{2, 1.5}));
  EXPECT_EQ(centre_of(Shape{{1, 2}, {4, 8}, {1, 2}}), (Point{2, 4}));
}

TEST(Shape, ErrorIsMeasuredInTheTruthsBox) {
  Shape off = corner;
  for (Point& p : off) p.x += 1;
  EXPECT_NEAR(shape_error(off, corner), 1 / std::sqrt(12.0), 1e-15);
  EXPECT_EQ(shape_error(corner, corner), 0);
}

TEST(Shape, StartsAreDisplacedByTheirSharesOfTheBox) {
  const auto starts = evaluation_starts(corner, posed(Similarity{1, 0, 100, 50}, corner));
  ASSERT_EQ(starts.size(), 5u);
  EXPECT_NEAR(bounds(starts[0]).x, 100, 1e-12);
  EXPECT_NEAR(bounds(starts[1]).x, 100 + 0.06 * 8, 1e-12);
  EXPECT_NEAR(bounds(starts[2]).y, 50 + 0.04 * 6, 1e-12);
  EXPECT_NEAR(bounds(starts[3]).width, 8 * 1.06, 1e-12);
  EXPECT_NEAR(bounds(starts[3]).y + bounds(starts[3]).height / 2, 53 - 0.06 * 6, 1e-12);
  EXPECT_NEAR(bounds(starts[4]).height, 6 * 0.94, 1e-12);
}

TEST(Shape, RefusesWhatMakesNoSense) {
  EXPECT_ERROR(align(Shape(1), Shape(1)), InvalidArgument, "two points");
  EXPECT_ERROR(align(Shape(4), corner), InvalidArgument, "coincide");
  EXPECT_ERROR(align(corner, Shape(1)), InvalidArgument, "4 points");
  EXPECT_ERROR(bounds(Shape{}), InvalidArgument, "no box");
  EXPECT_ERROR(centre_of(Shape{}), InvalidArgument, "no centre");
  EXPECT_ERROR(inverse(Similarity{.sx = -1}), InvalidArgument, "no way back");
  EXPECT_ERROR(place_in_box(Shape(2), Box{.width = 2, .height = 2}), InvalidArgument, "no area");
}

}  // namespace
}  // namespace triptych::aam_fit
