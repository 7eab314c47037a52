// The whole way on synthetic faces: a model trained with the default options finds the landmarks of faces it
// has not seen, from all five starts of the evaluation, and so does what its file gives back. The same way as
// apps/examples/fit_face.cpp goes it.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "testing/temporary_directory.hpp"

namespace triptych::aam_fit {
namespace {

std::vector<Example> faces(std::uint64_t seed, int first, int count) {
  std::vector<Example> examples;
  examples.reserve(static_cast<std::size_t>(count));
  for (int i = first; i < first + count; ++i) {
    examples.push_back(render_face(random_face(seed, i), 256, 256));
    examples.back().name = "face " + std::to_string(i);
  }
  return examples;
}

// Trained once for all tests: it takes 20 s of a core.
const Model& trained_model() {
  static const Model model = train(faces(7, 0, 40), {});
  return model;
}

TEST(Accuracy, UnseenSyntheticFacesAreFitted) {
  const Model& model = trained_model();
  FitterOptions options;
  options.fit.max_iterations = 0;  // each level's own
  Fitter fitter(model, options, Device::cpu());
  double start_sum = 0, end_sum = 0, worst = 0;
  int fits = 0;
  for (const Example& face : faces(7, 1000, 8))
    for (const Shape& start : evaluation_starts(model.mean, face.landmarks)) {
      const Fit fit = fitter.step({face.image.view(), start});
      EXPECT_TRUE(fit.found()) << reason(fit);
      EXPECT_GT(fit.confidence, 0.9);
      const double error = shape_error(fit.landmarks, face.landmarks);
      start_sum += shape_error(start, face.landmarks);
      end_sum += error;
      worst = std::max(worst, error);
      ++fits;
    }
  EXPECT_GT(start_sum / fits, 0.04);  // there was something to do
  EXPECT_LT(end_sum / fits, 0.01);
  EXPECT_LT(worst, 0.05);

  // A way through a file changes no bit of a fit.
  const test::TemporaryDirectory folder;
  save_model(folder / "faces.aam", model);
  Fitter again(load_model(folder / "faces.aam"), options, Device::cpu());
  const Example face = faces(7, 1000, 1).front();
  const Shape start = evaluation_starts(model.mean, face.landmarks)[2];
  EXPECT_EQ(again.step({face.image.view(), start}).landmarks,
            fitter.step({face.image.view(), start}).landmarks);
}

// What apps/examples/fit_face.cpp does, and how well it ends.
TEST(FitFaceExample, TrainsAndFits) {
  const Model& model = trained_model();
  Fitter fitter(model);
  const Example face = faces(7, 1000, 1).front();  // one that it has not seen
  const Shape start = start_in_box(model, bounds(face.landmarks), 256, 256);
  const Fit fit = fitter.step({face.image.view(), start});

  // A quarter of the error below which a fit counts as good, 0.05, and closer than its start.
  EXPECT_LT(shape_error(fit.landmarks, face.landmarks), 0.0125);
  EXPECT_LT(shape_error(fit.landmarks, face.landmarks), shape_error(start, face.landmarks));
}

}  // namespace
}  // namespace triptych::aam_fit
