// Uses Triptych::aam_fit: learns from synthetic faces and finds the landmarks of one that it has not seen.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>

#include <cstdio>
#include <vector>

using namespace triptych::aam_fit;

int main() {
  std::vector<Example> faces;
  for (int i = 0; i < 20; ++i) faces.push_back(render_face(random_face(7, i), 256, 256));
  const Model model = train(faces, {});
  Fitter fitter(model);
  const Example face = render_face(random_face(7, 1000), 256, 256);
  const Fit fit = fitter.step({face.image.view(), start_in_box(model, bounds(face.landmarks), 256, 256)});
  std::printf("%s: %s, error %.4f\n", fitter.describe().c_str(), to_string(fit.status).c_str(),
              shape_error(fit.landmarks, face.landmarks));
  return fit.found() ? 0 : 1;
}
