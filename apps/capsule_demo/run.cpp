#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <common/csv_file.hpp>
#include <common/gallery.hpp>
#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/progress.hpp>
#include <common/require_gpu.hpp>
#include <common/summary.hpp>
#include <common/waiting.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "comparison.hpp"
#include "input.hpp"
#include "picture.hpp"
#include "report.hpp"
#include "run.hpp"
#include "subject.hpp"

namespace triptych::capsule_demo {

namespace fs = std::filesystem;
using namespace capsule_likelihood;

namespace {

Device device_of(const Options& options) {
  if (options.device == RunOn::cpu) return Device::cpu();
  if (options.device == RunOn::best) return Device::best();
  apps::require_gpu("--device cuda", "use --device cpu");
  return Device::cuda(options.gpus);
}

FilterOptions filter_options(const Options& options) {
  FilterOptions filter;
  if (options.sigma_m) filter.sensor.sigma_m = static_cast<float>(*options.sigma_m);
  if (options.tau_m) filter.sensor.tau_m = static_cast<float>(*options.tau_m);
  if (options.surface) filter.sensor.surface = *options.surface;
  if (options.min_confidence) filter.min_confidence = *options.min_confidence;
  filter.search_after_frames = options.search_after_frames;
  filter.samples = options.samples;
  filter.layers = options.layers;
  filter.seed = options.seed;
  filter.max_points = options.points;
  return filter;
}

// The files of the run besides the pictures.
struct Files {
  Files(const Options& options, apps::Outputs& outputs)
      : poses(outputs, options.csv.empty() ? options.out / "poses.csv" : options.csv, Report::poses_header),
        frames(outputs, options.out / "frames.csv", Report::frames_header),
        json(outputs.add(options.json.empty() ? options.out / "summary.json" : options.json)),
        bvh(outputs.add(options.out / "poses.bvh")) {}
  apps::CsvFile poses, frames;
  fs::path json, bvh;
};

std::string output_places(const Options& options) {
  std::string all = std::string("; ") + (options.no_pictures ? "" : "pictures, ") + "poses and summary in " +
                    options.out.string();
  if (!options.csv.empty()) all += ", joints in " + options.csv.string();
  if (!options.json.empty()) all += ", summary in " + options.json.string();
  return all;
}

std::string title_of(const Options& options) {
  if (options.is_synthetic()) return "synthetic walk";
  fs::path path = fs::path(options.input_name()).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  // A folder by itself is often just called "depth".
  if (options.input == InputKind::depth && path.has_parent_path())
    return (path.parent_path().filename() / path.filename()).string();
  return path.filename().string();
}

// The first frame with a point, and how many came before it.
struct FirstFrame {
  explicit FirstFrame(Input& input) {
    Stopwatch watch;
    bool more = input.next(frame);
    while (more && frame.points.empty()) {
      watch.restart();
      more = input.next(frame);
      ++number;
    }
    read_s = watch.elapsed_s();
    found = more;
  }
  CloudFrame frame;
  int number = 0;
  double read_s = 0;
  bool found = false;
};

// Follows the body from the first frame on, which was read.
class Run {
 public:
  Run(const Options& options, Input& input, Subject& subject, ParticleFilter& filter,
      const Comparison* comparison, apps::Outputs& outputs)
      : options_(options),
        input_(input),
        subject_(subject),
        filter_(filter),
        comparison_(comparison),
        outputs_(outputs),
        files_(options, outputs),
        report_(subject.skeleton,
                comparison != nullptr ? comparison->reference().names : std::vector<std::string>()) {
    if (options.no_pictures) return;
    const Reference* reference = input.reference();
    painter_.emplace(subject.skeleton, reference != nullptr ? *reference : Reference{},
                     Caption{title_of(options), filter.device().describe(), options.samples, options.layers});
    gallery_.emplace(outputs, options.out, "capsule", Painter::size(), input.frames_per_second(),
                     options.headless ? "" : program_name);
  }

  void follow(FirstFrame& first) {
    CloudFrame& frame = first.frame;
    int number = first.number;
    skipped_ = number;
    report_.add_reading_s(first.read_s);
    apps::Progress progress(program_name, input_.count());
    while (true) {
      const int written = report_.frames();
      closed_ = !step(frame, number);
      files_.poses.add(report_.poses_rows(written));
      files_.frames.add(report_.frames_rows(written));
      progress.update(++number);
      if (closed_) return;
      if (apps::interrupted()) break;
      const Stopwatch watch;
      const bool more = input_.next(frame);
      report_.add_reading_s(watch.elapsed_s());
      if (!more) break;
    }
    cut_short_ = apps::interrupted();
  }

  // Writes the rest. failed: of what went before something has thrown.
  void finish(bool failed, Report::About about) {
    if (report_.frames() == 0) return;
    if (!failed) {  // else their destructors write what there is room for, after the summary
      files_.poses.flush();
      files_.frames.flush();
    }
    if (!failed && gallery_) gallery_->finish();
    about.complete = !failed && !cut_short_ && !closed_ && input_.complaint().empty();
    outputs_.write(files_.json, apps::summary_text(report_.json(options_, about)));
    if (const auto bvh = report_.poses_bvh(input_.frames_per_second()))
      outputs_.write(files_.bvh, *bvh);
    else
      outputs_.drop(files_.bvh);
  }

