// aam_opencv_peer: OpenCV's FacemarkAAM beside our CPU twin on a folder of faces: the same training images,
// the same held-out ones, the same five starts, equal pixels and modes, one thread each, in one run.
//
// FacemarkAAM cannot be told how many pixels to use: its reference frame is the mean face shrunk by a scale,
// and we take as many pixels as it has. Its modes are n of the shape and m of the texture; ours are as many
// of each, with independent parameters. An iteration is timed as the difference of fits with more and with
// fewer.
#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/aam_fit/prepare.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/json.hpp>
#include <triptych/core/opencv.hpp>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "peers/aam_facemark.hpp"
#include "support/timing.hpp"

namespace triptych::bench {
namespace {

using aam_fit::Example;
using aam_fit::Shape;

constexpr int iterations = 10;  // of a fit in the results, as aam_fit_bench has them

struct Options {
  std::string data, out;
  int train = 150, test = 50, fit_iterations = 30;
};

constexpr const char* help =
    R"(aam_opencv_peer: OpenCV's FacemarkAAM and our CPU twin on the same faces, one thread each

usage: aam_opencv_peer --data DIR [options]

  --data DIR     images with .pts files of 68 points
  --train N      the first N faces train (150)
  --test N       the last N are fitted, from five starts each (50)
  --iterations N of a fit of FacemarkAAM where errors are taken (30)
  --out FILE     results as JSON, which bench/report/report.py reads
)";

Options parse(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string name = argv[k];
    if (name == "--help") {
      std::fputs(help, stdout);
      std::exit(0);
    }
    require(k + 1 < argc, name, " needs a value, or is no option; see --help");
    const std::string value = argv[++k];
    int* const number = name == "--train"        ? &options.train
                        : name == "--test"       ? &options.test
                        : name == "--iterations" ? &options.fit_iterations
                                                 : nullptr;
    if (number != nullptr) {
      *number = static_cast<int>(std::strtol(value.c_str(), nullptr, 10));
      require(*number > 0, name, " must be a number above 0");
    } else {
      require(name == "--data" || name == "--out", "there is no option ", name, "; see --help");
      (name == "--data" ? options.data : options.out) = value;
    }
  }
  require(!options.data.empty(), "no --data given; see --help");
  return options;
}

std::vector<Example> load(const std::string& folder) {
  const auto reader = [](const std::filesystem::path& path) {
    const cv::Mat grey = cv::imread(path.string(), cv::IMREAD_GRAYSCALE);
    require(!grey.empty(), "cannot read the image ", path.string());
    return to_image<Grey8>(grey);
  };
  return aam_fit::load_examples(aam_fit::find_pairs(folder, {}, {".jpg", ".jpeg", ".png", ".pgm"}), reader);
}

// Errors of all faces and starts, before and after.
struct Errors {
  std::vector<double> start, end;
  void add(const Shape& from, const Shape& found, const Shape& truth) {
    start.push_back(aam_fit::shape_error(from, truth));
    end.push_back(aam_fit::shape_error(found, truth));
  }
  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
  }
  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
  double below() const {
    return static_cast<double>(std::count_if(end.begin(), end.end(), [](double e) { return e < 0.05; })) /
           static_cast<double>(end.size());
  }
};

// Writes a line, and an entry for bench/report/report.py.
void report(Json& benchmarks, const char* series, int modes, std::int64_t pixels, const Timing& iteration,
            const Errors& errors) {
  std::printf(
      "%-14s %5d modes %6lld pixels %10.3f ms an iteration   error %.4f -> mean %.4f median %.4f, %.0f %% "
      "below 0.05\n",
      series, modes, static_cast<long long>(pixels), 1e-3 * iteration.us, Errors::mean(errors.start),
      Errors::mean(errors.end), Errors::median(errors.end), 100 * errors.below());
  std::fflush(stdout);
  benchmarks.push_back({{"name", "aam/float/" + std::string(series) + "/resident/1x" + std::to_string(modes) +
                                     "x" + std::to_string(pixels)},
                        {"us", iterations * iteration.us},
                        {"low_us", iterations * iteration.low_us},
                        {"high_us", iterations * iteration.high_us},
                        {"start_error", Errors::mean(errors.start)},
                        {"mean_error", Errors::mean(errors.end)},
                        {"median_error", Errors::median(errors.end)},
                        {"share_below", errors.below()}});
}

