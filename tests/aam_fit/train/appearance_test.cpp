// The grey appearance: what it makes of a face resembles that face, whatever the levels compare; it survives
// the model's file; bad input is refused.
#include <triptych/aam_fit/appearance.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "testing/expect_error.hpp"
#include "testing/temporary_directory.hpp"
#include "train/level_model.hpp"

namespace triptych::aam_fit {
namespace {

const std::vector<Example>& faces() {
  static const std::vector<Example> all = [] {
    std::vector<Example> made;
    made.reserve(24);
    for (int i = 0; i < 24; ++i) made.push_back(render_face(random_face(7, i), 256, 256));
    return made;
  }();
  return all;
}

const Model& model() {
  static const Model trained = [] {
    TrainOptions options;
    options.levels = default_levels(400, 1);
    options.appearance_pixels = 2000;
    options.mirror = options.face_classifier = false;
    options.texture_variance = 0.999;
    options.combined_variance = 0.999;
    return train(faces(), options);
  }();
  return trained;
}

// Of the grey values under both shapes' frames.
double correlation(const Image<Grey8>& picture, std::span<const float> texture) {
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  const Level& level = model().appearance;
  const auto n = static_cast<double>(level.pixels());
  for (std::int64_t i = 0; i < level.pixels(); ++i) {
    const double x = picture.pixels[static_cast<std::size_t>(level.frame.raster_indices[i])].v;
    const double y = texture[static_cast<std::size_t>(i)];
    a += x, b += y, aa += x * x, bb += y * y, ab += x * y;
  }
  return (ab - a * b / n) / std::sqrt((aa - a * a / n) * (bb - b * b / n));
}

std::vector<float> grey_under(const Example& face) {
  const Level& level = model().appearance;
  const Crop crop = crop_for(level, face.landmarks);
  FaceSampler sampler(level);
  sampler.prepare(face.image.view(), crop);
  std::vector<float> texture(static_cast<std::size_t>(level.samples()));
  sampler.sample(to_crop(crop, face.landmarks), texture);
  return texture;
}

TEST(Appearance, OfATrainingFaceIsThatFace) {
  ASSERT_TRUE(has_appearance(model()));
  for (const int i : {0, 5, 11}) {
    const Example& face = faces()[static_cast<std::size_t>(i)];
    const Image<Grey8> own =
        appearance_picture(model(), appearance_of(model(), face.image.view(), face.landmarks));
    // 0.999 of the variance about the mean is kept; the rest, rounding to grey and clamping cost little
    EXPECT_GT(correlation(own, grey_under(face)), 0.99) << "face " << i;
  }
}

TEST(Appearance, OfAnotherFaceIsAnother) {
  const Example &one = faces()[0], &other = faces()[5];
  const Image<Grey8> picture =
      appearance_picture(model(), appearance_of(model(), one.image.view(), one.landmarks));
  EXPECT_GT(correlation(picture, grey_under(one)), correlation(picture, grey_under(other)) + 0.005);
}

TEST(Appearance, SurvivesTheFileAndFitsWithoutIt) {
  const test::TemporaryDirectory directory;
  save_model(directory / "face.aam", model());
  const Model loaded = load_model(directory / "face.aam");
  const std::vector<float> c(static_cast<std::size_t>(model().appearance.modes), 0.0f);
  EXPECT_EQ(appearance_picture(loaded, c), appearance_picture(model(), c));

  Model bare = model();
  bare.appearance = {};
  save_model(directory / "bare.aam", bare);
  const Model again = load_model(directory / "bare.aam");
  EXPECT_FALSE(has_appearance(again));
  EXPECT_ERROR(appearance_picture(again, c), InvalidArgument, "without an appearance");
}

TEST(Appearance, RefusesWhatDoesNotFit) {
  const std::vector<float> c(static_cast<std::size_t>(model().appearance.modes) + 1, 0.0f);
  EXPECT_ERROR(appearance_picture(model(), c), InvalidArgument, "cannot be shown at");
  EXPECT_ERROR(appearance_of(model(), faces()[0].image.view(), Shape(3)), InvalidArgument, "a face of 3");
  EXPECT_ERROR(appearance_of(model(), {}, faces()[0].landmarks), InvalidArgument, "empty frame");
  Model broken = model();
  broken.appearance.R = std::vector<float>(5);
  EXPECT_ERROR(check_model(broken), InvalidArgument, "the appearance: R has 5 numbers instead of 0");
}

}  // namespace
}  // namespace triptych::aam_fit
