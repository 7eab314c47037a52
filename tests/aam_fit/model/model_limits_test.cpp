// Models, read from files among others, that would make their users read or write outside of arrays, or ask
// for memory out of all proportion to the file.
#include <triptych/aam_fit/appearance.hpp>
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/model_file.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "aam_fit/tiny_model.hpp"
#include "model/model_format.hpp"
#include "testing/expect_error.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::aam_fit {
namespace {

using test::tiny_level;
using test::tiny_model;

TEST(ModelLimits, TheModelOfTheseTestsIsValid) {
  const Model model = tiny_model();
  check_model(model);
  EXPECT_LT(encode_model(model).size(), 12000u);
  EXPECT_EQ(appearance_picture(model, std::vector<float>{0.5f}).width, 4);
  Fitter fitter(model, {}, Device::cpu(1));
  const Image<Grey8> frame(40, 30);
  EXPECT_EQ(fitter.step({frame.view(), start_in_box(model, {5, 5, 20, 20}, 40, 30)}).landmarks.size(), 3u);
}

// The picture has as many pixels as the frame names, and the texture one value for each.
TEST(ModelLimits, AnAppearanceHasOneChannel) {
  for (const FeatureKind kind :
       {FeatureKind::gradient, FeatureKind::double_angle, FeatureKind::orientation}) {
    Model model = tiny_model();
    model.appearance = tiny_level({.kind = kind}, 1, 8, false);
    EXPECT_ERROR(check_model(model), InvalidArgument, "appearance");
    EXPECT_ERROR(encode_model(model), InvalidArgument, "grey");
    EXPECT_ERROR(appearance_picture(model, std::vector<float>{1}), InvalidArgument, "grey");
  }
}

TEST(ModelLimits, AnAppearanceThatDoesNotFitItselfIsNotShown) {
  Model model = tiny_model();
  model.appearance.frame.raster_indices = std::vector<std::int32_t>(12, 1 << 30);
  EXPECT_ERROR(appearance_picture(model, std::vector<float>{1}), InvalidArgument, "reference frame");
  model = tiny_model();
  model.appearance.Qg = std::vector<float>(3);
  EXPECT_ERROR(appearance_picture(model, std::vector<float>{1}), InvalidArgument, "Qg");
}

TEST(ModelLimits, TheFaceSizeIsThatOfTheShape) {
  Model model = tiny_model();
  model.levels[0].face_size_px = 16000;
  EXPECT_ERROR(check_model(model), InvalidArgument, "16000");
  model = tiny_model();
  model.levels[1].s0 = std::vector<float>{-1e30f, -1e30f, 1e30f, -1e30f, 0, 1e30f};
  EXPECT_ERROR(check_model(model), InvalidArgument, "s0");
}

// A crop of 32768 x 32768 pixels and 16 channels: 69 GB, of a file of three kilobytes.
TEST(ModelLimits, TheCropIsBoundedByTheNumberOfSamples) {
  Model model = tiny_model();
  model.levels[1] = tiny_level({.kind = FeatureKind::orientation, .bins = 16}, 1, 16000);
  EXPECT_ERROR(check_model(model), InvalidArgument, "pixels");
  EXPECT_ERROR(Fitter(model, {}, Device::cpu(1)), InvalidArgument, "pixels");
}

TEST(ModelLimits, ACropMarginThatTakesGigabytesIsRefused) {
  Model model = tiny_model();
  model.levels[1] = tiny_level({}, 1, 700);
  EXPECT_NO_THROW(Fitter(model, {}, Device::cpu(1)));
  EXPECT_ERROR(Fitter(model, {.crop_margin = 10}, Device::cpu(1)), InvalidArgument, "crop_margin");
}

// The products of 65,535 modes with each other are 69 GB.
TEST(ModelLimits, ModesAreNoMoreThanCoordinatesAndSamples) {
  Model model = tiny_model();
  model.levels[0] = tiny_level({}, 18);
  EXPECT_NO_THROW(check_model(model));
  model.levels[0] = tiny_level({}, 19);
  EXPECT_ERROR(check_model(model), InvalidArgument, "19 modes");
  model.levels[0] = tiny_level({}, 65535);
  EXPECT_ERROR(check_model(model), InvalidArgument, "65535 modes");
  EXPECT_ERROR(Fitter(model, {}, Device::cpu(1)), InvalidArgument, "65535 modes");
  EXPECT_ERROR(LevelFitter(model.levels[0]), InvalidArgument, "65535 modes");
}

TEST(ModelLimits, ARasterIsNotMuchLargerThanItsPixels) {
  Model model = tiny_model();
  model.appearance.frame.width = model.appearance.frame.height = 8000;
  EXPECT_ERROR(check_model(model), InvalidArgument, "8000 x 8000");
}

TEST(ModelLimits, EnumerationsOutOfRangeAreRefused) {
  Model model = tiny_model();
  model.levels[0].features.kind = static_cast<FeatureKind>(77);
  EXPECT_ERROR(check_model(model), InvalidArgument, "77");
  model = tiny_model();
  model.levels[0].normalisation = static_cast<Normalisation>(77);
  EXPECT_ERROR(check_model(model), InvalidArgument, "77");
  EXPECT_ERROR(LevelFitter(model.levels[0]), InvalidArgument, "77");
}

TEST(ModelLimits, TheMeanIsAShapeThatCanBePlaced) {
  Model model = tiny_model();
  model.mean = Shape(3, {1, 1});
  EXPECT_ERROR(check_model(model), InvalidArgument, "mean");
  model.mean = {{-1e200, 0}, {1e200, 0}, {0, 1e200}};
  EXPECT_ERROR(check_model(model), InvalidArgument, "mean");
}

// What Fitter is given is checked as a file is: its users index the arrays by each other.
TEST(ModelLimits, AFitterChecksItsModel) {
  Model model = tiny_model();
  model.levels[1].frame.raster_indices = std::vector<std::int32_t>(12, 1 << 30);
  EXPECT_ERROR(Fitter(model, {}, Device::cpu(1)), InvalidArgument, "reference frame");
  model = tiny_model();
  model.levels[1].sigma = {};
  EXPECT_ERROR(Fitter(model, {}, Device::cpu(1)), InvalidArgument, "sigma");
  model = tiny_model();
  model.levels[0].R = std::vector<float>(5 * 12, std::numeric_limits<float>::quiet_NaN());
  EXPECT_ERROR(LevelFitter(model.levels[0]), InvalidArgument, "R holds");
}

TEST(ModelLimits, ALoadedModelIsIndependentOfItsFile) {
  const test::TemporaryDirectory folder;
  const Model model = tiny_model();
  save_model(folder / "m.aam", model);
  const Model loaded = load_model(folder / "m.aam");
  std::filesystem::resize_file(folder / "m.aam", 0);  // in place: of a mapping nothing would be left
  EXPECT_EQ(encode_model(loaded), encode_model(model));
}

}  // namespace
}  // namespace triptych::aam_fit
