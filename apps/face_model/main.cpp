// face_model_trainer FILE: trains the face model that ships on procedural faces, and writes it.
#include <triptych/aam_fit/default_model.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/clock.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  using namespace triptych;
  if (argc != 2) {
    std::fputs("usage: face_model_trainer FILE\n", stderr);
    return 2;
  }
  try {
    const Stopwatch watch;
    const std::vector<aam_fit::Example> faces = aam_fit::default_model_faces();
    const double rendered_s = watch.elapsed_s();
    aam_fit::save_model(argv[1], aam_fit::train(faces, aam_fit::default_model_options()));
    std::printf("face_model_trainer: %zu procedural faces rendered in %.1f s, trained in %.1f s: %s\n",
                faces.size(), rendered_s, watch.elapsed_s() - rendered_s, argv[1]);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "face_model_trainer: %s\n", problem.what());
    return 1;
  }
}
