// Mirror images of training faces, and landmarks that lie beside what they mark.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "train/level_model.hpp"
#include "train/mirror.hpp"

namespace triptych::aam_fit {
namespace {

std::vector<Example> faces_with_offset(std::uint64_t seed, int count, double offset_px) {
  std::vector<Example> examples;
  examples.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    examples.push_back(render_face(random_face(seed, i), 192, 192));
    for (Point& p : examples.back().landmarks) p.x += offset_px;
  }
  return examples;
}

double estimate(const std::vector<Example>& examples, int threads = 0) {
  std::vector<Shape> shapes;
  shapes.reserve(examples.size());
  for (const Example& example : examples) shapes.push_back(example.landmarks);
  const Level level = make_level(make_shape_model(shapes, {1, 1}), {}, patch_level());
  return offset_from_textures_px(level, examples, mirror_of_68(), threads);
}

TEST(Mirror, TurnsImagesAndLandmarks) {
  const Example face = faces_with_offset(1, 1, 0).front();
  const Image<Grey8> mirrored = mirror_image(face.image);
  EXPECT_EQ(mirrored.view().row(17)[0], face.image.view().row(17)[191]);
  EXPECT_EQ(mirror_image(mirrored), face.image);
  const Mirror mirror{mirror_of_68(), 1.5};
  const Shape shape = mirror_shape(face.landmarks, mirror, 192);
  // What landmark 16 marks lies 1.5 to the left of it, in the mirror at 191 less its place, and landmark 0 is
  // 1.5 to the right of that.
  EXPECT_DOUBLE_EQ(shape[0].x, 191 - (face.landmarks[16].x - 1.5) + 1.5);
  EXPECT_DOUBLE_EQ(shape[0].y, face.landmarks[16].y);
  const Shape back = mirror_shape(shape, mirror, 192);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i].x, face.landmarks[i].x, 1e-12);
}

TEST(Mirror, LandmarksWhereTheyBelongHaveNoOffset) {
  for (const std::uint64_t seed : {1U, 2U}) EXPECT_EQ(estimate(faces_with_offset(seed, 40, 0)), 0);
}

TEST(Mirror, TheOffsetOfLandmarksIsFound) {
  // The faces are symmetrical but for their turn and light, which the estimate's own error allows for; the
  // parabola through three shifts is exact to some hundredths of a pixel.
  const double right = estimate(faces_with_offset(1, 40, 2)),
               left = estimate(faces_with_offset(1, 40, -1.25));
  EXPECT_NEAR(right, 2, 0.15);
  EXPECT_NEAR(right - left, 3.25, 0.05);
}

TEST(Mirror, TheOffsetOfMirroredFacesIsTheOpposite) {
  std::vector<Example> faces = faces_with_offset(3, 16, 1.3);
  const double offset = estimate(faces);
  EXPECT_GT(offset, 1);
  const Mirror plain{mirror_of_68()};
  for (Example& face : faces) {
    face.image = mirror_image(face.image);
    face.landmarks = mirror_shape(face.landmarks, plain, 192);
  }
  EXPECT_NEAR(estimate(faces), -offset, 0.01);
}

TEST(Mirror, AnOffsetOutsideTheRangeAndOneOfFewFacesIsNone) {
  EXPECT_EQ(estimate(faces_with_offset(1, 16, 12)), 0);
  EXPECT_EQ(estimate(faces_with_offset(1, 7, 1)), 0);
}

TEST(Mirror, ThreadsDoNotChangeABit) {
  const auto faces = faces_with_offset(1, 17, 1);
  EXPECT_EQ(estimate(faces, 1), estimate(faces, 3));
}

// The mean distance to the right of the true landmarks, over faces that the model has not seen.
double mean_error_to_the_right(const Model& model, double offset_px) {
  Fitter fitter(model, {}, Device::cpu());
  double sum = 0;
  int count = 0;
  for (const Example& face : faces_with_offset(9, 12, offset_px)) {
    const Fit fit = fitter.step({face.image.view(), start_in_box(model, bounds(face.landmarks), 192, 192)});
    for (std::size_t i = 0; i < face.landmarks.size(); ++i, ++count)
      sum += fit.landmarks[i].x - face.landmarks[i].x;
  }
  return sum / count;
}

TEST(Mirror, AModelPlacesLandmarksAsTheAnnotatorsDo) {
  constexpr double offset_px = 2;
  const auto faces = faces_with_offset(8, 40, offset_px);
  TrainOptions options;
  options.face_classifier = false;
  options.deformations = 0;
  options.mirror_points = mirror_of_68();
  const Model model = train(faces, options);
  EXPECT_NEAR(mean_error_to_the_right(model, offset_px), 0, 0.5);
  const double estimated = estimate_landmark_offset_px(faces, options);
  EXPECT_EQ(estimated, estimate(faces));
  options.landmark_offset_px = estimated;  // what train() takes by itself
  EXPECT_EQ(encode_model(train(faces, options)), encode_model(model));
  options.landmark_offset_px = 0;  // half of the faces say 2 to the right, half 2 to the left
  EXPECT_LT(mean_error_to_the_right(train(faces, options), offset_px), -0.5);
}

TEST(Mirror, WithoutMirrorImagesThereIsNoOffset) {
  const auto faces = faces_with_offset(8, 40, 2);
  TrainOptions options;
  options.mirror = false;
  EXPECT_EQ(estimate_landmark_offset_px(faces, options), 0);
}

}  // namespace
}  // namespace triptych::aam_fit
