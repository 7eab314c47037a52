// find_faces: two synthetic faces in one image, found by a model that has not seen them.
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

const Model& model() {
  static const Model trained = [] {
    std::vector<Example> faces;
    faces.reserve(40);
    for (int i = 0; i < 40; ++i) faces.push_back(render_face(random_face(7, i), 256, 256));
    return train(faces, {});
  }();
  return trained;
}

// Images of one height side by side, and the landmarks of each.
struct Pair {
  Image<Grey8> image;
  std::vector<Shape> truth;
};
Pair side_by_side(const Example& a, const Example& b) {
  Pair pair{Image<Grey8>(a.image.width + b.image.width, a.image.height), {a.landmarks, b.landmarks}};
  for (std::int64_t y = 0; y < a.image.height; ++y) {
    const auto left = a.image.view().row(y), right = b.image.view().row(y);
    const auto row = pair.image.view().row(y);
    std::copy(right.begin(), right.end(), std::copy(left.begin(), left.end(), row.begin()));
  }
  for (Point& p : pair.truth[1]) p.x += static_cast<double>(a.image.width);
  return pair;
}

TEST(FindFaces, FindsBothFacesOfAnImage) {
  Fitter fitter(model(), {}, Device::cpu());
  for (int i = 0; i < 3; ++i) {
    const Pair pair = side_by_side(render_face(random_face(7, 1000 + 2 * i), 256, 256),
                                   render_face(random_face(7, 1001 + 2 * i), 256, 256));
    const std::vector<Fit> found = find_faces(fitter, pair.image.view());
    ASSERT_EQ(found.size(), 2u) << i;
    EXPECT_GE(found[0].score, found[1].score);
    for (const Shape& truth : pair.truth) {
      // below 0.05 a fit counts as good
      const double error =
          std::min(shape_error(found[0].landmarks, truth), shape_error(found[1].landmarks, truth));
      EXPECT_LT(error, 0.05) << i;
    }
    ASSERT_EQ(find_faces(fitter, pair.image.view(), {.max_faces = 1}).size(), 1u);
    EXPECT_EQ(find_faces(fitter, pair.image.view(), {.max_faces = 1})[0].landmarks, found[0].landmarks);
  }
}

TEST(FindFaces, FindsNothingWhereThereIsNoFace) {
  Fitter fitter(model(), {}, Device::cpu());
  Image<Grey8> waves(256, 256);
  for (std::int64_t y = 0; y < 256; ++y)
    for (std::int64_t x = 0; x < 256; ++x)
      waves.view().at(x, y) = {static_cast<std::uint8_t>((x * x / 64 + 3 * y) % 256)};
  EXPECT_TRUE(find_faces(fitter, waves.view()).empty());
  EXPECT_TRUE(find_faces(fitter, Image<Grey8>(64, 64).view()).empty());
}

TEST(FindFaces, RefusesOptions) {
  Fitter fitter(model(), {}, Device::cpu());
  const Image<Grey8> image(64, 64);
  EXPECT_ERROR(find_faces(fitter, {}), InvalidArgument, "empty");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.box_sizes = {1.5}}), InvalidArgument, "1.5");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.spacing = 0}), InvalidArgument, "0.01 to 1");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.max_overlap = 2}), InvalidArgument, "overlap by 2");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.max_faces = -1}), InvalidArgument, "-1");
}

}  // namespace
}  // namespace triptych::aam_fit
