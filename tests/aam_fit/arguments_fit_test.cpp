// Bad arguments of fits, fitters and training: each is refused by name, and nothing is changed.
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/aam_fit/inverse_compositional.hpp>
#include <triptych/aam_fit/train.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "aam_fit/small_examples.hpp"
#include "aam_fit/tiny_model.hpp"
#include "testing/refusals.hpp"

namespace triptych::aam_fit {
namespace {

using test::expect_refusals;
using test::Refusal;
using test::tiny_level;
using test::tiny_model;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
const Shape triangle{{0, 0}, {8, 0}, {4, 8}};

TEST(Arguments, OfFits) {
  LevelFitter fitter(tiny_level(), Storage::float32, 1);
  CompositionalFitter compositional(tiny_level(), Compositional::project_out, 1);
  const Planes planes(30, 30, 1), two(30, 30, 2), thin(1, 30, 1);
  const std::vector<float> start(5), short_start(4);
  const auto level_without = [](auto change) {
    Level level = tiny_level();
    change(level);
    return level;
  };
  const auto fit = [&](const FitOptions& options) { fit_cpu(fitter, planes.view(), start, options); };
  const Refusal refusals[] = {
      {"LevelFitter: an empty level", [] { LevelFitter(Level{}); }, "0"},
      {"LevelFitter: an unknown storage", [] { LevelFitter(tiny_level(), static_cast<Storage>(9), 1); }, "9"},
      {"LevelFitter: a short R",
       [&] { LevelFitter(level_without([](Level& l) { l.R = std::vector<float>(3); })); }, "R"},
      {"LevelFitter: negative modes", [&] { LevelFitter(level_without([](Level& l) { l.modes = -1; })); },
       "-1"},
      {"LevelFitter: NaN in g0",
       [&] { LevelFitter(level_without([](Level& l) { l.g0 = std::vector<float>(12, nan_f); })); }, "g0"},
      {"LevelFitter: no texture",
       [&] { LevelFitter(level_without([](Level& l) { l.g0 = std::vector<float>(12); })); }, "g0"},
      {"LevelFitter: an unknown normalisation",
       [&] { LevelFitter(level_without([](Level& l) { l.normalisation = static_cast<Normalisation>(8); })); },
       "8"},
      {"fit_cpu: other channels", [&] { fit_cpu(fitter, two.view(), start, {}); }, "2"},
      {"fit_cpu: thin planes", [&] { fit_cpu(fitter, thin.view(), start, {}); }, "1 x 30"},
      {"fit_cpu: no planes", [&] { fit_cpu(fitter, {}, start, {}); }, "0 x 0"},
      {"fit_cpu: no channels",
       [&] {
         fit_cpu(fitter, {planes.view().stacked, 0}, start, {});
       },
       "0"},
      {"fit_cpu: other parameters", [&] { fit_cpu(fitter, planes.view(), short_start, {}); }, "4"},
      {"fit_cpu: negative iterations", [&] { fit({.max_iterations = -1}); }, "-1"},
      {"fit_cpu: many iterations", [&] { fit({.max_iterations = 2000000000}); }, "2000000000"},
      {"fit_cpu: no steps", [&] { fit({.steps = 0}); }, "0"},
      {"fit_cpu: many steps", [&] { fit({.steps = 65}); }, "65"},
      {"fit_cpu: a gain of NaN", [&] { fit({.min_relative_gain = nan}); }, "gain"},
      {"fit_cpu: a negative move", [&] { fit({.min_move_px = -1}); }, "-1"},
      {"fit_cpu: a share of NaN", [&] { fit({.max_outside_fraction = nan}); }, "nan"},
      {"fit_cpu: a share above 1", [&] { fit({.max_outside_fraction = 1.5}); }, "1.5"},
      {"fit_cpu: an unknown form", [&] { fit({.form = static_cast<Form>(9)}); }, "9"},
      {"fit_cpu: an unknown storage", [&] { fit({.storage = static_cast<Storage>(9)}); }, "9"},
      {"evaluate: an unknown form", [&] { fitter.evaluate(planes.view(), start, static_cast<Form>(9)); },
       "9"},
      {"evaluate: other parameters", [&] { fitter.evaluate(planes.view(), short_start, Form::paper); }, "4"},
      {"parameters_of: another count", [&] { fitter.parameters_of(planes.view(), Shape(2)); }, "2"},
      {"parameters_of: NaN",
       [&] {
         fitter.parameters_of(planes.view(), Shape(3, {nan, 0}));
       },
       "finite"},
      {"parameters_of: a point",
       [&] {
         fitter.parameters_of(planes.view(), Shape(3, {3, 3}));
       },
       "point"},
      {"shape_of: other parameters", [&] { fitter.shape_of(short_start); }, "4"},
      {"to_string: an unknown status", [] { to_string(static_cast<FitStatus>(9)); }, "9"},
      {"CompositionalFitter: an unknown kind",
       [] { CompositionalFitter(tiny_level(), static_cast<Compositional>(9), 1); }, "9"},
      {"CompositionalFitter: no shape modes",
       [&] {
         CompositionalFitter(level_without([](Level& l) {
                               l.shape_modes = 0;
                               l.Ps = {};
                               l.ps_sigma = {};
                             }),
                             Compositional::project_out, 1);
       },
       "inverse compositional"},
      {"CompositionalFitter: a raster index outside",
       [&] {
         CompositionalFitter(
             level_without([](Level& l) { l.frame.raster_indices = std::vector<std::int32_t>(12, 1 << 30); }),
             Compositional::project_out, 1);
       },
       "reference frame"},
      {"CompositionalFitter: another count", [&] { compositional.fit(planes.view(), Shape(2), {}); }, "2"},
      {"CompositionalFitter: a point",
       [&] {
         compositional.fit(planes.view(), Shape(3, {3, 3}), {});
       },
       "point"},
      {"CompositionalFitter: other channels", [&] { compositional.fit(two.view(), triangle, {}); }, "2"},
  };
  const LevelFit before = fit_cpu(fitter, planes.view(), start, {});
  expect_refusals(refusals);
  EXPECT_EQ(fit_cpu(fitter, planes.view(), start, {}).parameters, before.parameters);
}

TEST(Arguments, OfFittersAndTrackers) {
  const Model model = tiny_model();
  const Device cpu = Device::cpu(1);
  const Image<Grey8> frame(40, 30);
  Fitter fitter(model, {}, cpu);
  FaceTracker tracker(model, {}, cpu);
  const Shape start = start_in_box(model, {5, 5, 20, 20}, 40, 30);
  const auto step = [&](const Shape& from) { fitter.step(Face{frame.view(), from}); };
  const auto make = [&](const FitterOptions& options) { Fitter(model, options, cpu); };
  const auto find = [&](const FindFacesOptions& options) { find_faces(fitter, frame.view(), options); };
  const Image<Grey8> strip(60000, 20);
  const DeviceFace on_device{{frame.pixels.data(), frame.width, frame.height}, start};
  const Refusal refusals[] = {
      {"Fitter: no model", [&] { Fitter(Model{}, {}, cpu); }, "0"},
      {"Fitter: no levels",
       [&] {
         Model empty = model;
         empty.levels.clear();
         Fitter(empty, {}, cpu);
       },
       "levels"},
      {"Fitter: an unknown algorithm", [&] { make({.algorithm = static_cast<Algorithm>(9)}); }, "9"},
      {"Fitter: no faces", [&] { make({.max_faces = 0}); }, "max_faces"},
      {"Fitter: many faces", [&] { make({.max_faces = 1 << 30}); }, "max_faces"},
      {"Fitter: no width", [&] { make({.max_width = 0}); }, "max_width"},
      {"Fitter: a negative height", [&] { make({.max_height = -5}); }, "max_height"},
      {"Fitter: a huge width", [&] { make({.max_width = std::numeric_limits<int>::max()}); }, "max_width"},
      {"Fitter: a margin of NaN", [&] { make({.crop_margin = nan}); }, "margin"},
      {"Fitter: a negative margin", [&] { make({.crop_margin = -1}); }, "margin"},
      {"Fitter: a confidence of NaN", [&] { make({.min_confidence = nan}); }, "min_confidence"},
      {"Fitter: a confidence of 2", [&] { make({.min_confidence = 2}); }, "min_confidence"},
      {"Fitter: an unknown form", [&] { make({.fit = {.form = static_cast<Form>(9)}}); }, "9"},
      {"step: no frame",
       [&] {
         fitter.step(Face{{}, start});
       },
       "frame"},
      {"step: another count", [&] { step(Shape(2)); }, "2"},
      {"step: no start", [&] { step({}); }, "0"},
      {"step: NaN",
       [&] {
         step(Shape(3, {nan, 1}));
       },
       "finite"},
      {"step: a point",
       [&] {
         step(Shape(3, {5, 5}));
       },
       "point"},
      {"step: a large start",
       [&] {
         step(posed(Similarity{1e6, 0, 0, 0}, start));
       },
       "start"},
      {"step: a far start",
       [&] {
         step(posed(Similarity{0, 0, 1e9, 0}, start));
       },
       "start"},
      {"submit: no frame",
       [&] {
         fitter.submit(Face{{}, start});
       },
       "frame"},
      {"step: a frame in device memory", [&] { fitter.step(on_device); }, "cannot read device memory"},
      {"step: frames in device memory", [&] { fitter.step(std::span(&on_device, 1)); },
       "cannot read device memory"},
      {"submit: a frame in device memory", [&] { fitter.submit(on_device); }, "cannot read device memory"},
      {"next: nothing submitted", [&] { fitter.next(); }, "next()"},
      {"texture: another fit", [&] { fitter.texture(Fit{}); }, "parameters"},
      {"texture: NaN",
       [&] {
         Fit fit;
         fit.parameters = std::vector<float>(6, nan_f);
         fitter.texture(fit);
       },
       "finite"},
      {"start_in_box: no box",
       [&] {
         start_in_box(model, {0, 0, 0, 5}, 40, 30);
       },
       "box"},
      {"start_in_box: NaN",
       [&] {
         start_in_box(model, {nan, 0, 5, 5}, 40, 30);
       },
       "box"},
      {"start_in_box: infinite",
       [&] {
         start_in_box(model, {0, 0, inf, 5}, 40, 30);
       },
       "box"},
      {"start_in_box: outside",
       [&] {
         start_in_box(model, {50, 0, 5, 5}, 40, 30);
       },
       "box"},
      {"start_in_box: no frame",
       [&] {
         start_in_box(model, {0, 0, 5, 5}, 0, 0);
       },
       "box"},
      {"start_in_box: no model",
       [&] {
         start_in_box(Model{}, {0, 0, 5, 5}, 40, 30);
       },
       "points"},
      {"FaceTracker: a lost_error of NaN", [&] { FaceTracker(model, {.lost_error = nan}, cpu); }, "nan"},
      {"FaceTracker: negative", [&] { FaceTracker(model, {.lost_error = -1}, cpu); }, "-1"},
      {"FaceTracker::step: no frame",
       [&] {
         tracker.step(ImageView<const Grey8>(), Box{0, 0, 5, 5});
       },
       "frame"},
      {"FaceTracker::step: a box outside",
       [&] {
         tracker.step(frame.view(), Box{99, 0, 5, 5});
       },
       "box"},
      {"FaceTracker::step: a frame in device memory", [&] { tracker.step(on_device.frame); },
       "cannot read device memory"},
      {"FaceTracker::submit: a frame in device memory", [&] { tracker.submit(on_device.frame); },
       "cannot read device memory"},
      {"FaceTracker::next: nothing submitted", [&] { tracker.next(); }, "next()"},
      {"to_string: an unknown status", [] { to_string(static_cast<TrackStatus>(9)); }, "9"},
      {"find_faces: no image", [&] { find_faces(fitter, {}); }, "image"},
      {"find_faces: a smallest size of NaN", [&] { find({.min_size = nan}); }, "nan"},
      {"find_faces: a smallest size of nothing", [&] { find({.min_size = 1e-300}); }, "min_size"},
      {"find_faces: a largest size of 2", [&] { find({.max_size = 2}); }, "2"},
      {"find_faces: an overlap of NaN", [&] { find({.max_overlap = nan}); }, "nan"},
      {"find_faces: negative faces", [&] { find({.max_faces = -1}); }, "max_faces"},
      {"find_faces: no candidates", [&] { find({.max_candidates = 0}); }, "max_candidates"},
      {"face_score: no image", [&] { face_score(model, {}, start); }, "image"},
      {"face_score: no landmarks", [&] { face_score(model, frame.view(), {}); }, "0"},
      {"face_score: a landmark of NaN",
       [&] {
         Shape wrong = start;
         wrong[0].x = nan;
         face_score(model, frame.view(), wrong);
       },
       "finite"},
      {"find_faces: a strip of 60000 x 20", [&] { find_faces(fitter, strip.view()); }, "60000 x 20"},
  };
  const Fit before = fitter.step({frame.view(), start});
  expect_refusals(refusals);
  EXPECT_EQ(fitter.in_flight(), 0);
  EXPECT_EQ(fitter.step({frame.view(), start}).landmarks, before.landmarks);
}

TEST(Arguments, OfTraining) {
  const std::vector<Example> examples = test::small_examples();
  const auto with = [&](auto change) {
    TrainOptions options = test::small_training();
    change(options);
    train(examples, options);
  };
  EXPECT_NO_THROW(with([](TrainOptions&) {}));
  const auto level = [&](auto change) { with([&](TrainOptions& o) { change(o.levels[0]); }); };
  const auto example = [&](auto change) {
    std::vector<Example> others = examples;
    change(others[1]);
    train(others, {});
  };
  const std::int64_t huge = std::int64_t{1} << 62;
  const Refusal refusals[] = {
      {"train: no examples", [] { train({}, {}); }, "two examples"},
      {"train: one example", [&] { train({examples[0]}, {}); }, "face 0"},
      {"train: equal images",
       [&] {
         train({examples[0], examples[0]}, {});
       },
       "face 0"},
      {"train: no landmarks", [&] { example([](Example& e) { e.landmarks.clear(); }); }, "face 1"},
      {"train: mixed counts", [&] { example([](Example& e) { e.landmarks.pop_back(); }); }, "face 1"},
      {"train: NaN", [&] { example([](Example& e) { e.landmarks[0].x = nan; }); }, "face 1"},
      {"train: far outside", [&] { example([](Example& e) { e.landmarks[0].x = 1e9; }); }, "face 1"},
      {"train: a small image", [&] { example([](Example& e) { e.image = Image<Grey8>(15, 24); }); },
       "face 1"},
      {"train: an image without its pixels", [&] { example([](Example& e) { e.image.pixels.clear(); }); },
       "face 1"},
      {"train: a size that wraps around",
       [&] {
         example([](Example& e) {
           e.image.width = e.image.height = std::int64_t{1} << 32;
           e.image.pixels.clear();
         });
       },
       "face 1"},
      {"train: pixels of 2^62", [&] { level([=](LevelOptions& l) { l.pixels = huge; }); }, "pixels"},
      {"train: negative pixels", [&] { level([](LevelOptions& l) { l.pixels = -1; }); }, "pixels"},
      {"train: a pitch of NaN", [&] { level([](LevelOptions& l) { l.pitch_px = nan; }); }, "pitch_px"},
      {"train: a pitch of 1e-300", [&] { level([](LevelOptions& l) { l.pitch_px = 1e-300; }); }, "pitch_px"},
      {"train: a margin of NaN", [&] { level([](LevelOptions& l) { l.margin = nan; }); }, "margin"},
      {"train: unknown features",
       [&] { level([](LevelOptions& l) { l.features.kind = static_cast<FeatureKind>(77); }); }, "77"},
      {"train: negative iterations", [&] { level([](LevelOptions& l) { l.iterations = -1; }); }, "-1"},
      {"train: many iterations", [&] { level([](LevelOptions& l) { l.iterations = 20000; }); }, "20000"},
      {"train: no stages", [&] { level([](LevelOptions& l) { l.stages = 0; }); }, "0"},
      {"train: many stages", [&] { level([](LevelOptions& l) { l.stages = 1 << 30; }); }, "1073741824"},
      {"train: many levels", [&] { with([](TrainOptions& o) { o.levels.resize(65); }); }, "65"},
      {"train: unknown parameters",
       [&] { with([](TrainOptions& o) { o.parameters = static_cast<Parameters>(9); }); }, "9"},
      {"train: an unknown update", [&] { with([](TrainOptions& o) { o.update = static_cast<Update>(9); }); },
       "9"},
      {"train: a variance of NaN", [&] { with([](TrainOptions& o) { o.shape_variance = nan; }); }, "nan"},
      {"train: negative modes", [&] { with([](TrainOptions& o) { o.modes = -1; }); }, "-1"},
      {"train: a ridge of NaN", [&] { with([](TrainOptions& o) { o.ridge = nan; }); }, "nan"},
      {"train: no ridge", [&] { with([](TrainOptions& o) { o.ridge = 0; }); }, "ridge"},
      {"train: negative deformations", [&] { with([](TrainOptions& o) { o.deformations = -2; }); },
       "deformations"},
      {"train: many deformations", [&] { with([](TrainOptions& o) { o.deformations = 1 << 30; }); },
       "deformations"},
      {"train: no starts", [&] { with([](TrainOptions& o) { o.displacements.per_face = 0; }); }, "per_face"},
      {"train: many starts", [&] { with([](TrainOptions& o) { o.displacements.per_face = 1 << 30; }); },
       "per_face"},
      {"train: a shift of NaN", [&] { with([](TrainOptions& o) { o.displacements.shift = nan; }); }, "nan"},
      {"train: appearance of 2^62", [&] { with([=](TrainOptions& o) { o.appearance_pixels = huge; }); },
       "appearance_pixels"},
      {"train: a negative appearance", [&] { with([](TrainOptions& o) { o.appearance_pixels = -7; }); },
       "appearance_pixels"},
      {"train: a triangle outside", [&] { with([](TrainOptions& o) {
                                            o.triangles = {{0, 1, 9}};
                                          }); }, "9"},
      {"train: a mirror point outside",
       [&] { with([](TrainOptions& o) {
               o.mirror_points = {0, 1, 2, 9};
             }); }, "9"},
      {"train: other mirror points", [&] { with([](TrainOptions& o) {
                                             o.mirror_points = {0, 1};
                                           }); }, "2"},
      {"train: a landmark offset of NaN", [&] { with([](TrainOptions& o) { o.landmark_offset_px = nan; }); },
       "landmark_offset_px"},
      {"train: a large landmark offset", [&] { with([](TrainOptions& o) { o.landmark_offset_px = 5; }); },
       "landmark_offset_px of 5 is not in -4..4"},
      {"estimate_landmark_offset_px: no examples", [] { estimate_landmark_offset_px({}); }, "there are none"},
      {"default_levels: no levels", [] { default_levels(1700, 0); }, "0"},
      {"default_levels: many levels", [] { default_levels(1700, 9); }, "9"},
      {"default_levels: negative pixels", [] { default_levels(-1); }, "-1"},
      {"default_levels: pixels of 2^62", [=] { default_levels(huge); }, "pixels"},
      {"default_levels: coarse ones too small", [] { default_levels(100, 8); }, "16"},
      {"default_levels: unknown features",
       [] { default_levels(1700, 2, {.kind = static_cast<FeatureKind>(77)}); }, "77"},
      {"default_levels: an unknown update", [] { default_levels(1700, 2, {}, static_cast<Update>(9)); }, "9"},
  };
  expect_refusals(refusals);
  for (const LevelOptions& l : default_levels(max_frame_pixels)) EXPECT_NO_THROW(check_features(l.features));
}

}  // namespace
}  // namespace triptych::aam_fit
