// Trains an active appearance model on faces with known landmarks and finds those of another face.
// fit_face              trains on synthetic faces; a few seconds
// fit_face model.aam    takes a model that aam_demo train has written
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>

#include <cstdio>
#include <vector>

using namespace triptych::aam_fit;

Model train_on_synthetic_faces() {
  std::vector<Example> faces;  // images with landmarks; load_examples() reads folders of them
  for (int i = 0; i < 40; ++i) faces.push_back(render_face(random_face(7, i), 256, 256));
  TrainOptions options;
  options.mirror_points = mirror_of_68();  // learn from mirrored faces as well
  return train(faces, options);
}

int main(int argc, char** argv) try {
  const Model model = argc > 1 ? load_model(argv[1]) : train_on_synthetic_faces();
  Fitter fitter(model);  // on a GPU when there is one, else on the CPU
  const Example face = render_face(random_face(7, 1000), 256, 256);  // not among the training faces
  // A start: here from the face's box, as a face detector gives it. find_faces() searches a whole image.
  const Shape start = start_in_box(model, bounds(face.landmarks), 256, 256);
  const Fit fit = fitter.step({face.image.view(), start});

  std::printf("%s\n", fitter.describe().c_str());
  std::printf("%s after %d iterations and %.0f us, score %.2f\n", to_string(fit.status).c_str(),
              fit.iterations, fit.latency_us, fit.score);
  if (fit.landmarks.size() == face.landmarks.size())  // a model of other landmarks has no truth here
    std::printf("error %.4f of the face's size; at the start %.4f\n",
                shape_error(fit.landmarks, face.landmarks), shape_error(start, face.landmarks));
  return fit.found() ? 0 : 1;
} catch (const triptych::Error& error) {
  std::fprintf(stderr, "fit_face: %s\n", error.what());
  return 1;
}
