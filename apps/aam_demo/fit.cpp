// aam_demo fit.
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/version.hpp>

#include <common/csv_file.hpp>
#include <common/frame_source.hpp>
#include <common/gallery.hpp>
#include <common/outputs.hpp>
#include <common/picture_file.hpp>
#include <common/program.hpp>
#include <common/summary.hpp>
#include <common/text.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdio>
#include <optional>

#include "commands.hpp"
#include "faces.hpp"
#include "painter.hpp"
#include "report.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;
namespace fs = std::filesystem;

namespace {

enum class Kind { images, video };

// Frames with names: those of the files, or numbers.
class Input {
 public:
  explicit Input(const std::string& input) : frames_(apps::open_frames(input)) {
    std::error_code ignored;
    if (fs::is_directory(input, ignored)) {
      for (const fs::path& file : apps::images_in(input)) names_.push_back(file.stem().string());
    } else if (frames_->count() == 1 && !frames_->is_live()) {
      names_.push_back(fs::path(input).stem().string());
    }
  }
  Kind kind() const { return names_.empty() ? Kind::video : Kind::images; }
  apps::FrameSource& frames() { return *frames_; }
  std::string name(int frame) const {
    const auto i = static_cast<std::size_t>(frame);
    return i < names_.size() ? names_[i] : apps::text("frame_%06d", frame);
  }

 private:
  std::unique_ptr<apps::FrameSource> frames_;
  std::vector<std::string> names_;
};

// A picture for every image, or a video of all frames.
class Pictures {
 public:
  Pictures(const Options& options, const Model& model, apps::Outputs& outputs, const Follower& follower,
           bool video, double rate)
      : options_(options),
        model_(model),
        outputs_(outputs),
        follower_(follower),
        video_(video),
        rate_(rate) {}

  // False when the user has had enough.
  bool show(const cv::Mat& bgr, const cv::Mat& grey, const std::string& name,
            const std::vector<Found>& faces) {
    if (options_.no_pictures) return true;
    const Found& found = faces.front();
    Scene scene;
    scene.bgr = bgr;
    scene.landmarks = found.fit.landmarks;
    scene.start = found.start;
    scene.found = found.found;
    if (found.pose) scene.axes = axes_of(*found.pose, found.camera);
    for (std::size_t i = 1; i < faces.size(); ++i) scene.others.push_back(faces[i].fit.landmarks);
    if (found.found) {
      scene.texture = follower_.texture(grey, found.fit);
      scene.texture_title = title_of_texture(model_);
    } else {
      scene.texture_title = "no face was found";
    }
    scene.lines = {name, found.status(), apps::text("confidence %.3f", found.fit.confidence)};
    if (!found.fit.landmarks.empty()) {
      scene.lines.push_back(apps::text("residual %.4g", found.fit.error));
      scene.lines.push_back(apps::text("score %.3f", found.fit.score));
      scene.lines.push_back(apps::text("%d iterations, %.2f ms", found.fit.iterations, found.fit_ms));
    }
    if (found.pose) add_pose_lines(scene.lines, *found.pose);
    if (faces.size() > 1) scene.lines.push_back(apps::text("%zu faces", faces.size()));
    if (found.search_ms > 0) scene.lines.push_back(apps::text("search %.1f ms", found.search_ms));
    Painter painter(model_, bgr.size());
    const cv::Mat picture = painter.paint(scene);
    if (!video_) {
      apps::write_picture(outputs_, outputs_.add(options_.out / (name + ".png")), picture);
      return true;
    }
    if (!gallery_) {
      gallery_.emplace(outputs_, options_.out, "aam", painter.size(), rate_,
                       options_.headless ? "" : program_name);
    }
    return gallery_->show(picture);
  }
  void finish() {
    if (gallery_) gallery_->finish();
  }

 private:
  const Options& options_;
  const Model& model_;
  apps::Outputs& outputs_;
  const Follower& follower_;
  bool video_;
  double rate_;
  std::optional<apps::Gallery> gallery_;
};

}  // namespace

