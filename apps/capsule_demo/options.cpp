#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/version.hpp>

#include <common/cli.hpp>
#include <common/program.hpp>
#include <common/text.hpp>

#include <cmath>
#include <limits>

#include "options.hpp"

namespace triptych::capsule_demo {

namespace {

using apps::numbers;
using apps::UsageError;

constexpr const char* description =
    "Follows a moving body through clouds of stereo or depth points. A particle filter samples thousands of\n"
    "poses of a skeleton of capsules in every frame, casts the rays of the camera on each, and keeps the "
    "poses\n"
    "that explain the points best.\n"
    "Without arguments it renders a walking person as a stereo camera would see it, follows it on the best\n"
    "device, prints the error of the joints, and writes pictures and poses to out/capsule.";

constexpr const char* examples = R"(Examples:
  capsule_demo                                     a synthetic walk, pictures and poses in out/capsule
  capsule_demo --motion walk.bvh --noise 0.02 --outliers 0.2 --background
                                                   a recorded motion, seen by a bad camera in a room
  capsule_demo --depth frames/ --intrinsics 285.6,285.6,160,120
                                                   depth images; the pose of the first frame is searched for
  capsule_demo --depth frames/ --intrinsics 285.6,285.6,157.6,118 --truth joints.csv
                                                   starts from the joints of the first frame, then only compares; the
                                                   joints of a Kinect 1 are in the frame of its infrared camera, whose
                                                   centre is some pixels beside that of the depth image
  capsule_demo --stereo left.mp4 right.mp4 --calib calib.txt --range 1,4 --height 1.8
  capsule_demo --cloud scan1.ply scan2.ply scan3.ply --start standing.bvh
  capsule_demo --cloud room.ply --unit mm --axes z-up --person 0.5,0
                                                   without these they are guessed, and the guess is printed
  capsule_demo --samples 4000 --points 20000 --no-pictures
                                                   the most accurate setting; slow on a CPU
  capsule_demo batch list.txt --out results        many recordings; see capsule_demo batch --help

Everything is in metres, in the camera's frame: x right, y up, z away from the camera. The folder of --out gets
  capsule.mp4, first.png, last.png   the points and the capsule skin, from the camera and from the side
  poses.csv                          frame,joint,x_m,y_m,z_m
  poses.bvh                          the same as a motion, for any animation program
  frames.csv                         frame,error_mm,worst_mm,worst_joint,effective_samples,points,tracking_ms,
                                     found,confidence,reason
  summary.json                       the errors of each joint and of all, effective samples, times per frame
Exit code: 0 when it worked, 2 when the command line makes no sense, 130 after Ctrl-C, 143 after SIGTERM, 1 for
everything else. A run that is cut short or fails keeps what it has finished, says so, and writes "complete": false to
the summary. While it runs, the tables and the video are in *.part-* files, which a killed run leaves behind, at most a
second old.)";

constexpr int any_count = std::numeric_limits<int>::max();

capsule_likelihood::Intrinsics parse_intrinsics(const std::string& text) {
  const std::vector<double> v = numbers(text, ',');
  bool sane = v.size() == 4 && v[0] > 0 && v[1] > 0;
  for (const double value : v) sane = sane && std::abs(value) < 1e6;
  if (!sane) {
    throw UsageError("--intrinsics wants fx,fy,cx,cy in pixels, such as 285.6,285.6,160,120, not '" + text +
                     "'");
  }
  return {v[0], v[1], v[2], v[3]};
}

void parse_range(const std::string& text, Options& o) {
  const std::vector<double> v = numbers(text, ',');
  if (v.size() != 2 || !(v[0] >= 0) || !(v[1] > v[0]) || !(v[1] < 1e6)) {
    throw UsageError("--range wants NEAREST,FARTHEST in metres, such as 0.5,4, not '" + text + "'");
  }
  o.nearest_m = v[0];
  o.farthest_m = v[1];
}

void parse_device(const std::string& name, Options& o) {
  constexpr std::string_view prefix = "cuda:";
  if (name == "auto") return;
  if (name == "cpu") {
    o.device = RunOn::cpu;
    return;
  }
  o.device = RunOn::cuda;
  o.gpus = {0};
  if (name == "cuda") return;
  if (!name.starts_with(prefix)) {
    throw UsageError("'" + name + "' is no device; expected one of auto, cpu, cuda, cuda:0, cuda:0,1");
  }
  o.gpus.clear();
  for (const double v : numbers(std::string_view(name).substr(prefix.size()), ',')) {
    if (!(v >= 0 && v < 1024 && v == std::floor(v))) {
      o.gpus.clear();
      break;
    }
    o.gpus.push_back(static_cast<int>(v));
  }
  if (o.gpus.empty()) throw UsageError("'" + name + "' names no GPUs: write cuda:0 for the first one");
}

capsule_likelihood::Surface parse_surface(const std::string& name) {
  if (name == "closest") return capsule_likelihood::Surface::closest;
  if (name == "first") return capsule_likelihood::Surface::first;
  throw UsageError("'" + name + "' is no surface; expected closest or first");
}

// 0: guessed.
double parse_unit(const std::string& text) {
  if (text == "auto") return 0;
  if (text == "m") return 1;
  if (text == "cm") return 0.01;
  if (text == "mm") return 0.001;
  const std::vector<double> v = numbers(text, ',');
  if (v.size() != 1 || !(v[0] > 0 && v[0] <= 1000))
    throw UsageError("--unit wants auto, m, cm, mm or metres above 0, at most 1000, not '" + text + "'");
  return v[0];
}

std::optional<capsule_likelihood::CloudAxes> parse_axes(const std::string& name) {
  using capsule_likelihood::CloudAxes;
  if (name == "auto") return {};
  if (name == "y-up") return CloudAxes::y_up;
  if (name == "y-down") return CloudAxes::y_down;
  if (name == "z-up") return CloudAxes::z_up;
  throw UsageError("--axes wants auto, y-up, y-down or z-up, not '" + name + "'");
}

capsule_likelihood::Vec3 parse_person(const std::string& text) {
  const std::vector<double> v = numbers(text, ',');
  if (v.size() != 2 || !(std::abs(v[0]) < 1000) || !(std::abs(v[1]) < 1000))
    throw UsageError("--person wants X,Y in metres, such as -0.5,0, not '" + text + "'");
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), 0};
}

