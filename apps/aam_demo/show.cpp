// aam_demo without a command: synthetic faces, learnt, found and followed.
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/opencv.hpp>
#include <triptych/core/version.hpp>

#include <common/gallery.hpp>
#include <common/outputs.hpp>
#include <common/picture_file.hpp>
#include <common/program.hpp>
#include <common/text.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdio>

#include "commands.hpp"
#include "evaluation.hpp"
#include "faces.hpp"
#include "modes.hpp"
#include "painter.hpp"
#include "report.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

namespace {

constexpr int training_faces = 120, unseen_faces = 20, image_size = 256, video_frames = 150;
constexpr double frames_per_second = 30;

cv::Mat coloured(const Image<Grey8>& image) {
  cv::Mat bgr;
  cv::cvtColor(mat_view(image.view()), bgr, cv::COLOR_GRAY2BGR);
  return bgr;
}

// A dozen of the faces that the model learns from.
cv::Mat contact_sheet(const std::vector<Example>& faces) {
  std::vector<cv::Mat> some;
  some.reserve(12);
  for (std::size_t i = 0; i < 12 && i < faces.size(); ++i) some.push_back(coloured(faces[i].image));
  return sheet(some, 4);
}

// Follows one person who was not among those learnt from.
Report follow_video(const Options& options, const Model& model, const Device& device,
                    apps::Outputs& outputs) {
  FitterOptions fitting = options.fitting;
  fitting.max_width = fitting.max_height = image_size;
  const int frames = options.frames > 0 ? options.frames : video_frames;
  const auto frame_at = [&](int frame) {
    return render_face(face_in_motion(options.seed + 1000, frame / frames_per_second), image_size,
                       image_size);
  };
  // As a face detector would say it: near the truth, not on it.
  Box box = bounds(frame_at(0).landmarks);
  box = {box.x + 0.05 * box.width, box.y - 0.05 * box.height, 1.04 * box.width, 1.04 * box.height};
  Follower follower(model, fitting, device, true, box);
  Painter painter(model, {image_size, image_size});
  apps::Gallery gallery(outputs, options.out, "aam", painter.size(), frames_per_second,
                        options.headless ? "" : program_name);
  apps::Progress progress(program_name, frames);
  Report report;
  for (int frame = 0; frame < frames && !apps::interrupted(); ++frame) {
    const Example truth = frame_at(frame);
    const Found found = follower.next(mat_view(truth.image.view()));
    const double error = shape_error(found.fit.landmarks, truth.landmarks);
    const std::string name = apps::text("frame_%06d", frame);
    report.add(name, found, error);
    Scene scene;
    scene.bgr = coloured(truth.image);
    scene.landmarks = found.fit.landmarks;
    scene.start = found.start;
    scene.found = found.found;
    scene.texture = follower.texture(mat_view(truth.image.view()), found.fit);
    scene.lines = {apps::text("frame %d of %d", frame + 1, frames),
                   apps::text("error %.2f %% of the face", 100 * error),
                   apps::text("%d iterations, %.2f ms", found.fit.iterations, found.fit_ms),
                   found.found ? to_string(found.fit.status) : "lost"};
    if (!gallery.show(painter.paint(scene))) break;
    progress.update(frame + 1);
  }
  gallery.finish();
  return report;
}

}  // namespace

void show(const Options& options) {
  apps::end_on_interrupt();
  const Device device = chosen_device(options);
  apps::Outputs outputs;
  outputs.make_folder(options.out);
  std::printf("aam_demo: learning from %d synthetic faces\n", training_faces);
  std::fflush(stdout);
  const std::vector<Example> faces = synthetic_faces(options.seed, 0, training_faces, image_size);
  apps::write_picture(outputs.add(options.out / "faces.png"), contact_sheet(faces));
  TrainOptions training;
  training.mirror_points = mirror_of_68();
  training.seed = options.seed;
  training.threads = options.threads;
  training.name = "synthetic faces";
  const Stopwatch watch;
  StageProgress progress;
  const Model model = train(faces, training, progress.callback());
  progress.finish();
  const double training_s = watch.elapsed_s();
  save_model(outputs.add(options.out / "faces.aam"), model);

  FitterOptions fitting = options.fitting;
  fitting.max_width = fitting.max_height = image_size;
  Fitter fitter(model, fitting, device);
  const int modes = options.modes;
  if (modes > 0)
    apps::write_picture(outputs.add(options.out / "modes.png"), draw_mode_sheet(fitter, modes, 256));
  std::printf("aam_demo: finding the landmarks of %d faces that it has not seen, on %s\n", unseen_faces,
              device.describe().c_str());
  std::fflush(stdout);
  const Evaluation evaluation(fitter, synthetic_faces(options.seed + 1, 0, unseen_faces, image_size));
  std::printf("%s", evaluation.table().c_str());
  std::fflush(stdout);
  const Report report = follow_video(options, model, device, outputs);

  apps::write_text(outputs.add(options.out / "fits.csv"), report.csv());
  Json summary{{"program", program_name},         {"version", version()},
               {"device", device.describe()},     {"training_s", training_s},
               {"evaluation", evaluation.json()}, {"video", report.json()}};
  apps::write_text(outputs.add(options.out / "summary.json"), summary.dump(2) + "\n");
  outputs.commit();
  std::printf("aam_demo: %s; pictures, the model and the results in %s.\n", report.sentence().c_str(),
              options.out.c_str());
}

}  // namespace triptych::aam_demo