void fit_input(const Options& options) {
  const Model model = load_model(options.model);
  const Device device = chosen_device(options);
  Input input(options.input);
  const bool track = options.track || input.kind() == Kind::video;
  const int most = options.frames > 0 ? options.frames : INT32_MAX;

  cv::Mat bgr, grey;
  apps::FrameSource& frames = input.frames();
  Report report;
  bool more = frames.next(bgr);
  while (more && bgr.empty() && report.frames() + 1 < most) {
    report.add_unread(input.name(report.frames()));
    more = frames.next(bgr);
  }
  if (!more || bgr.empty())
    throw Error("no frame of " + options.input + " could be read: it is empty or damaged");

  // A GPU's buffers are made for a largest frame. Images may differ in size: one beyond it gets larger ones.
  FitterOptions fitting = options.fitting;
  fitting.max_faces = 16;
  // The shipped model has not seen photographs: among all places of one it would find faces where there are
  // none. The detector says where to look, when there is one.
  apps::FaceDetector detector =
      options.init ? apps::FaceDetector::none() : apps::FaceDetector(options.cascade);
  std::optional<Follower> follower;
  const auto make_room = [&](cv::Size frame) {
    if (follower && frame.width <= fitting.max_width && frame.height <= fitting.max_height) return;
    fitting.max_width = std::max(follower ? fitting.max_width : 16, frame.width);
    fitting.max_height = std::max(follower ? fitting.max_height : 16, frame.height);
    follower.emplace(model, fitting, device, track, options.init, options.pose, frames.frames_per_second(),
                     &detector, !options.shipped_model);
  };
  make_room(bgr.size());
  if (options.init) check_box(*options.init, bgr.size());

  apps::end_on_interrupt();
  bool cut_short = false, closed = false;
  int other_sizes = 0;
  apps::Outputs outputs;
  apps::keep_on_failure(outputs, [&] {
    apps::CsvFile csv(outputs, options.out / "fits.csv", Report::csv_header(false));
    const fs::path json = outputs.add(options.out / "summary.json");
    Pictures pictures(options, model, outputs, *follower, track, frames.frames_per_second());
    const auto follow = [&] {
      apps::Progress progress(program_name,
                              frames.count() > 0 ? std::min(frames.count(), most) : options.frames);
      const cv::Size first_size = bgr.size();
      int written = 0;  // rows
      while (true) {
        const std::string name = input.name(report.frames());
        if (bgr.empty() || (track && bgr.size() != first_size)) {
          if (!bgr.empty()) ++other_sizes;
          report.add_unread(name);
        } else {
          cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
          make_room(bgr.size());
          const std::vector<Found> faces = follower->faces(grey);
          for (std::size_t i = 0; i < faces.size(); ++i) {
            // The second face of photo.jpg is photo_2.
            const std::string face_name = i == 0 ? name : name + "_" + std::to_string(i + 1);
            if (i == 0) report.add(face_name, faces[i]);
            if (i > 0) report.add_more(face_name, faces[i]);
            if (!faces[i].found) continue;
            const fs::path pts = outputs.add(options.out / (face_name + ".pts"));
            write_pts(pts, faces[i].fit.landmarks);
            outputs.keep(pts);
          }
          closed = !pictures.show(bgr, grey, name, faces);
        }
        csv.add(report.csv_rows(written, false));
        written = report.rows();
        progress.update(report.frames());
        if (closed || report.frames() >= most) return;
        if (apps::interrupted() || !frames.next(bgr)) break;
      }
      cut_short = apps::interrupted();
    };
    const auto finish = [&](bool failed) {
      if (report.frames() == 0) return;
      csv.flush();
      if (!failed) pictures.finish();
      Json summary =
          report.json(!failed && !cut_short && (!closed || frames.is_live()) && frames.complaint().empty());
      summary["program"] = program_name;
      summary["version"] = version();
      summary["model"] = options.model.string();
      summary["input"] = options.input;
      summary["focal_px"] = options.pose.focal_px > 0 ? Json(options.pose.focal_px) : Json("image width");
      summary["device"] = device.describe();
      outputs.write(json, apps::summary_text(summary));
    };
    apps::finish_always(follow, finish);
    outputs.commit();
  });
  if (const std::string complaint = frames.complaint(); !complaint.empty() && !cut_short)
    apps::say(program_name, complaint);
  if (!detector.ready() && !options.init)
    apps::say(program_name, detector.reason() + ": faces are searched for with the model alone");
  if (other_sizes > 0) {
    apps::say(program_name, std::to_string(other_sizes) + " of " + std::to_string(report.frames()) +
                                " frames had another size than the first one and were left out");
  }
  std::printf("aam_demo: %s; landmarks%s in %s.\n", report.sentence().c_str(),
              options.no_pictures ? "" : " and pictures", options.out.c_str());
  if (const std::string advice = report.advice(); !advice.empty())
    std::printf("aam_demo: %s.\n", advice.c_str());
  if (cut_short)
    throw apps::Interrupted("kept the results of " + std::to_string(report.frames()) + " frames in " +
                            options.out.string());
}

}  // namespace triptych::aam_demo
