#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <common/gallery.hpp>
#include <common/outputs.hpp>
#include <common/picture_file.hpp>
#include <common/program.hpp>
#include <common/progress.hpp>

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
      : painter_(frame, model.classifier, options.hcp, options.gate),
        heat_(outputs.add(options.out / "heat_map.png")),
        gallery_(outputs, options.out, "skin", painter_.size(), input.frames->frames_per_second(),
                 options.headless ? "" : program_name) {}

  // False when the user has closed the window.
  bool show(const Scene& scene, StageTimes& times) {
    const cv::Mat picture = times.time(Stage::drawing, [&] { return painter_.paint(scene); });
    return times.time(Stage::encoding, [&] { return gallery_.show(picture); });
  }

  void finish(const cv::Mat& last_frame) {
    apps::write_picture(heat_, painter_.heat_map(last_frame));
    gallery_.finish();
  }

 private:
  Painter painter_;
  fs::path heat_;
  apps::Gallery gallery_;
};

void announce(const SkinModel& model, const Options& options, const Follower& follower) {
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

}  // namespace

void run(const Options& options) {
  std::optional<SkinModel> given = given_model(options);
  Input input(options);
  apps::FrameSource& frames = *input.frames;
  apps::end_on_interrupt();

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
  if (!face && input.truth()) face = input.truth()->box;
  const SkinModel model = given ? *std::move(given) : model_for(frame, face);
  const std::unique_ptr<Follower> follower = make_follower(options, model, size);

  apps::Outputs outputs;
  const fs::path csv = options.csv.empty() ? fs::path() : outputs.add(options.csv);
  const fs::path json = options.json.empty() ? fs::path() : outputs.add(options.json);
  std::optional<Pictures> pictures;
  if (!options.no_pictures) pictures.emplace(options, input, model, size, outputs);
  announce(model, options, *follower);

  apps::Progress progress(program_name,
                          frames.count() > 0 ? std::min(frames.count(), max_frames) : options.frames);
  const double seconds_per_frame = 1 / frames.frames_per_second();
  Stopwatch since_last;
  StageTimes times;
  cv::Mat last_good;
  int other_sizes = 0;
  while (true) {
    if (frame.size() == size) {
      const double seconds = frames.is_live() ? std::max(since_last.elapsed_s(), 1e-3) : seconds_per_frame;
      since_last.restart();
      TrackedHead head = times.time(Stage::tracking, [&] { return follower->follow(frame, seconds); });
      head.frame = report.frames();
      const auto truth = input.truth();
      report.add(head, truth ? std::optional(std::hypot(head.x_px - truth->x_px, head.y_px - truth->y_px))
                             : std::nullopt);
      cv::swap(last_good, frame);
      const bool ended = pictures && !pictures->show({last_good, head, truth, times}, times);
      times.end_frame();
      if (ended) break;
    } else {
      if (!frame.empty()) ++other_sizes;
      report.add_unread();
    }
    progress.update(report.frames());
    if (report.frames() >= max_frames || apps::interrupted() ||
        !times.time(Stage::reading, [&] { return frames.next(frame); }))
      break;
  }
  progress.finish();

  if (pictures) pictures->finish(last_good);
  if (!csv.empty()) apps::write_text(csv, report.csv());
  if (!json.empty()) {
    apps::write_text(
        json,
        report.json(options, model, follower->describe(), size.width, size.height, times).dump(2) + "\n");
  }
  outputs.commit();
  if (const std::string complaint = frames.complaint(); !complaint.empty())
    apps::say(program_name, complaint);
  if (other_sizes > 0) {
    apps::say(program_name, std::to_string(other_sizes) + " of " + std::to_string(report.frames()) +
                                " frames had another size than the first one, " + std::to_string(size.width) +
                                "x" + std::to_string(size.height) + ", and were left out");
  }
  std::printf("skin_demo: %s.\n", times.sentence().c_str());
  std::printf("skin_demo: %s%s.\n", report.sentence().c_str(), places(options).c_str());
}

}  // namespace triptych::skin_demo
