// What apps/examples/fit_face.cpp does, and how well it ends.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace triptych::aam_fit {
namespace {

TEST(FitFaceExample, TrainsAndFits) {
  std::vector<Example> faces(40);  // images with landmarks; load_examples() reads folders of them
  for (std::size_t i = 0; i < faces.size(); ++i)
    faces[i] = render_face(random_face(7, static_cast<std::int64_t>(i)), 256, 256);
  const Model model = train(faces, {});

  Fitter fitter(model);
  const Example face = render_face(random_face(7, 1000), 256, 256);  // one that it has not seen
  const Shape start = start_in_box(model, bounds(face.landmarks), 256, 256);
  const Fit fit = fitter.step({face.image.view(), start});

  // A quarter of the error below which a fit counts as good, 0.05, and closer than its start.
  EXPECT_LT(shape_error(fit.landmarks, face.landmarks), 0.0125);
  EXPECT_LT(shape_error(fit.landmarks, face.landmarks), shape_error(start, face.landmarks));
}

}  // namespace
}  // namespace triptych::aam_fit
