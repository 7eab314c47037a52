#include <triptych/aam_fit/default_model.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/version.hpp>

#include <common/cli.hpp>
#include <common/program.hpp>
#include <common/require_gpu.hpp>
#include <common/text.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include "options.hpp"

namespace triptych::aam_demo {

namespace {

using namespace aam_fit;
using apps::UsageError;

constexpr const char* description =
    "Active appearance models: learns from images with landmarks how a kind of object, such as a face,\n"
    "varies in shape and in appearance, and then finds the landmarks in images without marks.\n"
    "Without a command it makes synthetic faces, learns from them, finds the landmarks of others, follows a\n"
    "face through a video, and writes pictures to out/aam.";

constexpr const char* examples = R"(Examples:
  aam_demo                                           all of it on synthetic faces, in out/aam
  aam_demo synth --out faces --count 200             200 synthetic faces with 68 landmarks each
  aam_demo train --images faces --out faces.aam      learns from them
  aam_demo info faces.aam                            what the model holds
  aam_demo modes faces.aam --out modes               pictures of how faces differ
  aam_demo evaluate --model faces.aam --images other --json result.json
                                                     how well it finds landmarks that are known
  aam_demo evaluate --model faces.aam --images other --shard 2/8 --out results       one of eight processes
  aam_demo merge results                             the table of all eight
  aam_demo batch list.txt --out results              many photos and videos; see aam_demo batch --help
  aam_demo fit photo.jpg                             the landmarks of all faces, by the model that ships
  aam_demo train --images 300W/01_Indoor --out mine.aam             a better one, from your copy of 300-W or IMM
  aam_demo fit --model faces.aam --input photo.jpg --init 60,40,130,140 --out fitted
  aam_demo fit --model faces.aam --input clip.mp4 --out fitted
  aam_demo fit --model faces.aam --input camera:0 --out fitted       live; q or Ctrl-C ends it

A folder for training holds images and for each a file of landmarks with the same name, .pts (as in 300-W: n_points,
then x y a line) or .asf (as in IMM: shares of the image's size); --landmarks names another folder for those. Pixel
centres are at integers. The errors that are printed are the mean distance of the landmarks from the truth over the
face's size, which is the square root of the area of the landmarks' box. Each command has its own --help.
From 68 landmarks (300-W) follows the head's pose, drawn as three axes at the nose (red: the head's left, green: down,
blue: ahead) and written to fits.csv: yaw, pitch and roll in degrees (above 0: the nose to the right of the image, up,
the head leaning clockwise), the point between the eyes from the camera in metres (x right, y down, z ahead), and the
standard deviation of each.
Exit code: 0 when it worked, 2 when the command line makes no sense, 130 after Ctrl-C, 143 after SIGTERM, 1 for
everything else. A run that is cut short or fails keeps what it has finished, says so, and writes "complete": false to
the summary. While it runs, fits.csv and the video are in *.part-* files, which a killed run leaves behind, at most a
second old.)";

template <class Value>
struct Named {
  const char* name;
  Value value;
};
constexpr Named<Parameters> parameter_names[] = {{"shape", Parameters::shape},
                                                 {"combined", Parameters::combined},
                                                 {"independent", Parameters::independent}};
constexpr Named<Update> update_names[] = {{"regression", Update::regression},
                                          {"displaced", Update::displaced}};
constexpr Named<Algorithm> algorithm_names[] = {{"regression", Algorithm::regression},
                                                {"project_out", Algorithm::project_out},
                                                {"simultaneous", Algorithm::simultaneous}};

template <class Value, std::size_t n>
Value named(const char* option, const std::string& name, const Named<Value> (&all)[n]) {
  std::string known;
  for (const auto& entry : all) {
    if (name == entry.name) return entry.value;
    known += known.empty() ? entry.name : std::string(", ") + entry.name;
  }
  throw UsageError(std::string(option) + " wants one of " + known + ", not '" + name + "'");
}

Box parse_box(const std::string& text) {
  const std::vector<double> v = apps::numbers(text, ',');
  bool sane = v.size() == 4 && v[2] > 0 && v[3] > 0;
  for (const double value : v) sane = sane && std::abs(value) < 1e6;
  if (!sane) {
    throw UsageError(
        "--init wants the box x,y,width,height of the landmarks in pixels, such as 60,40,130,140, "
        "not '" +
        text + "'");
  }
  constexpr double min_px = 8;
  if (v[2] < min_px || v[3] < min_px) {
    throw UsageError("--init " + text +
                     " is too small for a face: give a box at least 8 pixels wide and high");
  }
  return {v[0], v[1], v[2], v[3]};
}

// Adds options to commands; each lives as long as the parser.
struct Texts {
  std::string shard = "1/1", init, features = "double_angle", parameters = "shape", update = "regression",
              algorithm = "regression";
  std::int64_t pixels = 1700;
  double variance = 0;
  int levels = 2;
  bool no_patches = false, no_refinement = false, no_mirror = false;
};

void add_device(CLI::App& app, Options& o, Texts& t) {
  app.add_option("--device", o.device, "auto, cpu or cuda [default: auto]")->type_name("NAME");
  app.add_option("--algorithm", t.algorithm,
                 "regression, project_out or simultaneous; the last two on the CPU [default: regression]")
      ->type_name("NAME");
  app.add_option("--threads", o.threads, "Of the CPU [default: all cores]")
      ->check(apps::whole_number(1, 1024))
      ->type_name("N");
}

void add_pose(CLI::App& app, Options& o) {
  app.add_option(
         "--focal", o.pose.focal_px,
         "Focal length of the camera in pixels, for the head's pose: a wrong one makes the distance wrong "
         "by the same factor [default: the image's width]")
      ->check(apps::number(1, 1e6, "pixels"))
      ->type_name("PX");
  app.add_flag("--smooth-pose", o.pose.smooth,
               "In a video, smooth the head's pose over time (One-Euro filter)");
}

void add_train(CLI::App& app, Options& o, Texts& t) {
  app.add_option("--images", o.images, "Folder of images with landmarks")->type_name("DIR")->required();
  app.add_option("--landmarks", o.landmarks, "Folder of the .pts or .asf files, when it is another")
      ->type_name("DIR");
  app.add_option("--out", o.out, "The model")->type_name("FILE.aam")->required();
  app.add_option("--pixels", t.pixels, "Of the finest level's texture [default: 1700]")
      ->check(apps::whole_number(64, 1 << 20))
      ->type_name("N");
  app.add_option("--variance", t.variance,
                 "Share of the shapes' variance that the modes keep [default: 0.97]")
      ->check(apps::number(0.1, 1, "a share"))
      ->type_name("F");
  app.add_option("--levels", t.levels, "Resolutions, from coarse to fine [default: 2]")
      ->check(apps::whole_number(1, 6))
      ->type_name("N");
  app.add_option(
         "--features", t.features,
         "What textures are made of: grey, gradient, double_angle, orientation [default: double_angle]")
      ->type_name("NAME");
  app.add_option(
         "--parameters", t.parameters,
         "shape (the texture follows from it), combined (as Cootes does) or independent [default: shape]")
      ->type_name("NAME");
  app.add_option(
         "--update", t.update,
         "How steps are learnt: regression over many displaced starts, or displaced (the Jacobian, as "
         "Cootes does) [default: regression]")
      ->type_name("NAME");
  app.add_flag(
      "--no-patches", t.no_patches,
      "Without the last level, of patches around the landmarks (regression and shape alone have one)");
  app.add_flag("--no-refinement", t.no_refinement,
               "Without the Gauss-Newton steps after the last level (regression and shape alone have them)");
  app.add_flag("--no-mirror", t.no_mirror, "Do not learn from the mirrored images as well");
  app.add_option(
         "--landmark-offset", o.training.landmark_offset_px,
         "How far landmarks lie to the right of what they mark, as 1 where pixels were counted from 1; "
         "those of mirrored images are placed as far to the right [default: estimated]")
      ->check(apps::number(-4, 4, "pixels"))
      ->type_name("PX");
  app.add_option(
         "--deformations", o.training.deformations,
         "More faces for each image, warped towards the shape of another one; 0: none [default: 8, fewer "
         "from 134 images on]")
      ->check(apps::whole_number(0, 1000))
      ->type_name("N");
  app.add_option("--seed", o.seed, "Of the displaced starts and the deformations [default: 1]")
      ->check(apps::whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("S");
  app.add_option("--threads", o.threads, "[default: all cores]")
      ->check(apps::whole_number(1, 1024))
      ->type_name("N");
}

void add_model(CLI::App& app, Options& o) {
  app.add_option("--model", o.model,
                 "From aam_demo train [default: the model of procedural faces that ships]")
      ->type_name("FILE");
}

void add_cascade(CLI::App& app, Options& o) {
  app.add_option("--cascade", o.cascade,
                 "OpenCV's face detector [default: haarcascade_frontalface_default.xml of the package "
                 "opencv-data]")
      ->type_name("FILE.xml");
}

void add_fit(CLI::App& app, Options& o, Texts& t) {
  add_model(app, o);
  app.add_option("input,--input", o.input, "An image, a folder of images, a video, or camera:N")
      ->type_name("WHAT")
      ->required();
  app.add_option("--init", t.init,
                 "Where the landmarks are at first, roughly [default: the face is searched for]")
      ->type_name("X,Y,W,H");
  add_cascade(app, o);
  app.add_option("--out", o.out,
                 "Folder for pictures, video, .pts files, fits.csv and summary.json [default: out/fit]")
      ->type_name("DIR");
  app.add_flag("--track", o.track, "The images of a folder are a video: each fit starts from the last one");
  app.add_option("--frames", o.frames, "Maximum number of frames [default: all]")
      ->check(apps::whole_number(1, std::numeric_limits<int>::max(), "frames"))
      ->type_name("N");
  add_pose(app, o);
  app.add_flag("--no-pictures", o.no_pictures, "Only .pts, CSV and JSON");
  app.add_flag("--headless", o.headless, "No window (also when there is no display)");
  add_device(app, o, t);
}

void add_boxes(CLI::App& app, Options& o) {
  app.add_option("--images", o.images, "Folder of images with landmarks")->type_name("DIR")->required();
  app.add_option("--landmarks", o.landmarks, "Folder of the .pts or .asf files, when it is another")
      ->type_name("DIR");
  add_cascade(app, o);
}

void add_evaluate(CLI::App& app, Options& o, Texts& t) {
  add_model(app, o);
  app.add_option("--images", o.images, "Folder of images with landmarks")->type_name("DIR")->required();
  app.add_option("--landmarks", o.landmarks, "Folder of the .pts or .asf files, when it is another")
      ->type_name("DIR");
  app.add_option("--json", o.json, "The summary")->type_name("FILE");
  app.add_option("--csv", o.csv, "Every fit: image,start,start_error,end_error,iterations,status,ms")
      ->type_name("FILE");
  app.add_option(
         "--shard", t.shard,
         "Every N-th image alone, from the I-th on, with the results in --out; run again, it skips what is "
         "done; aam_demo merge DIR then gives the table of all [default: 1/1]")
      ->type_name("I/N");
  app.add_option("--out", o.out, "Folder for the results of all shards, instead of --json and --csv")
      ->type_name("DIR");
  add_device(app, o, t);
}

void check(const Options& o) {
  if (o.device != "auto" && o.device != "cpu" && o.device != "cuda") {
    throw UsageError("'" + o.device + "' is no device; expected one of auto, cpu, cuda");
  }
  if (o.device == "cuda" && o.fitting.algorithm != Algorithm::regression) {
    throw UsageError("that algorithm runs on the CPU: leave out --device cuda");
  }
}

void set_training(Options& o, const Texts& t) {
  Features features;
  try {
    features.kind = parse_feature_kind(t.features);
  } catch (const InvalidArgument& error) {
    throw UsageError(std::string("--features: ") + error.what());
  }
  o.training.parameters = named("--parameters", t.parameters, parameter_names);
  o.training.update = named("--update", t.update, update_names);
  o.training.levels = default_levels(t.pixels, t.levels, features, o.training.update);
  if (!t.no_patches && o.training.update == Update::regression &&
      o.training.parameters == Parameters::shape && features.kind == FeatureKind::double_angle)
    o.training.levels.push_back(patch_level());
  if (t.variance != 0) o.training.shape_variance = t.variance;
  o.training.refinement = !t.no_refinement;
  o.training.mirror = !t.no_mirror;
  o.training.seed = o.seed;
  o.training.threads = o.threads;
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options o;
  Texts t;
  CLI::App app(description, program_name);
  app.footer(examples);
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("TEXT", "");
  app.set_version_flag("--version", std::string("aam_demo ") + version());
  app.require_subcommand(0, 1);
  std::filesystem::path show_out = "out/aam";
  app.add_option("--out", show_out, "Folder for what the run without a command makes [default: out/aam]")
      ->type_name("DIR");
  app.add_option("--seed", o.seed, "Of its synthetic faces [default: 1]")
      ->check(apps::whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("S");
  app.add_option("--frames", o.frames, "Of its video [default: 150]")
      ->check(apps::whole_number(1, 100000, "frames"))
      ->type_name("N");
  app.add_flag("--headless", o.headless, "No window (also when there is no display)");
  add_pose(app, o);
  add_device(app, o, t);

  CLI::App* train = app.add_subcommand("train", "Learns a model from images with landmarks.");
  add_train(*train, o, t);
  CLI::App* fit =
      app.add_subcommand("fit", "Finds the landmarks in an image, a folder, a video or a camera's pictures.");
  add_fit(*fit, o, t);
  CLI::App* evaluate = app.add_subcommand(
      "evaluate", "Says how well a model finds known landmarks: five displaced starts for every image.");
  add_evaluate(*evaluate, o, t);
  CLI::App* info = app.add_subcommand("info", "Says what a model holds.");
  info->add_option("model", o.model, "From aam_demo train")->type_name("FILE")->required();
  CLI::App* modes =
      app.add_subcommand("modes", "Pictures of the first modes at -2, 0 and +2 standard deviations.");
  modes->add_option("model", o.model, "From aam_demo train")->type_name("FILE")->required();
  modes->add_option("--out", o.out, "Folder")->type_name("DIR")->required();
  modes->add_option("--modes", o.modes, "How many [default: 6]")
      ->check(apps::whole_number(1, 100))
      ->type_name("N");
  CLI::App* synth =
      app.add_subcommand("synth", "Writes synthetic faces (.pgm) with 68 exact landmarks (.pts).");
  synth->add_option("--out", o.out, "Folder")->type_name("DIR")->required();
  synth->add_option("--count", o.count, "How many [default: 100]")
      ->check(apps::whole_number(1, 1000000))
      ->type_name("N");
  synth->add_option("--seed", o.seed, "Which [default: 1]")
      ->check(apps::whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("S");
  synth->add_option("--size", o.size, "Width and height in pixels [default: 256]")
      ->check(apps::whole_number(64, 4096, "pixels"))
      ->type_name("N");

  CLI::App* boxes =
      app.add_subcommand("boxes", "Measures where the landmarks lie in the boxes of OpenCV's face detector.");
  add_boxes(*boxes, o);

  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;

  o.fitting.algorithm = named("--algorithm", t.algorithm, algorithm_names);
  if (train->parsed()) {
    o.command = Command::train;
    set_training(o, t);
  } else if (fit->parsed()) {
    o.command = Command::fit;
    if (fit->count("--init") > 0) o.init = parse_box(t.init);
    if (o.out.empty()) o.out = "out/fit";
    if (o.input.empty()) throw UsageError("--input wants a path or camera:N, not nothing");
  } else if (evaluate->parsed()) {
    o.command = Command::evaluate;
    o.shard = apps::parse_shard(t.shard);
    if (evaluate->count("--shard") > 0 && o.out.empty())
      throw UsageError("--shard needs --out with the folder for the results of all shards");
    if (!o.out.empty() && !(o.json.empty() && o.csv.empty()))
      throw UsageError("--out of evaluate excludes --json and --csv: aam_demo merge writes them");
  } else if (info->parsed()) {
    o.command = Command::info;
  } else if (modes->parsed()) {
    o.command = Command::modes;
  } else if (synth->parsed()) {
    o.command = Command::synth;
  } else if (boxes->parsed()) {
    o.command = Command::boxes;
  } else {
    o.out = std::move(show_out);
  }
  check(o);
  if (o.model.empty() && (o.command == Command::fit || o.command == Command::evaluate)) {
    o.model = default_model_path();
    o.shipped_model = true;
  }
  return o;
}

Device chosen_device(const Options& options) {
  if (options.device == "cuda") {
    apps::require_gpu("--device cuda", "try --device cpu");
    return Device::cuda();
  }
  if (options.device == "cpu" || options.fitting.algorithm != Algorithm::regression) {
    return Device::cpu(options.threads);
  }
  const Device best = Device::best();
  return best.is_cuda() ? best : Device::cpu(options.threads);
}

}  // namespace triptych::aam_demo