void check(bool sane, const std::string& sentence) {
  if (!sane) throw UsageError(sentence);
}

}  // namespace

std::string Options::input_name() const {
  switch (input) {
    case InputKind::depth:
      return depth.string();
    case InputKind::stereo:
      return left;
    case InputKind::cloud:
      return clouds.front().string();
    default:
      return motion;
  }
}

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options o;
  std::string intrinsics, range, device = "auto", surface, unit, axes, person;
  bool y_down = false;
  std::vector<std::string> stereo;

  CLI::App app(description, program_name);
  app.footer(examples);
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("TEXT", "");
  app.set_version_flag("--version", std::string(program_name) + " " + version());

  const char* group = "What to look at (one of; default: --motion synthetic)";
  auto* motion =
      app.add_option("--motion", o.motion, "synthetic, or a BVH file: a moving body, rendered as points")
          ->type_name("WHAT")
          ->group(group);
  auto* depth = app.add_option("--depth", o.depth, "A folder of 16-bit depth images; needs --intrinsics")
                    ->type_name("DIR")
                    ->group(group);
  auto* with_stereo =
      app.add_option("--stereo", stereo,
                     "Rectified images, folders of images or videos of both cameras; needs --calib")
          ->type_name("LEFT RIGHT")
          ->type_size(2)
          ->expected(1)
          ->group(group);
  auto* cloud = app.add_option("--cloud", o.clouds,
                               "A PLY file or a text file of x y z for each frame, or a folder of them")
                    ->type_name("FILES")
                    ->expected(1, 1 << 20)
                    ->group(group);

  group = "Of motions";
  std::vector<CLI::Option*> of_motions;
  const auto motions = [&](CLI::Option* option) { of_motions.push_back(option->group(group)); };
  motions(app.add_option("--noise", o.noise_m, "Standard deviation along the rays in metres [default: 0.01]")
              ->check(apps::number(0, 1, "metres"))
              ->type_name("M"));
  motions(app.add_option("--outliers", o.outliers, "Share of the points that are anywhere [default: 0.1]")
              ->check(apps::number(0, 0.9, "a share"))
              ->type_name("SHARE"));
  motions(app.add_flag("--background", o.background,
                       "A third of the points lies on the floor and the wall behind"));
  std::vector<CLI::Option*> of_files;
  const auto files = [&](CLI::Option* option) { of_files.push_back(option->group(group)); };
  files(
      app.add_option("--every", o.every, "Takes every N-th frame of the file [default: about 30 per second]")
          ->check(apps::whole_number(1, any_count, "frames"))
          ->type_name("N"));
  files(app.add_option("--first", o.first,
                       "The frame to start with [default: the first that belongs to the motion]")
            ->check(apps::whole_number(0, any_count))
            ->type_name("N"));
  files(app.add_option("--turn", o.turn_deg,
                       "Rotates the motion about the vertical [default: 180, for bodies that face +z]")
            ->check(apps::number(-36000, 36000, "degrees"))
            ->type_name("DEG"));

  group = "Of depth images, stereo and clouds";
  auto* with_intrinsics = app.add_option("--intrinsics", intrinsics, "Of the depth camera, in pixels")
                              ->type_name("FX,FY,CX,CY")
                              ->group(group);
  auto* with_truth =
      app.add_option("--truth", o.truth,
                     "Of depth: frame,joint,x_m,y_m,z_m; gives the body and its first pose, later "
                     "frames are only compared")
          ->type_name("FILE")
          ->group(group);
  auto* with_calibration = app.add_option("--calib", o.calibration,
                                          "Of stereo: calib.txt as Middlebury has it (cam0, doffs, baseline)")
                               ->type_name("FILE")
                               ->group(group);
  auto* with_unit =
      app.add_option(
             "--unit", unit,
             "Of depth images and clouds: auto, m, cm, mm, or metres in a unit [default: auto; depth: mm]")
          ->type_name("UNIT")
          ->group(group);
  auto* with_axes = app.add_option("--axes", axes, "Of clouds: auto, y-up, y-down, z-up [default: auto]")
                        ->type_name("AXES")
                        ->group(group);
  auto* with_y =
      app.add_flag("--y-down", y_down, "The y of the clouds points down: --axes y-down")->group(group);
  auto* with_background =
      app.add_flag("--keep-background", o.keep_background,
                   "Of depth images and clouds: does not look for floor, walls and other things to leave out")
          ->group(group);
  auto* with_person =
      app.add_option(
             "--person", person,
             "Of depth images and clouds: where the person is in the first frame, in metres [default: "
             "the largest thing]")
          ->type_name("X,Y")
          ->group(group);
  auto* with_range = app.add_option("--range", range, "Leaves out points nearer or farther, in metres")
                         ->type_name("NEAR,FAR")
                         ->group(group);
  auto* with_rate =
      app.add_option("--rate", o.rate_hz, "Frames per second of depth images and clouds [default: 30]")
          ->check(apps::number(1, 1000, "frames per second"))
          ->type_name("HZ")
          ->group(group);

  group = "How much of it";
  app.add_option(
         "--points", o.points,
         "Maximum number of points per frame; of motions the exact number [default: 20000; on a CPU 10000]")
      ->check(apps::whole_number(100, 10'000'000))
      ->type_name("N")
      ->group(group);
  app.add_option("--frames", o.frames, "Maximum number of frames [default: all; synthetic: 150]")
      ->check(apps::whole_number(1, any_count, "frames"))
      ->type_name("N")
      ->group(group);

  group = "Whom to follow";
  app.add_option(
         "--skeleton", o.skeleton,
         "A BVH file or a JSON skeleton; or JSON with other radii and limits for the input's own body")
      ->type_name("FILE")
      ->group(group);
  auto* with_height =
      app.add_option("--height", o.height_m, "Of the built-in person in metres [default: by the first cloud]")
          ->check(apps::number(0.3, 3, "metres"))
          ->type_name("M")
          ->group(group);
  app.add_option(
         "--start", o.start,
         "The first pose: find (search for it), a BVH file (its first frame) or a JSON pose [default: the "
         "input's when it has one, else find]")
      ->type_name("WHAT")
      ->group(group);

  group = "How to follow";
  app.add_option(
         "--device", device,
         "auto, cpu, cuda, or by number: cuda:0, cuda:0,1 (they share the likelihoods) [default: auto]")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--samples", o.samples, "Poses per layer [default: 2000; on a CPU 1000]")
      ->check(apps::whole_number(10, 1'000'000))
      ->type_name("J")
      ->group(group);
  app.add_option("--layers", o.layers, "Annealing layers per frame [default: 5]")
      ->check(apps::whole_number(1, 100))
      ->type_name("N")
      ->group(group);
  app.add_option("--seed", o.seed, "Of all random numbers: the same seed gives the same poses [default: 1]")
      ->check(apps::whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("S")
      ->group(group);
  app.add_option("--min-confidence", o.min_confidence,
                 "The body is found from this probability on that its joints are right [default: 0.5]")
      ->check(apps::number(0, 1, "a probability"))
      ->type_name("P")
      ->group(group);
  app.add_option("--search-after", o.search_after_frames,
                 "Frames without the body before it is searched for again; 0: never [default: 30]")
      ->check(apps::whole_number(0, 1'000'000))
      ->type_name("N")
      ->group(group);
  app.add_option("--sigma", o.sigma_m, "Standard deviation of a point's distance in metres [default: 0.03]")
      ->check(apps::number(0, 10, "metres", true))
      ->type_name("M")
      ->group(group);
  app.add_option("--tau", o.tau_m, "Larger differences of distance count as this, in metres [default: 0.1]")
      ->check(apps::number(0, 10, "metres", true))
      ->type_name("M")
      ->group(group);
  app.add_option("--surface", surface,
                 "closest: hidden limbs may explain points; first: they may not [default: closest]")
      ->type_name("NAME")
      ->group(group);

  group = "What to show and write";
  app.add_option("--out", o.out, "Folder for the video, pictures, poses and summary [default: out/capsule]")
      ->type_name("DIR")
      ->group(group);
  app.add_option("--csv", o.csv, "The joints' positions, instead of poses.csv in that folder")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--json", o.json, "The summary, instead of summary.json in that folder")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--no-pictures", o.no_pictures, "No video, no pictures, no window")->group(group);
  app.add_flag("--headless", o.headless, "No window (also when there is no display)")->group(group);

  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;

  const auto given = [](const CLI::Option* option) { return option->count() > 0; };
  const int inputs = int{given(motion)} + int{given(depth)} + int{given(with_stereo)} + int{given(cloud)};
  check(inputs <= 1, "--motion, --depth, --stereo and --cloud exclude each other: give one of them");
  if (given(depth)) o.input = InputKind::depth;
  if (given(with_stereo)) o.input = InputKind::stereo;
  if (given(cloud)) o.input = InputKind::cloud;
  const bool is_motion = o.input == InputKind::motion;
  for (const CLI::Option* option : of_motions)
    check(is_motion || !given(option), option->get_name() + " is for --motion alone");
  for (const CLI::Option* option : of_files)
    check((is_motion && !o.is_synthetic()) || !given(option),
          option->get_name() + " is for --motion with a BVH file alone");
  for (const CLI::Option* option : {with_unit, with_range, with_rate})
    check(!is_motion || !given(option), option->get_name() + " is not for --motion");
  check(o.input == InputKind::depth || !given(with_intrinsics), "--intrinsics is for --depth alone");
  check(o.input == InputKind::depth || !given(with_truth), "--truth is for --depth alone");
  check(o.input == InputKind::stereo || !given(with_calibration), "--calib is for --stereo alone");
  for (const CLI::Option* option : {with_y, with_axes})
    check(o.input == InputKind::cloud || !given(option), option->get_name() + " is for --cloud alone");
  check(!given(with_y) || !given(with_axes), "--y-down and --axes exclude each other: give one of them");
  for (const CLI::Option* option : {with_background, with_person})
    check(o.input == InputKind::cloud || o.input == InputKind::depth || !given(option),
          option->get_name() + " is for --depth and --cloud alone");
  check(o.input != InputKind::stereo || !given(with_unit),
        "--unit is not for --stereo: its calibration has the lengths");
  check(is_motion ? o.is_synthetic() || !given(with_height) : o.truth.empty() || !given(with_height),
        "--height is for bodies that the input does not give");
  check(o.input != InputKind::depth || given(with_intrinsics),
        "--depth needs --intrinsics fx,fy,cx,cy of the camera in pixels, such as 285.6,285.6,160,120");
  check(o.input != InputKind::stereo || given(with_calibration),
        "--stereo needs --calib with the cameras' calibration");
  check(!o.motion.empty(), "--motion wants synthetic or a BVH file, not nothing");
  check(app.count("--start") == 0 || !o.start.empty(), "--start wants find or a file, not nothing");
  if (given(with_stereo)) {
    o.left = stereo[0];
    o.right = stereo[1];
  }
  if (given(with_intrinsics)) o.intrinsics = parse_intrinsics(intrinsics);
  if (given(with_range)) parse_range(range, o);
  if (given(with_unit)) o.metres_per_unit = parse_unit(unit);
  if (given(with_axes)) o.axes = parse_axes(axes);
  if (y_down) o.axes = capsule_likelihood::CloudAxes::y_down;
  if (given(with_person)) o.person = parse_person(person);
  if (app.count("--surface") > 0) o.surface = parse_surface(surface);
  parse_device(device, o);
  return o;
}

Options with_defaults(Options options, const Device& device) {
  if (options.points == 0) options.points = device.is_cuda() ? 20000 : 10000;
  if (options.samples == 0) options.samples = capsule_likelihood::default_samples(device);
  return options;
}

}  // namespace triptych::capsule_demo
