// aam_demo train.
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/clock.hpp>

#include <common/outputs.hpp>
#include <common/program.hpp>

#include <cmath>
#include <cstdio>

#include "commands.hpp"
#include "faces.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

void train_model(const Options& options) {
  const std::vector<Example> faces = load_faces(face_files(options));
  { apps::Outputs().add(options.out); }  // what cannot be written is said before the training
  TrainOptions training = options.training;
  training.name = options.out.stem().string();
  const Stopwatch watch;
  if (!training.landmark_offset_px) {
    const double offset_px = estimate_landmark_offset_px(faces, training);
    training.landmark_offset_px = offset_px;
    if (offset_px != 0)
      std::printf(
          "aam_demo: the landmarks lie %.2f px to the %s of what they mark; so will those of mirrored "
          "images.\n",
          std::abs(offset_px), offset_px > 0 ? "right" : "left");
    std::fflush(stdout);
  }
  StageProgress progress;
  const Model model = train(faces, training, progress.callback());
  progress.finish();
  apps::end_on_interrupt();
  apps::Outputs outputs;
  const std::filesystem::path file = outputs.add(options.out);
  save_model(file, model);
  const auto bytes = std::filesystem::file_size(file);
  outputs.commit();
  const Level& finest = model.levels.back();
  std::printf(
      "aam_demo: learnt %d faces of %d landmarks in %.1f s: %zu levels, %d fitted modes and %lld samples at "
      "the "
      "finest; "
      "%.1f MB in %s.\n",
      model.images, model.points, watch.elapsed_s(), model.levels.size(), finest.modes,
      static_cast<long long>(finest.samples()), static_cast<double>(bytes) / 1e6, options.out.c_str());
}

}  // namespace triptych::aam_demo
