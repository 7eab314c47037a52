#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <common/csv_file.hpp>
#include <common/gallery.hpp>
#include <common/outputs.hpp>
#include <common/picture_file.hpp>
#include <common/program.hpp>
#include <common/progress.hpp>
#include <common/summary.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "follower.hpp"
#include "picture.hpp"
#include "report.hpp"
#include "run.hpp"
#include "skin_model.hpp"
#include "stage_times.hpp"
#include "synthetic_frames.hpp"

namespace triptych::skin_demo {

namespace fs = std::filesystem;
using skin_tracker::TrackedHead;

namespace {

// The frames, and the truth where it is known.
struct Input {
  explicit Input(const Options& options) {
    if (options.is_synthetic()) {
      auto made = std::make_unique<SyntheticFrames>(options);
      synthetic = made.get();
      frames = std::move(made);
    } else {
      frames = apps::open_frames(options.input);
    }
  }
  std::optional<skin_tracker::SyntheticTruth> truth() const {
    return synthetic != nullptr ? std::optional(synthetic->truth()) : std::nullopt;
  }
  std::unique_ptr<apps::FrameSource> frames;
  SyntheticFrames* synthetic = nullptr;
};

// The pictures of the run, with the heat map of its last frame.
class Pictures {
 public:
  Pictures(const Options& options, const Input& input, const SkinModel& model, cv::Size frame,
           apps::Outputs& outputs)
      : outputs_(outputs),
        painter_(frame, model.classifier, options.hcp, options.gate),
        heat_(outputs.add(options.out / "heat_map.png")),
        gallery_(outputs, options.out, "skin", painter_.size(), input.frames->frames_per_second(),
                 options.headless ? "" : program_name) {}

  // False when the user has closed the window.
  bool show(const Scene& scene, StageTimes& times) {
    const cv::Mat picture = times.time(Stage::drawing, [&] { return painter_.paint(scene); });
    return times.time(Stage::encoding, [&] { return gallery_.show(picture); });
  }

  void finish(const cv::Mat& last_frame) {
    gallery_.finish();
    apps::write_picture(outputs_, heat_, painter_.heat_map(last_frame));
  }

 private:
  apps::Outputs& outputs_;
  Painter painter_;
  fs::path heat_;
  apps::Gallery gallery_;
};

// Calibrated on the face that is detected in the first frame. Nothing, and why, without one.
std::optional<SkinModel> detected_model(const cv::Mat& frame, apps::FaceFinder& finder, std::string& why) {
  const std::optional<Box> face = detect_face(frame, finder);
  if (!face) {
    why = finder.ready() ? "no face was detected in the first frame" : finder.reason();
    return std::nullopt;
  }
  try {
    SkinModel model = model_for(frame, face);
    model.origin = "a filter calibrated on the face that was detected in the first frame,";
    return model;
  } catch (const Error& error) {
    why = error.what();
    return std::nullopt;
  }
}

// undetected: why no face was found to calibrate on, if one was looked for.
void announce(const SkinModel& model, const Options& options, const Follower& follower,
              const std::string& undetected) {
  std::string filter;
  if (const auto* f = std::get_if<skin_tracker::LinearFilter>(&model.classifier)) {
    char text[128];
    std::snprintf(text, sizeof(text), " %.5g,%.5g,%.5g,%.5g", f->r, f->g, f->b, f->d);
    filter = text;
  }
  const bool generic = !model.calibration && !options.filter && options.model.empty();
  std::printf("skin_demo: %s with %s%s on %s%s\n", options.input.c_str(), model.origin.c_str(),
              filter.c_str(), follower.describe().c_str(),
              generic ? "; --calibrate, --filter or --model would fit better" : "");
  if (!undetected.empty()) std::printf("skin_demo: %s: the generic filter is used.\n", undetected.c_str());
  std::fflush(stdout);
}

// Where the results are: "; pictures in out/skin, track in track.csv".
std::string places(const Options& options) {
  std::string all;
  const auto add = [&](const char* what, const fs::path& where) {
    all += (all.empty() ? "; " : ", ") + std::string(what) + " in " + where.string();
  };
  if (!options.no_pictures) add("pictures", options.out);
  if (!options.csv.empty()) add("track", options.csv);
  if (!options.json.empty()) add("summary", options.json);
  return all;
}

// Follows the head from the first frame on, which was read.
class Run {
 public:
  Run(const Options& options, Input& input, const SkinModel& model, Follower& follower,
      apps::Outputs& outputs, Report& report, cv::Size size)
      : options_(options),
        input_(input),
        frames_(*input.frames),
        model_(model),
        follower_(follower),
        outputs_(outputs),
        report_(report),
        size_(size) {
    if (!options.csv.empty()) csv_.emplace(outputs, options.csv, Report::csv_header);
    if (!options.json.empty()) json_ = outputs.add(options.json);
    if (!options.no_pictures) pictures_.emplace(options, input, model, size, outputs);
  }

