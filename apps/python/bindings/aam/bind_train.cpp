// train(): on a thread of its own, so that the calling thread can serve signals and the progress callable.
#include <triptych/aam_fit/default_model.hpp>
#include <triptych/aam_fit/train.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "../compute.hpp"
#include "aam.hpp"

namespace triptych::python {

using aam_fit::Example;
using aam_fit::Model;
using aam_fit::TrainOptions;

namespace {

struct Report {
  std::string stage;
  std::int64_t done, total;
};

// A training that runs. The destructor stops it and waits.
class Training {
 public:
  Training(std::vector<Example> examples, TrainOptions options)
      : examples_(std::move(examples)),
        options_(std::move(options)),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  // Waits until there is something to report, the training has ended, or a moment has passed.
  std::deque<Report> wait(bool& ended) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return ended_ || !reports_.empty(); });
    ended = ended_;
    return std::exchange(reports_, {});
  }

  Model result() {
    thread_.join();
    if (error_) std::rethrow_exception(error_);
    return std::move(*model_);
  }

 private:
  void run(const std::stop_token& stop) {
    const auto report = [this](const std::string& stage, std::int64_t done, std::int64_t total) {
      const std::lock_guard lock(mutex_);
      reports_.push_back({stage, done, total});
      changed_.notify_one();
    };
    std::optional<Model> model;
    std::exception_ptr error;
    try {
      model = aam_fit::train(examples_, options_, report, stop);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    model_ = std::move(model);
    error_ = error;
    ended_ = true;
    changed_.notify_one();
  }

  std::vector<Example> examples_;
  TrainOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Report> reports_;
  std::optional<Model> model_;
  std::exception_ptr error_;
  bool ended_ = false;
  std::jthread thread_;  // the last member: it uses the others
};

// Calls progress on the calling thread. An exception of it, or Ctrl-C, stops the training.
Model run_training(std::vector<Example> examples, TrainOptions options, nb::handle progress) {
  std::optional<Training> training;
  training.emplace(std::move(examples), std::move(options));
  try {
    for (bool ended = false; !ended;) {
      std::deque<Report> reports;
      {
        const nb::gil_scoped_release release;
        reports = training->wait(ended);
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (progress.is_none()) continue;
      for (const Report& r : reports) progress(r.stage, r.done, r.total);
    }
    const nb::gil_scoped_release release;
    return training->result();
  } catch (...) {
    const nb::gil_scoped_release release;
    training.reset();
    throw;
  }
}

std::vector<Example> examples_of(nb::handle images, nb::handle landmarks, nb::handle names) {
  const ImageList pictures = images_of(images, "images");
  std::vector<aam_fit::Shape> shapes = shapes_of(landmarks, "landmarks");
  require(shapes.size() == pictures.size(), "landmarks: there are ", shapes.size(), " shapes for ",
          pictures.size(), " images");
  std::vector<std::string> given;
  if (!names.is_none()) {
    require(nb::try_cast(names, given), "names: expected a list of str, not a ", type_text(names));
    require(given.size() == pictures.size(), "names: there are ", given.size(), " names for ",
            pictures.size(), " images");
  }
  std::vector<Example> examples(pictures.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].image = Image<Grey8>(pictures.host(i));
    examples[i].landmarks = std::move(shapes[i]);
    examples[i].name = given.empty() ? "images[" + std::to_string(i) + "]" : given[i];
  }
  return examples;
}

std::vector<int> indices_of(nb::handle object) {
  std::vector<int> indices;
  if (object.is_none()) return indices;
  const Array array = host_array<double>(object, "mirror_points");
  array.require_shape({-1}, "the index of each landmark's mirror image, of shape (n,)");
  for (std::int64_t i = 0; i < array.size(); ++i) {
    const double value = array.contiguous<double>()[i];
    require(value >= 0 && value < 65536 && value == static_cast<int>(value), "mirror_points: ", value,
            " is not the index of a landmark");
    indices.push_back(static_cast<int>(value));
  }
  return indices;
}

