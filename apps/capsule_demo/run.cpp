#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <common/gallery.hpp>
#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/progress.hpp>
#include <common/require_gpu.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>

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
  filter.samples = options.samples;
  filter.layers = options.layers;
  filter.seed = options.seed;
  filter.max_points = options.points;
  return filter;
}

// The files of the run besides the pictures.
struct Files {
  Files(const Options& options, apps::Outputs& outputs)
      : csv(outputs.add(options.csv.empty() ? options.out / "poses.csv" : options.csv)),
        json(outputs.add(options.json.empty() ? options.out / "summary.json" : options.json)),
        bvh(outputs.add(options.out / "poses.bvh")),
        frames(outputs.add(options.out / "frames.csv")) {}
  fs::path csv, json, bvh, frames;
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

}  // namespace

void run(const Options& wishes) {
  const Device device = device_of(wishes);
  const Options options = with_defaults(wishes, device);
  const std::unique_ptr<Input> input = open_input(options);
  apps::end_on_interrupt();

  CloudFrame frame;
  int number = 0;
  Stopwatch read_watch;
  bool more = input->next(frame);
  while (more && frame.points.empty()) {
    read_watch.restart();
    more = input->next(frame);
    ++number;
  }
  const double first_read_s = read_watch.elapsed_s();
  if (!more) {
    const std::string why = input->complaint();
    throw Error("no frame of " + options.input_name() + " has a usable point" +
                (why.empty() ? "" : ": " + why));
  }
  const int skipped = number;
  Subject subject = make_subject(options, *input, frame);
  std::optional<Comparison> comparison;
  if (input->reference() != nullptr) comparison.emplace(*input->reference(), subject.skeleton);

  apps::Outputs outputs;
  const Files files(options, outputs);
  const std::string start = subject.start.empty() ? "searched for in the first frame" : "given";
  std::printf("capsule_demo: %s; %s; first pose %s; %d samples x %d layers on %s\n",
              input->describe().c_str(), subject.origin.c_str(), start.c_str(), options.samples,
              options.layers, device.describe().c_str());
  std::fflush(stdout);

  ParticleFilter filter(subject.skeleton, filter_options(options), device);
  double search_s = 0;
  if (subject.start.empty()) {
    const Stopwatch watch;
    subject.start = filter.find(frame.points).pose;
    search_s = watch.elapsed_s();
  }
  if (!subject.true_radii) {
    subject.skeleton = fit_radii(subject.skeleton, subject.start, frame.points);
    filter = ParticleFilter(subject.skeleton, filter_options(options), device);
  }
  filter.start(subject.start);
  std::optional<Painter> painter;
  std::optional<apps::Gallery> gallery;
  if (!options.no_pictures) {
    const Reference* reference = input->reference();
    painter.emplace(subject.skeleton, reference != nullptr ? *reference : Reference{},
                    Caption{title_of(options), device.describe(), options.samples, options.layers});
    gallery.emplace(outputs, options.out, "capsule", Painter::size(), input->frames_per_second(),
                    options.headless ? "" : program_name);
  }
  Report report(subject.skeleton, comparison ? comparison->reference().names : std::vector<std::string>());
  apps::Progress progress(program_name, input->count());
  const auto read_next = [&] {
    const Stopwatch watch;
    const bool more_frames = input->next(frame);
    report.add_reading_s(watch.elapsed_s());
    return more_frames;
  };
  report.add_reading_s(first_read_s);
  do {
    if (frame.points.empty()) {
      report.add_unread(number);
    } else {
      const Estimate estimate = filter.step({frame.points, frame.sigma_m});
      std::vector<double> errors;
      if (comparison && !frame.truth.empty()) errors = comparison->errors_mm(estimate.joints, frame.truth);
      report.add(number, estimate, errors, 1e-6 * estimate.latency_us);
      if (painter) {
        const Stopwatch watch;
        const std::vector<Capsule> body = subject.skeleton.capsules(estimate.pose);
        const Scene scene{.frame = number,
                          .frames = input->count(),
                          .points = frame.points,
                          .body = body,
                          .joints = estimate.joints,
                          .truth = frame.truth,
                          .error_mm = report.error_mm(),
                          .mean_error_mm = report.mean_error_mm(),
                          .effective_samples = estimate.effective_samples,
                          .frames_per_second = report.tracking_rate()};
        const bool go_on = gallery->show(painter->paint(scene));
        report.add_drawing_s(watch.elapsed_s());
        if (!go_on) break;
      }
    }
    ++number;
    progress.update(number);
  } while (!apps::interrupted() && read_next());
  progress.finish();

  if (gallery) gallery->finish();
  apps::write_text(files.csv, report.poses_csv());
  apps::write_text(files.frames, report.frames_csv());
  apps::write_text(files.bvh, report.poses_bvh(input->frames_per_second()));
  const Report::About about{input->describe(),          subject.origin, start, device.describe(),
                            input->frames_per_second(), search_s};
  apps::write_text(files.json, report.json(options, about).dump(2) + "\n");
  outputs.commit();
  if (const std::string complaint = input->complaint(); !complaint.empty())
    apps::say(program_name, complaint);
  if (skipped > 0)
    apps::say(program_name, "the first " + std::to_string(skipped) +
                                " frames had no usable point: began with frame " + std::to_string(skipped));
  std::printf("%scapsule_demo: %s%s.\n", report.table().c_str(), report.sentence().c_str(),
              output_places(options).c_str());
}

}  // namespace triptych::capsule_demo
