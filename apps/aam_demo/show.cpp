// aam_demo without a command: synthetic faces, learnt, found and followed.
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/opencv.hpp>
#include <triptych/core/version.hpp>

#include <common/csv_file.hpp>
#include <common/gallery.hpp>
#include <common/outputs.hpp>
#include <common/picture_file.hpp>
#include <common/program.hpp>
#include <common/summary.hpp>
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
class Video {
 public:
  Video(const Options& options, const Model& model, const Device& device, apps::Outputs& outputs)
      : seed_(options.seed + 1000),
        frames_(options.frames > 0 ? options.frames : video_frames),
        follower_(model, fitting_of(options), device, true, first_box(), options.pose, frames_per_second),
        painter_(model, {image_size, image_size}),
        gallery_(outputs, options.out, "aam", painter_.size(), frames_per_second,
                 options.headless ? "" : program_name),
        csv_(outputs, options.out / "fits.csv", Report::csv_header(true)) {}

  static FitterOptions fitting_of(const Options& options) {
    FitterOptions fitting = options.fitting;
    fitting.max_width = fitting.max_height = image_size;
    return fitting;
  }

  void follow() {
    apps::Progress progress(program_name, frames_);
    for (int frame = 0; frame < frames_; ++frame) {
      if (!step(frame)) break;
      progress.update(frame + 1);
      if (apps::interrupted()) break;
    }
  }
  void finish(bool failed) {
    if (report_.frames() == 0) return;
    csv_.flush();
    if (!failed) gallery_.finish();
  }
  bool complete() const { return report_.frames() == frames_; }
  const Report& report() const { return report_; }

 private:
  Example frame_at(int frame) const {
    return render_face(face_in_motion(seed_, frame / frames_per_second), image_size, image_size);
  }
  // As a face detector would say it: near the truth, not on it.
  Box first_box() const {
    const Box box = bounds(frame_at(0).landmarks);
    return {box.x + 0.05 * box.width, box.y - 0.05 * box.height, 1.04 * box.width, 1.04 * box.height};
  }
  // False when the user has closed the window.
  bool step(int frame) {
    const Example truth = frame_at(frame);
    const Found found = follower_.next(mat_view(truth.image.view()));
    std::optional<double> error;
    if (found.found) error = shape_error(found.fit.landmarks, truth.landmarks);
    report_.add(apps::text("frame_%06d", frame), found, error);
    csv_.add(report_.csv_rows(frame, true));
    Scene scene;
    scene.bgr = coloured(truth.image);
    scene.landmarks = found.fit.landmarks;
    scene.start = found.start;
    scene.found = found.found;
    if (found.pose) scene.axes = axes_of(*found.pose, found.camera);
    if (found.found) scene.texture = follower_.texture(mat_view(truth.image.view()), found.fit);
    scene.lines = {apps::text("frame %d of %d", frame + 1, frames_),
                   error ? apps::text("error %.2f %% of the face", 100 * *error) : "no face was found",
                   apps::text("%d iterations, %.2f ms", found.fit.iterations, found.fit_ms), found.status(),
                   apps::text("confidence %.3f", found.fit.confidence)};
    if (found.pose) add_pose_lines(scene.lines, *found.pose);
    return gallery_.show(painter_.paint(scene));
  }

  std::uint64_t seed_;
  int frames_;
  Follower follower_;
  Painter painter_;
  apps::Gallery gallery_;
  apps::CsvFile csv_;
  Report report_;
};

}  // namespace

void show(const Options& options) {
  const Device device = chosen_device(options);
  {
    apps::Outputs().add(options.out / "summary.json");
  }  // what cannot be written is said before the training
  std::printf("aam_demo: learning from %d synthetic faces\n", training_faces);
  std::fflush(stdout);
  const std::vector<Example> faces = synthetic_faces(options.seed, 0, training_faces, image_size);
  TrainOptions training;
  training.mirror_points = mirror_of_68();
  training.deformations = 2;  // enough for faces as alike as these, in a quarter of the time
  training.seed = options.seed;
  training.threads = options.threads;
  training.name = "synthetic faces";
  const Stopwatch watch;
  StageProgress progress;
  const Model model = train(faces, training, progress.callback());
  progress.finish();
  const double training_s = watch.elapsed_s();

  apps::end_on_interrupt();
  apps::Outputs outputs;
  apps::keep_on_failure(outputs, [&] {
    apps::write_picture(outputs, outputs.add(options.out / "faces.png"), contact_sheet(faces));
    const auto file = outputs.add(options.out / "faces.aam");
    save_model(file, model);
    outputs.keep(file);
    Fitter fitter(model, Video::fitting_of(options), device);
    if (options.modes > 0) {
      apps::write_picture(outputs, outputs.add(options.out / "modes.png"),
                          draw_mode_sheet(fitter, options.modes, 256));
    }
    std::printf("aam_demo: finding the landmarks of %d faces that it has not seen, on %s\n", unseen_faces,
                device.describe().c_str());
    std::fflush(stdout);
    const Evaluation evaluation =
        evaluate_faces(fitter, synthetic_faces(options.seed + 1, 0, unseen_faces, image_size));
    std::printf("%s", evaluation.table().c_str());
    std::fflush(stdout);
    const auto json = outputs.add(options.out / "summary.json");
    Video video(options, model, device, outputs);
    const auto finish = [&](bool failed) {
      video.finish(failed);
      const bool complete = !failed && evaluation.complete() && video.complete();
      const Json summary{{"program", program_name},
                         {"version", version()},
                         {"device", device.describe()},
                         {"complete", complete},
                         {"training_s", training_s},
                         {"evaluation", evaluation.json()},
                         {"video", video.report().json(complete)}};
      outputs.write(json, apps::summary_text(summary));
    };
    apps::finish_always([&] { video.follow(); }, finish);
    outputs.commit();
    std::printf("aam_demo: %s; pictures, the model and the results in %s.\n",
                video.report().sentence().c_str(), options.out.c_str());
    if (apps::interrupted() && !video.complete())
      throw apps::Interrupted("kept the model and the results of " + std::to_string(video.report().frames()) +
                              " frames in " + options.out.string());
  });
}

}  // namespace triptych::aam_demo