constexpr const char* doc =
    "Trains a Model on faces with landmarks, over all cores.\n\n"
    "images: grey images, uint8 of shape (height, width) each: a list of arrays of any size, or one array "
    "(n, height,\n"
    "width). landmarks: (n, points, 2) in pixels (x, y), or a list of (points, 2).\n"
    "levels: from coarse to fine, LevelOptions or dicts of its keywords; None: default_levels() and\n"
    "patch_level().\n"
    "triangles: (t, 3) indices of landmarks; None: Delaunay of the mean shape.\n"
    "parameters: \"shape\" (the texture is compared with its mean), \"combined\" (shape and texture share "
    "their\n"
    "parameters) or \"independent\". update: \"regression\" or \"displaced\".\n"
    "shape_variance, texture_variance, combined_variance: shares of the variance that modes keep, or counts "
    "by\n"
    "shape_modes, texture_modes and modes when above 0. compositional: also keep what the inverse "
    "compositional\n"
    "algorithms need. mirror: also learn from mirrored images; mirror_points: the landmark that each becomes "
    "in a\n"
    "mirror (None: found from the mean shape). landmark_offset_px: how far landmarks lie to the right of "
    "what they mark,\n-4 to 4, as 1 where pixels were counted from 1; those of mirrored images are placed as "
    "far to the right (None:\nestimated from the images). deformations: more faces for each image, warped "
    "towards the "
    "shape of\n"
    "another one; -1: 8, fewer from 134 images on. displacements: a Displacements or a dict. ridge: weight "
    "of |R|^2.\n"
    "refinement: learn what Gauss-Newton steps after the last level need, when update is \"regression\" and "
    "parameters\n\"shape\". "
    "appearance_pixels: of the pictures of faces; 0: none. face_classifier: find_faces() is more reliable "
    "with it; takes\na few seconds. threads: 0 means all cores. name: of the model. names: of the images, "
    "for "
    "errors.\n"
    "progress: called as progress(stage, done, total) at the start of each stage and at the end; an "
    "exception of it, as\n"
    "well as Ctrl-C, stops the training within about a second. With tqdm:\n\n"
    "    with tqdm() as bar:\n"
    "        def progress(stage, done, total):\n"
    "            bar.total, bar.n = total, done\n"
    "            bar.set_description(stage)\n"
    "        model = train(images, landmarks, progress=progress)\n\n"
    "The same arguments give the same bits. InvalidArgument, naming the image or the option, when something "
    "is out of\n"
    "range: fewer than two images, one below 16 x 16, landmarks far outside, levels of less than 16 pixels, "
    "...";

constexpr const char* signature =
    "def train(images: collections.abc.Sequence[numpy.typing.ArrayLike] | numpy.typing.ArrayLike, landmarks: "
    "numpy.typing.ArrayLike, *, "
    "levels: collections.abc.Sequence[LevelOptions | dict[str, object]] | None = None, triangles: "
    "numpy.typing.ArrayLike | "
    "None = None, "
    "parameters: str = 'shape', update: str = 'regression', shape_variance: float = 0.97, "
    "texture_variance: float = 0.95, combined_variance: float = 0.98, shape_modes: int = 0, texture_modes: "
    "int = 0, "
    "modes: int = 0, compositional: bool = True, mirror: bool = True, "
    "mirror_points: numpy.typing.ArrayLike | None = None, landmark_offset_px: float | None = None, "
    "deformations: int = -1, displacements: "
    "Displacements | dict[str, object] | "
    "None = "
    "None, ridge: float = 10.0, refinement: bool = True, appearance_pixels: int = 8192, face_classifier: "
    "bool = True, seed: int = 1, "
    "threads: int = 0, name: str = "
    "'', "
    "names: collections.abc.Sequence[str] | None = None, progress: collections.abc.Callable[[str, int, int], "
    "object] | None = None) -> Model";

}  // namespace