// Time of one iteration: the difference between two numbers of iterations.
Timing time_facemark(Facemark& facemark, std::span<const Example> faces, int scale) {
  constexpr int few = 2, many = 12;
  std::vector<double> us;
  for (std::size_t i = 0; i < std::min<std::size_t>(9, faces.size()); ++i) {
    const Shape start = aam_fit::evaluation_starts(facemark.mean(), faces[i].landmarks)[0];
    const auto time = [&](int count) {
      facemark.fit(faces[i].image, start, scale, count);
      const Stopwatch watch;
      facemark.fit(faces[i].image, start, scale, count);
      return watch.elapsed_us();
    };
    us.push_back((time(many) - time(few)) / (many - few));
  }
  return summarize(std::move(us));
}

Errors facemark_errors(Facemark& facemark, std::span<const Example> faces, int scale, int count) {
  Errors errors;
  for (const Example& face : faces) {
    for (const Shape& start : aam_fit::evaluation_starts(facemark.mean(), face.landmarks))
      errors.add(start, facemark.fit(face.image, start, scale, count), face.landmarks);
  }
  return errors;
}

// As many pixels and modes as FacemarkAAM has, grey, from the same images and no mirrored ones, at one
// resolution; steps as our models learn them by default, in three stages that share the iterations.
aam_fit::Model train_equal(const std::vector<Example>& examples, const Facemark& facemark, int scale,
                           int fit_iterations) {
  aam_fit::TrainOptions options;
  aam_fit::LevelOptions level;
  level.pixels = facemark.pixels(scale);
  level.stages = 3;
  level.iterations = std::max(1, fit_iterations / level.stages);
  options.levels = {level};
  options.parameters = aam_fit::Parameters::independent;
  options.shape_modes = facemark.shape_modes();
  options.texture_modes = facemark.texture_modes(scale);
  options.mirror = options.face_classifier = false;
  options.name = "equal";
  return aam_fit::train(examples, options);
}

// An iteration of the twin on one thread: ten whole steps, over ten.
Timing time_ours(const aam_fit::Model& model, std::span<const Example> faces) {
  const aam_fit::Level& level = model.levels.back();
  aam_fit::LevelFitter fitter(level, aam_fit::Storage::float32, 1);
  aam_fit::FitOptions options;
  options.max_iterations = iterations;
  options.always_step = true;
  std::vector<double> us;
  for (std::size_t i = 0; i < std::min<std::size_t>(9, faces.size()); ++i) {
    const Shape start = aam_fit::evaluation_starts(model.mean, faces[i].landmarks)[0];
    const aam_fit::Crop crop = aam_fit::crop_for(level, start);
    aam_fit::Planes planes;
    aam_fit::prepare_cpu(faces[i].image.view(), crop, level.features, planes, 1);
    Shape in_crop;
    in_crop.reserve(start.size());
    for (const aam_fit::Point& p : start) in_crop.push_back(aam_fit::to_crop(crop, p));
    const std::vector<float> p = fitter.parameters_of(planes.view(), in_crop);
    const Timing timing = time_on_host(11, [&](int) { aam_fit::fit_cpu(fitter, planes.view(), p, options); });
    us.push_back(timing.us / iterations);
  }
  return summarize(std::move(us));
}