  void follow(cv::Mat& frame) {
    const int max_frames = options_.frames > 0 ? options_.frames : INT32_MAX;
    apps::Progress progress(program_name,
                            frames_.count() > 0 ? std::min(frames_.count(), max_frames) : options_.frames);
    int written = 0;  // rows
    while (true) {
      const bool shown = step(frame);
      if (csv_) csv_->add(report_.csv_rows(written));
      written = report_.frames();
      closed_ = !shown;
      progress.update(report_.frames());
      if (closed_ || report_.frames() >= max_frames) return;
      if (apps::interrupted()) break;
      if (!times_.time(Stage::reading, [&] { return frames_.next(frame); })) break;
    }
    cut_short_ = apps::interrupted();
  }

  // Writes the rest. failed: of what went before something has thrown.
  void finish(bool failed) {
    if (report_.frames() == 0) return;
    if (csv_) csv_->flush();
    if (!failed && pictures_) pictures_->finish(last_good_);
    if (json_.empty()) return;
    const bool complete =
        !failed && !cut_short_ && (!closed_ || frames_.is_live()) && frames_.complaint().empty();
    outputs_.write(json_, apps::summary_text(report_.json(options_, model_, follower_.describe(), size_.width,
                                                          size_.height, times_, complete)));
  }

  // What to say after all is written.
  void say() const {
    if (const std::string complaint = frames_.complaint(); !complaint.empty() && !cut_short_)
      apps::say(program_name, complaint);
    if (other_sizes_ > 0) {
      apps::say(program_name, std::to_string(other_sizes_) + " of " + std::to_string(report_.frames()) +
                                  " frames had another size than the first one, " +
                                  std::to_string(size_.width) + "x" + std::to_string(size_.height) +
                                  ", and were left out");
    }
    std::printf("skin_demo: %s.\n", times_.sentence().c_str());
    std::printf("skin_demo: %s%s.\n", report_.sentence().c_str(), places(options_).c_str());
    if (const std::string advice = report_.advice(options_); !advice.empty())
      std::printf("skin_demo: %s.\n", advice.c_str());
    if (cut_short_)
      throw apps::Interrupted("kept the results of " + std::to_string(report_.frames()) + " frames" +
                              places(options_));
  }

 private:
  // False when the user has closed the window.
  bool step(cv::Mat& frame) {
    if (frame.size() != size_) {
      if (!frame.empty()) ++other_sizes_;
      report_.add_unread();
      return true;
    }
    const double seconds =
        frames_.is_live() ? std::max(since_last_.elapsed_s(), 1e-3) : 1 / frames_.frames_per_second();
    since_last_.restart();
    TrackedHead head = times_.time(Stage::tracking, [&] { return follower_.follow(frame, seconds); });
    head.frame = report_.frames();
    const auto truth = input_.truth();
    report_.add(head, truth ? std::optional(std::hypot(head.x_px - truth->x_px, head.y_px - truth->y_px))
                            : std::nullopt);
    cv::swap(last_good_, frame);
    const bool go_on = !pictures_ || pictures_->show({last_good_, head, truth, times_}, times_);
    times_.end_frame();
    return go_on;
  }

  const Options& options_;
  Input& input_;
  apps::FrameSource& frames_;
  const SkinModel& model_;
  Follower& follower_;
  apps::Outputs& outputs_;
  Report& report_;
  cv::Size size_;
  std::optional<apps::CsvFile> csv_;
  fs::path json_;
  std::optional<Pictures> pictures_;
  Stopwatch since_last_;
  StageTimes times_;
  cv::Mat last_good_;
  int other_sizes_ = 0;
  bool closed_ = false, cut_short_ = false;
};

}  // namespace

void run(const Options& given_options) {
  Options options = given_options;
  std::optional<SkinModel> given = given_model(options);
  Input input(options);
  apps::FrameSource& frames = *input.frames;

  const int max_frames = options.frames > 0 ? options.frames : INT32_MAX;
  Report report;
  cv::Mat frame;
  bool more = frames.next(frame);
  while (more && frame.empty() && report.frames() + 1 < max_frames) {
    report.add_unread();
    more = frames.next(frame);
  }
  if (!more || frame.empty()) {
    throw Error("no frame of " + options.input + " could be read: it is empty or damaged");
  }

  const cv::Size size = frame.size();
  std::optional<Box> face = options.calibrate;
  if (face) check_calibration_box(*face, size);
  if (!face && input.truth()) face = input.truth()->box;
  std::string undetected;
  std::optional<SkinModel> detected;
  apps::FaceFinder finder(options.detects() ? apps::FaceDetector(options.cascade)
                                            : apps::FaceDetector::none());
  if (options.detects()) detected = detected_model(frame, finder, undetected);
  if (detected) options.gate = true;
  const SkinModel model = given      ? *std::move(given)
                          : detected ? *std::move(detected)
                                     : model_for(frame, face);
  const std::unique_ptr<Follower> follower = make_follower(options, model, size, finder);

  apps::end_on_interrupt();
  apps::Outputs outputs;
  apps::keep_on_failure(outputs, [&] {
    Run run(options, input, model, *follower, outputs, report, size);
    announce(model, options, *follower, undetected);
    apps::finish_always([&] { run.follow(frame); }, [&](bool failed) { run.finish(failed); });
    outputs.commit();
    run.say();
  });
}

}  // namespace triptych::skin_demo
