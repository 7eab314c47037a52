// Training, from examples to a model.
#include <triptych/aam_fit/train.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "crop/prepare_cpu.hpp"
#include "train/calibrate.hpp"
#include "train/learn_classifier.hpp"
#include "train/learn_refinement.hpp"
#include "train/level_model.hpp"
#include "train/shape_model.hpp"
#include "train/training_set.hpp"
#include "train/update.hpp"

namespace triptych::aam_fit {
namespace {

constexpr std::int64_t max_classifier_samples = 1
                                                << 14;  // of the level whose textures tell faces from others

void check_frame_pixels(std::int64_t pixels, const char* what) {
  require(pixels >= min_frame_pixels && pixels <= max_frame_pixels, what, " are ", min_frame_pixels, " to ",
          max_frame_pixels, ", not ", pixels);
}

void check_options(const TrainOptions& options) {
  for (const double share : {options.shape_variance, options.texture_variance, options.combined_variance})
    require(share > 0 && share <= 1, "a share of the variance of ", share, " is not in 0..1");
  for (const int count : {options.shape_modes, options.texture_modes, options.modes})
    require(count >= 0, "a model cannot have ", count, " modes");
  require(options.parameters == Parameters::combined || options.parameters == Parameters::independent ||
              options.parameters == Parameters::shape,
          "there are no parameters number ", static_cast<int>(options.parameters));
  require(options.update == Update::displaced || options.update == Update::regression,
          "there is no update number ", static_cast<int>(options.update));
  require(options.levels.size() <= 64, "a model has at most 64 resolutions, not ", options.levels.size());
  for (const LevelOptions& level : options.levels) {
    check_features(level.features);
    require(level.patch_samples >= 0 && level.patch_samples <= 64,
            "a patch has up to 64 samples to a side (patch_samples), not ", level.patch_samples);
    require(level.patch_size > 0 && level.patch_size <= 1, "a patch_size of ", level.patch_size,
            " face sizes is not in 0..1");
    check_frame_pixels(level.pixels, "pixels of a level");
    require(level.margin >= 0 && level.margin <= 1, "a margin of ", level.margin, " is not in 0..1");
    require(level.iterations >= 0 && level.iterations <= 10000, "a level cannot have ", level.iterations,
            " iterations");
    require(level.pitch_px >= 0.0625 && level.pitch_px <= 16, "a pitch_px of ", level.pitch_px,
            " is not in 1/16..16");
    require(level.stages >= 1 && level.stages <= 64, "a resolution has 1 to 64 stages, not ", level.stages);
  }
  if (options.appearance_pixels != 0) check_frame_pixels(options.appearance_pixels, "appearance_pixels");
  require(std::isfinite(options.ridge) && options.ridge > 0, "a ridge of ", options.ridge,
          " is not positive");
  require(options.deformations >= -1 && options.deformations <= 1000,
          "regression has 0 to 1000 deformations of a face (-1: by default), not ", options.deformations);
  const double offset = options.landmark_offset_px.value_or(0);
  require(std::abs(offset) <= max_landmark_offset_px, "a landmark_offset_px of ", offset, " is not in -",
          max_landmark_offset_px, "..", max_landmark_offset_px);
  const Displacements& d = options.displacements;
  require(d.per_face >= 1 && d.per_face <= 1000, "regression has 1 to 1000 starts per_face, not ",
          d.per_face);
  for (const double bound : {d.shift, d.scale, d.rotation_rad})
    require(bound >= 0 && bound < 1, "starts cannot be displaced by ", bound);
}

// The landmarks' partners in a mirror; empty for none.
std::vector<int> mirror_points(const TrainOptions& options, const Shape& mean) {
  if (!options.mirror) return {};
  if (options.mirror_points.empty()) return find_mirror_points(mean);
  const std::vector<int>& partner = options.mirror_points;
  require(partner.size() == mean.size(), "there are ", partner.size(), " mirror points for ", mean.size(),
          " landmarks");
  for (std::size_t i = 0; i < partner.size(); ++i) {
    const int p = partner[i];
    require(p >= 0 && p < static_cast<int>(mean.size()) &&
                partner[static_cast<std::size_t>(p)] == static_cast<int>(i),
            "landmark ", i, " becomes ", p, " in a mirror, but not the other way round");
  }
  return partner;
}

template <class Faces>
std::vector<Shape> shapes_of(const Faces& faces) {
  std::vector<Shape> shapes(faces.size());
  std::transform(faces.begin(), faces.end(), shapes.begin(), [](const auto& face) { return face.landmarks; });
  return shapes;
}

Mirror mirror_of(const std::vector<Example>& examples, const TrainOptions& options, const Execution& run) {
  const ModeSelection keep_all{1, 1};
  const ShapeModel shapes = make_shape_model(shapes_of(examples), keep_all);
  Mirror mirror{mirror_points(options, shapes.mean)};
  if (mirror.points.empty()) return mirror;
  mirror.landmark_offset_px = options.landmark_offset_px.value_or(0);
  if (!options.landmark_offset_px)
    mirror.landmark_offset_px =
        offset_from_textures_px(make_level(shapes, {}, patch_level()), examples, mirror.points, run);
  return mirror;
}

// Reports stages to the caller.
class Steps {
 public:
  Steps(const Progress& progress, std::int64_t total, const Execution& run)
      : progress_(progress), run_(run), total_(total) {}
  void next(const std::string& stage) {
    run_.check();
    if (progress_) progress_(stage, done_, total_);
    ++done_;
  }