// The errors of a model's fits, and the microseconds of one from the frame to the landmarks.
Errors our_errors(const aam_fit::Model& model, std::span<const Example> faces, Timing& a_fit) {
  aam_fit::Fitter fitter(model, {}, Device::cpu(1));
  Errors errors;
  std::vector<double> us;
  us.reserve(5 * faces.size());
  for (const Example& face : faces) {
    for (const Shape& start : aam_fit::evaluation_starts(model.mean, face.landmarks)) {
      const Stopwatch watch;
      const aam_fit::Fit fit = fitter.step({face.image.view(), start});
      us.push_back(watch.elapsed_us());
      errors.add(start, fit.landmarks, face.landmarks);
    }
  }
  a_fit = summarize(std::move(us));
  return errors;
}

void compare_equal(const std::vector<Example>& training, std::span<const Example> faces, int texture_modes,
                   int fit_iterations, Json& benchmarks) {
  Facemark facemark(training, {10, texture_modes, {1, 2}}, std::filesystem::temp_directory_path());
  for (const int scale : {0, 1}) {
    const int modes = facemark.shape_modes() + facemark.texture_modes(scale);
    report(benchmarks, "peer_opencv", modes, facemark.pixels(scale), time_facemark(facemark, faces, scale),
           facemark_errors(facemark, faces, scale, fit_iterations));
    const aam_fit::Model ours = train_equal(training, facemark, scale, fit_iterations);
    Timing a_fit;
    const Errors errors = our_errors(ours, faces, a_fit);
    report(benchmarks, "cpu_one_pass", ours.levels.back().modes, ours.levels.back().samples(),
           time_ours(ours, faces), errors);
  }
}

// What a user gets who sets nothing. Its time in the results is that of a whole fit.
void evaluate_default(const std::vector<Example>& training, std::span<const Example> faces,
                      Json& benchmarks) {
  const aam_fit::Model model = aam_fit::train(training, {});
  Timing a_fit;
  const Errors errors = our_errors(model, faces, a_fit);
  const Timing tenth{a_fit.us / iterations, a_fit.low_us / iterations, a_fit.high_us / iterations};
  report(benchmarks, "cpu_fitter", model.levels.back().modes, model.levels.back().samples(), tenth, errors);
  std::printf("cpu_fitter: our model as it is trained by default, every level: %.3f ms a fit\n",
              1e-3 * a_fit.us);
}

int run(const Options& options) {
  cv::setNumThreads(1);
  const std::vector<Example> all = load(options.data);
  const auto train = static_cast<std::ptrdiff_t>(options.train),
             test = static_cast<std::ptrdiff_t>(options.test);
  require(static_cast<std::size_t>(train + test) <= all.size(), "there are ", all.size(),
          " faces, fewer than ", train, " and ", test);
  const std::vector<Example> training(all.begin(), all.begin() + train);
  const std::span<const Example> faces = std::span(all).last(static_cast<std::size_t>(test));
  Json benchmarks = Json::array();
  // After every step: a run of many minutes that is cut short leaves what it has.
  const auto save = [&] {
    if (options.out.empty()) return;
    const char* commit = std::getenv("TRIPTYCH_COMMIT");
    write_json(options.out, {{"context",
                              {{"commit", commit != nullptr ? commit : "unknown"},
                               {"cpu", Device::cpu().describe()},
                               {"opencv", CV_VERSION}}},
                             {"benchmarks", benchmarks}});
  };
  evaluate_default(training, faces, benchmarks);
  save();
  // Sixty modes in all, and nearly as many as 150 faces have: FacemarkAAM takes up to 200 by itself.
  for (const int texture_modes : {50, std::min(140, options.train - 2)}) {
    compare_equal(training, faces, texture_modes, options.fit_iterations, benchmarks);
    save();
  }
  return 0;
}

}  // namespace
}  // namespace triptych::bench

int main(int argc, char** argv) {
  try {
    return triptych::bench::run(triptych::bench::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "aam_opencv_peer: %s\n", error.what());
    return 1;
  }
}