  // What to say after all is written.
  void say() const {
    if (const std::string complaint = input_.complaint(); !complaint.empty() && !cut_short_)
      apps::say(program_name, complaint);
    if (skipped_ > 0)
      apps::say(program_name, "the first " + std::to_string(skipped_) +
                                  " frames had no usable point: began with frame " +
                                  std::to_string(skipped_));
    std::printf("%scapsule_demo: %s%s.\n", report_.table().c_str(), report_.sentence().c_str(),
                output_places(options_).c_str());
    if (const std::string advice = report_.advice(); !advice.empty())
      std::printf("capsule_demo: %s%s.\n", advice.c_str(),
                  options_.input == InputKind::motion
                      ? ""
                      : "; try --range NEAR,FAR, --unit, --axes, --person, --height or --start FILE");
    if (cut_short_)
      throw apps::Interrupted("kept the results of " + std::to_string(report_.frames()) + " frames" +
                              output_places(options_));
  }

 private:
  // False when the user has closed the window.
  bool step(const CloudFrame& frame, int number) {
    if (frame.points.empty()) {
      report_.add_unread(number);
      return true;
    }
    const Estimate estimate = filter_.step({frame.points, frame.sigma_m});
    std::vector<double> errors;
    if (comparison_ != nullptr && !frame.truth.empty())
      errors = comparison_->errors_mm(estimate.joints, frame.truth);
    report_.add(number, estimate, errors, 1e-6 * estimate.latency_us);
    if (!painter_) return true;
    const Stopwatch watch;
    const std::vector<Capsule> body = subject_.skeleton.capsules(estimate.pose);
    const Scene scene{.frame = number,
                      .frames = input_.count(),
                      .points = frame.points,
                      .body = body,
                      .joints = estimate.joints,
                      .truth = frame.truth,
                      .error_mm = report_.error_mm(),
                      .mean_error_mm = report_.mean_error_mm(),
                      .effective_samples = estimate.effective_samples,
                      .confidence = estimate.confidence,
                      .reason = reason(estimate),
                      .frames_per_second = report_.tracking_rate()};
    const bool go_on = gallery_->show(painter_->paint(scene));
    report_.add_drawing_s(watch.elapsed_s());
    return go_on;
  }

  const Options& options_;
  Input& input_;
  Subject& subject_;
  ParticleFilter& filter_;
  const Comparison* comparison_;
  apps::Outputs& outputs_;
  Files files_;
  Report report_;
  std::optional<Painter> painter_;
  std::optional<apps::Gallery> gallery_;
  int skipped_ = 0;
  bool closed_ = false, cut_short_ = false;
};

}  // namespace

void run(const Options& wishes) {
  const Device device = device_of(wishes);
  const Options options = with_defaults(wishes, device);
  const std::unique_ptr<Input> input = open_input(options);
  FirstFrame first(*input);
  if (!first.found) {
    const std::string why = input->complaint();
    throw Error("no frame of " + options.input_name() + " has a usable point" +
                (why.empty() ? "" : ": " + why));
  }
  const std::vector<Vec3>& points = first.frame.points;
  Subject subject = make_subject(options, *input, first.frame);
  std::optional<Comparison> comparison;
  if (input->reference() != nullptr) comparison.emplace(*input->reference(), subject.skeleton);
  {
    apps::Outputs trial;  // what cannot be written is said before the search, not after it
    const Files files(options, trial);
  }
  const std::string start = subject.start.empty() ? "searched for in the first frame" : "given";
  std::printf("capsule_demo: %s; %s; first pose %s; %d samples x %d layers on %s\n",
              input->describe().c_str(), subject.origin.c_str(), start.c_str(), options.samples,
              options.layers, device.describe().c_str());
  for (const std::string& note : input->notes()) std::printf("capsule_demo: %s\n", note.c_str());
  std::fflush(stdout);

  ParticleFilter filter(subject.skeleton, filter_options(options), device);
  double search_s = 0;
  std::optional<double> search_confidence;
  if (subject.start.empty()) {
    const Stopwatch watch;
    const apps::Waiting waiting(std::string(program_name) + ": searching for the first pose");
    const Estimate found = filter.find(points);
    subject.start = found.pose;
    if (!subject.true_radii) {
      auto [skeleton, pose] = fit_body(subject.skeleton, found.pose, points);
      subject.skeleton = std::move(skeleton);
      subject.start = std::move(pose);
    }
    search_s = watch.elapsed_s();
    search_confidence = found.confidence;
  } else if (!subject.true_radii) {
    subject.skeleton = fit_radii(subject.skeleton, subject.start, points);
  }
  if (!subject.true_radii) filter = ParticleFilter(subject.skeleton, filter_options(options), device);
  filter.start(subject.start);

  apps::end_on_interrupt();
  apps::Outputs outputs;
  apps::keep_on_failure(outputs, [&] {
    Run run(options, *input, subject, filter, comparison ? &*comparison : nullptr, outputs);
    const Report::About about{
        input->describe(), subject.origin,    start, device.describe(), input->frames_per_second(),
        search_s,          search_confidence, false};
    apps::finish_always([&] { run.follow(first); }, [&](bool failed) { run.finish(failed, about); });
    outputs.commit();
    run.say();
  });
}

}  // namespace triptych::capsule_demo