 private:
  const Progress& progress_;
  const Execution& run_;
  std::int64_t done_ = 0, total_;
};

std::vector<LevelOptions> levels_for(Update update) {
  if (update != Update::regression) return default_levels(4096, 2, {}, update);
  std::vector<LevelOptions> levels = default_levels();
  levels.push_back(patch_level());
  return levels;
}

std::int64_t samples_of(const LevelOptions& level, std::int64_t points) {
  const std::int64_t side = level.patch_samples;
  return (side > 0 ? points * side * side : level.pixels) * channels(level.features);
}

// Displacements::per_face, but at least one, and no more than a gibibyte of residuals holds, or eight of the
// products of all starts with each other.
Displacements starts_per_face(std::span<const LevelOptions> levels, std::size_t faces, std::int64_t points,
                              const TrainOptions& options) {
  constexpr std::int64_t most = std::int64_t{1} << 28;  // floats
  constexpr std::int64_t max_starts = 46340;            // its square is 2^31
  std::int64_t samples = 1;
  for (const LevelOptions& level : levels) samples = std::max(samples, samples_of(level, points));
  Displacements d = options.displacements;
  const auto count = static_cast<std::int64_t>(faces);
  const std::int64_t room = std::min(most / (samples * count), max_starts / count);
  d.per_face = static_cast<int>(std::clamp<std::int64_t>(room, 1, d.per_face));
  return d;
}

// More deformations than these would take long, and help less the more examples there are.
int deformations_of(const TrainOptions& options, const std::vector<Example>& examples) {
  if (options.update != Update::regression || options.parameters != Parameters::shape) return 0;
  constexpr int per_face = 8, max_faces = 1200;
  const int fewer = max_faces / static_cast<int>(std::min<std::size_t>(examples.size(), max_faces)) - 1;
  return options.deformations >= 0 ? options.deformations : std::clamp(fewer, 0, per_face);
}

// Model::appearance: grey, shape and texture combined, without an update.
Level learn_appearance(const ShapeModel& shapes, std::span<const Triangle> triangles,
                       std::span<const TrainingFace> faces, TrainOptions options, const Execution& run) {
  Level level = make_level(shapes, triangles, {.pixels = options.appearance_pixels});
  level.iterations = 0;
  options.parameters = Parameters::combined;
  options.compositional = false;
  options.texture_modes = options.modes = 0;
  learn_modes(level, shapes, faces, faces.size(), first_crop_margin, options, run);
  return level;
}

std::string level_name(std::size_t i, std::size_t count) {
  return "level " + std::to_string(i + 1) + " of " + std::to_string(count);
}

}  // namespace

std::vector<LevelOptions> default_levels(std::int64_t pixels, int count, const Features& features,
                                         Update update) {
  require(count >= 1 && count <= 8, "a model has 1 to 8 resolutions, not ", count);
  check_frame_pixels(pixels, "pixels of the finest level");
  check_features(features);
  require(update == Update::displaced || update == Update::regression, "there is no update number ",
          static_cast<int>(update));
  std::vector<LevelOptions> levels(static_cast<std::size_t>(count));
  // From fine to coarse the faces are halved. Smoothed features need no samples denser than their smoothing.
  const bool regression = update == Update::regression;
  double pitch = regression ? 2 : 1, size = std::sqrt(static_cast<double>(pixels)) * pitch;
  for (std::size_t i = levels.size(); i-- > 0; size /= 2, pitch = std::max(1.0, pitch / 1.6)) {
    LevelOptions& level = levels[i];
    level.pixels = static_cast<std::int64_t>(std::llround(size * size / (pitch * pitch)));
    level.pitch_px = pitch;
    level.margin = regression ? 0.075 : 0;
    level.stages = i + 1 == levels.size() ? 3 : 2;
    level.iterations = regression ? 2 : 10;
    level.features = features;
    if (features.kind == FeatureKind::grey) continue;
    if (features.smooth_px == 0) level.features.smooth_px = 0.7f;
    if (features.local_px == 0) level.features.local_px = static_cast<float>(std::min(100.0, 0.145 * size));
    if (features.pool_px == 0) level.features.pool_px = static_cast<float>(pitch);
  }
  require(levels.front().pixels >= 16, "the coarsest of ", count, " levels has ", levels.front().pixels,
          " pixels; 16 is the least");
  return levels;
}

LevelOptions patch_level() {
  LevelOptions level;
  level.pitch_px = 4.8;
  level.features = {.kind = FeatureKind::double_angle, .smooth_px = 0.7f, .local_px = 10, .pool_px = 2};
  level.iterations = 2;
  level.stages = 3;
  level.patch_samples = 4;
  level.patch_size = 0.12;
  return level;
}

Model train(const std::vector<Example>& examples, const TrainOptions& options, const Progress& progress,
            const std::stop_token& stop) {
  check_examples(examples);
  check_options(options);
  const bool regression = options.update == Update::regression;
  const std::vector<LevelOptions> levels =
      options.levels.empty() ? levels_for(options.update) : options.levels;
  std::int64_t total = 2 + (options.appearance_pixels > 0 ? 1 : 0) + (options.face_classifier ? 1 : 0);
  const bool refines = options.refinement && regression && options.parameters == Parameters::shape;
  total += refines ? 1 : 0;
  for (const LevelOptions& level : levels) total += 1 + (regression ? level.stages : 1);
  const Execution run(options.threads, stop);
  Steps steps(progress, total, run);

  steps.next("shapes");
  const TrainingSet set(examples, mirror_of(examples, options, run), deformations_of(options, examples),
                        options.seed, run);
  const std::span<const TrainingFace> faces = set.faces();
  const ShapeModel shapes = make_shape_model(shapes_of(faces), {options.shape_variance, options.shape_modes});

  Model model;
  model.levels.reserve(static_cast<std::size_t>(total));
  model.name = options.name;
  model.points = static_cast<int>(shapes.mean.size());
  model.mean = shapes.mean;
  model.images = static_cast<int>(examples.size());
  model.triangles = options.triangles.empty() ? triangulate(shapes.mean) : options.triangles;
  check_triangles(model.triangles, model.points);

  int classifier_level = 0;
  std::vector<Start> starts;
  if (regression)
    starts = make_starts(shapes.mean, faces, starts_per_face(levels, faces.size(), model.points, options),
                         options.seed);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string name = level_name(i, levels.size());
    steps.next(name + ": textures");
    Level level = make_level(shapes, model.triangles, levels[i]);
    if (levels[i].patch_samples == 0 && level.pixels() * channels(level.features) <= max_classifier_samples)
      classifier_level = static_cast<int>(model.levels.size());
    level.normalisation = regression ? Normalisation::floored : Normalisation::projection;
    level.iterations = levels[i].iterations;
    const double crop_margin = regression && i > 0 ? later_crop_margin : first_crop_margin;
    const Rows c = learn_modes(level, shapes, faces, set.undeformed().size(), crop_margin, options, run);
    if (!regression) {
      steps.next(name + ": update");
      learn_displaced_update(level, faces, c, run);
      model.levels.push_back(level);
      continue;
    }
    for (int stage = 0; stage < levels[i].stages; ++stage) {
      steps.next(name + ": update " + std::to_string(stage + 1) + " of " + std::to_string(levels[i].stages));
      const bool is_last = i + 1 == levels.size() && stage + 1 == levels[i].stages;
      learn_regression_update(level, faces, c, starts, {i, stage, is_last}, options, run);
      model.levels.push_back(level);
    }
  }
  if (refines) {
    steps.next("refinement");
    model.refinement = learn_refinement(model.levels.back(), shapes.mean, set.undeformed(), run);
  }
  if (options.appearance_pixels > 0) {
    steps.next("appearance");
    model.appearance = learn_appearance(shapes, model.triangles, set.undeformed(), options, run);
  }
  steps.next("calibration");
  model.calibration = calibrate(model, set.undeformed(), options, run);
  if (options.face_classifier) {
    steps.next("face classifier");
    model.face_classifier = learn_classifier(model, classifier_level, set.undeformed(), run);
  }
  if (progress) progress("done", total, total);
  check_model(model);
  return model;
}

double estimate_landmark_offset_px(const std::vector<Example>& examples, const TrainOptions& options,
                                   const std::stop_token& stop) {
  check_examples(examples);
  check_options(options);
  TrainOptions unset = options;
  unset.landmark_offset_px.reset();
  return mirror_of(examples, unset, Execution(options.threads, stop)).landmark_offset_px;
}

}  // namespace triptych::aam_fit