void bind_aam_train(nb::module_& m) {
  m.def(
      "_train_default_model",
      [](nb::handle progress) {
        std::vector<Example> faces = compute([] { return aam_fit::default_model_faces(); });
        return run_training(std::move(faces), aam_fit::default_model_options(), progress);
      },
      nb::arg("progress").none(),
      nb::sig(
          "def _train_default_model(progress: collections.abc.Callable[[str, int, int], object] | None) -> "
          "Model"),
      "See triptych.aam.default_model().");
  m.def(
      "_default_model_path",
      []() -> std::optional<std::filesystem::path> {
        try {
          return aam_fit::default_model_path();
        } catch (const Unavailable&) {
          return std::nullopt;
        }
      },
      nb::sig("def _default_model_path() -> pathlib.Path | None"),
      "The file of the model that ships, if there is one.");
  m.def(
      "estimate_landmark_offset_px",
      [](nb::handle images, nb::handle landmarks, nb::handle mirror_points, Whole<"threads"> threads) {
        const std::vector<Example> examples = examples_of(images, landmarks, nb::none());
        TrainOptions options;
        options.mirror_points = indices_of(mirror_points);
        options.threads = threads;
        return compute([&] { return aam_fit::estimate_landmark_offset_px(examples, options); });
      },
      nb::arg("images"), nb::arg("landmarks"), nb::kw_only(), nb::arg("mirror_points") = nb::none(),
      nb::arg("threads") = 0,
      nb::sig("def estimate_landmark_offset_px(images: collections.abc.Sequence[numpy.typing.ArrayLike], "
              "landmarks: numpy.typing.ArrayLike, *, mirror_points: numpy.typing.ArrayLike | None = None, "
              "threads: int = 0) -> float"),
      "How far the landmarks lie to the right of what they mark, in pixels: what train() takes for "
      "landmark_offset_px when it is not given. 0 when it does not differ from 0 by three standard errors, "
      "or when the shapes do not resemble their mirror images.");
  const TrainOptions o;
  m.def(
      "train",
      [](nb::handle images, nb::handle landmarks, nb::handle levels, nb::handle triangles,
         std::string_view parameters, std::string_view update, double shape_variance, double texture_variance,
         double combined_variance, Whole<"shape_modes"> shape_modes, Whole<"texture_modes"> texture_modes,
         Whole<"modes"> modes, bool compositional, bool mirror, nb::handle mirror_points,
         std::optional<double> landmark_offset_px, Whole<"deformations"> deformations,
         nb::handle displacements, double ridge, bool refinement,
         Whole<"appearance_pixels", std::int64_t> appearance_pixels, bool face_classifier,
         Whole<"seed", std::uint64_t> seed, Whole<"threads"> threads, const std::string& name,
         nb::handle names, nb::handle progress) {
        require(progress.is_none() || nb::isinstance<nb::callable>(progress), "progress: a ",
                type_text(progress), " cannot be called");
        TrainOptions options;
        options.levels = levels_of(levels);
        options.triangles = triangles_of(triangles, "triangles");
        options.parameters = value_of<aam_fit::Parameters>("parameters", parameters, parameters_names);
        options.update = value_of<aam_fit::Update>("update", update, update_names);
        options.shape_variance = shape_variance;
        options.texture_variance = texture_variance;
        options.combined_variance = combined_variance;
        options.shape_modes = shape_modes;
        options.texture_modes = texture_modes;
        options.modes = modes;
        options.compositional = compositional;
        options.mirror = mirror;
        options.mirror_points = indices_of(mirror_points);
        options.landmark_offset_px = landmark_offset_px;
        options.deformations = deformations;
        options.displacements = displacements_of(displacements);
        options.ridge = ridge;
        options.refinement = refinement;
        options.appearance_pixels = appearance_pixels;
        options.face_classifier = face_classifier;
        options.seed = seed;
        options.threads = threads;
        options.name = name;
        return run_training(examples_of(images, landmarks, names), std::move(options), progress);
      },
      nb::arg("images"), nb::arg("landmarks"), nb::kw_only(), nb::arg("levels") = nb::none(),
      nb::arg("triangles") = nb::none(), nb::arg("parameters") = "shape", nb::arg("update") = "regression",
      nb::arg("shape_variance") = o.shape_variance, nb::arg("texture_variance") = o.texture_variance,
      nb::arg("combined_variance") = o.combined_variance, nb::arg("shape_modes") = o.shape_modes,
      nb::arg("texture_modes") = o.texture_modes, nb::arg("modes") = o.modes,
      nb::arg("compositional") = o.compositional, nb::arg("mirror") = o.mirror,
      nb::arg("mirror_points") = nb::none(), nb::arg("landmark_offset_px") = nb::none(),
      nb::arg("deformations") = o.deformations, nb::arg("displacements") = nb::none(),
      nb::arg("ridge") = o.ridge, nb::arg("refinement") = o.refinement,
      nb::arg("appearance_pixels") = o.appearance_pixels, nb::arg("face_classifier") = o.face_classifier,
      nb::arg("seed") = o.seed, nb::arg("threads") = o.threads, nb::arg("name") = "",
      nb::arg("names") = nb::none(), nb::arg("progress") = nb::none(), nb::sig(signature), doc);
}

}  // namespace triptych::python
