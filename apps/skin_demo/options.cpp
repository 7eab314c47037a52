#include <triptych/core/error.hpp>
#include <triptych/core/version.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <common/cli.hpp>
#include <common/program.hpp>
#include <common/text.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "options.hpp"

namespace triptych::skin_demo {

namespace {

using apps::numbers;
using apps::UsageError;

constexpr const char* description =
    "Follows a head through video by the colour of skin: every pixel gets a weight from 0 to 1, the "
    "weights'\n"
    "centroid is where the head is, their sum says how far away it is.\n"
    "Without arguments it makes its own video, follows the head in it on the best device there is, and\n"
    "writes pictures to out/skin.";

constexpr const char* examples = R"(Examples:
  skin_demo                                        built-in video, pictures in out/skin
  skin_demo --distractor --gate --hcp              a second patch of skin, ignored; a 3D room beside the frame
  skin_demo --input clip.mp4                       follow the face that is detected in the first frame
  skin_demo --input clip.mp4 --calibrate 300,120,160,200 --gate
                                                   learn the skin from the oval in that box of the first frame
  skin_demo --input frames/ --filter 0.012,-0.004,-0.011,-0.6 --csv track.csv --no-pictures
  skin_demo --input clip.mp4 --model skin.json --start 300,120,160,200
                                                   follow what is in that box of the first frame
  skin_demo --input camera:0 --smooth --hcp        live; q or Ctrl-C ends it
  skin_demo --variant cpu1                         the calculation as first published, for comparison
  skin_demo batch list.txt --out results           many videos; see skin_demo batch --help
  skin_demo merge results                          their results in one table
  skin_demo evaluate --pixels skin.csv --classifier histogram --seed 1 --model skin.json
  skin_demo --input clip.mp4 --classifier histogram --model skin.json

The CSV file has the columns frame,x_px,y_px,area,found,distance,latency_us,confidence,reason: pixel centres are at
integers, area is the share of the frame that is skin, distance is in metres, confidence is the probability that the
head is right. Where no head was found x_px, y_px, area and distance are empty, and reason says why. Exit code: 0 when it worked, 2 when the command line makes
no sense, 130 after Ctrl-C, 143 after SIGTERM, 1 for everything else. A run that is cut short or fails keeps what it has
finished, says so, and writes "complete": false to the summary. While it runs, the track and the video are in
*.part-* files, which a killed run leaves behind, at most a second old.)";

constexpr const char* evaluate_description =
    "Trains a classifier on a random half of labelled pixels and says how good it is on the other half.";

template <class Names>
std::string joined(const Names& names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

Box parse_box(const std::string& option, const std::string& text) {
  const std::vector<double> v = numbers(text, ',');
  constexpr double limit = 1e6;
  bool sane = v.size() == 4 && v[2] > 0 && v[3] > 0;
  for (const double value : v) sane = sane && value > -limit && value < limit;
  if (!sane) {
    throw UsageError(option + " wants the box x,y,width,height in pixels, such as 300,120,160,200, not '" +
                     text + "'");
  }
  return {v[0], v[1], v[2], v[3]};
}

void parse_size(const std::string& text, Options& options) {
  const std::vector<double> v = numbers(text, 'x');
  const bool sane = v.size() == 2 && v[0] >= 64 && v[1] >= 64 && v[0] <= skin_tracker::max_width &&
                    v[1] <= skin_tracker::max_height && v[0] == static_cast<int>(v[0]) &&
                    v[1] == static_cast<int>(v[1]);
  if (!sane) {
    throw UsageError("--size wants WIDTHxHEIGHT from 64x64 to " + std::to_string(skin_tracker::max_width) +
                     "x" + std::to_string(skin_tracker::max_height) + ", not '" + text + "'");
  }
  options.width = static_cast<int>(v[0]);
  options.height = static_cast<int>(v[1]);
}

RunOn parse_device(const std::string& name) {
  if (name == "auto") return RunOn::best;
  if (name == "cpu") return RunOn::cpu;
  if (name == "cuda") return RunOn::cuda;
  if (name == "joint") return RunOn::joint;
  throw UsageError("'" + name + "' is no device; expected one of auto, cpu, cuda, joint");
}

// What the library calls an invalid argument came from the command line.
template <class F>
auto as_usage(const std::string& option, F parse) {
  try {
    return parse();
  } catch (const InvalidArgument& error) {
    throw UsageError(option + ": " + error.what());
  }
}

void check_classifier(const std::string& name) {
  const auto known = skin_tracker::classifier_names();
  for (const std::string_view k : known) {
    if (k == name) return;
  }
  throw UsageError("'" + name + "' is no classifier; expected one of " + joined(known));
}

void check_together(const Options& o) {
  using skin_tracker::Variant;
  const int models = int{o.calibrate.has_value()} + int{o.filter.has_value()} + int{!o.model.empty()};
  if (models > 1) throw UsageError("--calibrate, --filter and --model exclude each other: give one of them");
  if (!o.classifier.empty() && o.model.empty()) {
    throw UsageError(
        "--classifier needs --model with the file it was saved to; see skin_demo evaluate --help");
  }
  if (o.variant.empty()) return;
  if (o.gate) throw UsageError("--variant looks at whole frames: leave out --gate and --start, or --variant");
  const Variant variant = skin_tracker::parse_variant(o.variant);
  RunOn where = needs_gpu(variant) ? RunOn::cuda : RunOn::cpu;
  if (variant == Variant::joint) where = RunOn::joint;
  if (o.device != RunOn::best && o.device != where) {
    throw UsageError("the variant " + o.variant +
                     " does not run on the device asked for: leave out --device");
  }
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options o;
  std::string size = "1280x720", calibrate, start, filter, device = "auto";
  std::vector<std::string> variants;
  for (const auto v : skin_tracker::all_variants()) variants.push_back(to_string(v));

  CLI::App app(description, "skin_demo");
  app.footer(examples);
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("TEXT", "");
  app.set_version_flag("--version", std::string("skin_demo ") + version());
  app.require_subcommand(0, 1);

  const char* group = "What to look at";
  app.add_option("--input", o.input,
                 "synthetic, camera:N, or a path: an image, a video, a folder of images "
                 "[default: synthetic]")
      ->type_name("WHAT")
      ->group(group);
  app.add_option("--frames", o.frames, "At most so many frames [default: all; synthetic: 150]")
      ->check(apps::whole_number(1, std::numeric_limits<int>::max(), "frames"))
      ->type_name("N")
      ->group(group);
  auto* with_size = app.add_option("--size", size, "Of the synthetic video [default: 1280x720]")
                        ->type_name("WxH")
                        ->group(group);
  auto* with_noise = app.add_option("--noise", o.noise,
                                    "Of the synthetic video: standard deviation in grey levels [default: 2]")
                         ->check(apps::number(0, 255, "grey levels"))
                         ->type_name("S")
                         ->group(group);
  auto* with_distractor = app.add_flag("--distractor", o.distractor,
                                       "Puts a second thing in skin colour into the synthetic video")
                              ->group(group);

  group =
      "What skin looks like (one of; default: learnt from the truth when synthetic, else from the face that "
      "OpenCV's detector and the face model that ships find in the first frame, which is then followed as by "
      "--gate, else a generic filter)";
  app.add_option("--calibrate", calibrate, "Learn from the oval in this box of the first frame")
      ->type_name("X,Y,W,H")
      ->group(group);
  app.add_option("--filter", filter,
                 "The weight is R*red + G*green + B*blue + D, clamped to 0..1; colours from 0 to 255")
      ->type_name("R,G,B,D")
      ->group(group);
  app.add_option("--model", o.model, "A classifier that evaluate saved")->type_name("FILE")->group(group);
  app.add_option("--classifier", o.classifier,
                 "Which kind the model must be: " + joined(skin_tracker::classifier_names()))
      ->type_name("NAME")
      ->group(group);

  app.add_option("--cascade", o.cascade,
                 "OpenCV's face detector [default: haarcascade_frontalface_default.xml of the package "
                 "opencv-data]")
      ->type_name("FILE")
      ->group(group);

  group = "How to follow";
  app.add_option("--device", device, "auto, cpu, cuda, or joint (both share each frame) [default: auto]")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--variant", o.variant, "Run this calculation on every frame instead: " + joined(variants))
      ->type_name("NAME")
      ->group(group);
  app.add_flag("--gate", o.gate,
               "Look only around the last position, so that other skin is ignored; starts in the "
               "calibrated box and goes by the colours there")
      ->group(group);
  app.add_option("--start", start,
                 "The head's box in the first frame, for any classifier; turns --gate on "
                 "[default: the calibrated box]")
      ->type_name("X,Y,W,H")
      ->group(group);
  app.add_option("--min-confidence", o.min_confidence,
                 "A head of less confidence counts as lost; 0 finds whatever has the colour of skin "
                 "[default: 0.5]")
      ->check(apps::number(0, 1))
      ->type_name("P")
      ->group(group);
  app.add_flag("--smooth", o.smooth, "Smooth the position (One-Euro filter)")->group(group);
  app.add_option("--reference-distance", o.reference_distance_m,
                 "How far the head is from the camera in the calibrated frame [default: 0.6]")
      ->check(apps::number(0, 1000, "metres", true))
      ->type_name("METRES")
      ->group(group);

  group = "What to show and write";
  app.add_option("--out", o.out,
                 "Folder for the annotated video, its first and last picture and the heat map of the "
                 "weights [default: out/skin]")
      ->type_name("DIR")
      ->group(group);
  app.add_flag("--no-pictures", o.no_pictures, "Only track: no video, no pictures, no window")->group(group);
  app.add_flag("--hcp", o.hcp, "Head-coupled perspective: a 3D room beside the frame, as the head sees it")
      ->group(group);
  app.add_option("--csv", o.csv, "The track, a line a frame")->type_name("FILE")->group(group);
  app.add_option("--json", o.json, "The summary")->type_name("FILE")->group(group);
  app.add_flag("--headless", o.headless, "No window (also when there is no display)")->group(group);

  CLI::App* evaluate = app.add_subcommand("evaluate", evaluate_description);
  evaluate->add_option("--pixels", o.pixels, "Rows B,G,R,label: 1 is skin, 2 is not; no header")
      ->type_name("FILE")
      ->required();
  std::string kind;
  evaluate->add_option("--classifier", kind, joined(skin_tracker::classifier_names()))
      ->type_name("NAME")
      ->required();
  evaluate->add_option("--seed", o.seed, "Chooses the halves [default: 1]")
      ->check(apps::whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("S");
  std::filesystem::path save;
  evaluate->add_option("--model", save, "Save the trained classifier for --model of skin_demo")
      ->type_name("FILE");

  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;

  if (evaluate->parsed()) {
    o.evaluate = true;
    o.classifier = kind;
    o.model = std::move(save);
    check_classifier(o.classifier);
    return o;
  }
  if (!o.is_synthetic() && (with_size->count() + with_noise->count() + with_distractor->count() > 0)) {
    throw UsageError("--size, --noise and --distractor are for --input synthetic alone");
  }
  if (o.input.empty()) throw UsageError("--input wants synthetic, camera:N or a path, not nothing");
  if (app.count("--calibrate") > 0) o.calibrate = parse_box("--calibrate", calibrate);
  if (app.count("--start") > 0) {
    o.start = parse_box("--start", start);
    o.gate = true;
  }
  if (app.count("--filter") > 0)
    o.filter = as_usage("--filter", [&] { return skin_tracker::parse_filter(filter); });
  if (app.count("--variant") > 0)
    as_usage("--variant", [&] { return skin_tracker::parse_variant(o.variant); });
  if (app.count("--classifier") > 0) check_classifier(o.classifier);
  parse_size(size, o);
  o.device = parse_device(device);
  check_together(o);
  if (!o.cascade.empty() && !o.detects())
    throw UsageError(
        "--cascade finds the face in video where nothing else names it: leave out --cascade, or "
        "--calibrate, --filter, --model, --start and --variant");
  return o;
}

}  // namespace triptych::skin_demo
