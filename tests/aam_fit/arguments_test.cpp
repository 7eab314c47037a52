// Bad arguments of every public function of the module (fits and training: arguments_fit_test.cpp): each is
// refused by name, and nothing is changed.
#include <triptych/aam_fit/appearance.hpp>
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/prepare.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "aam_fit/tiny_model.hpp"
#include "testing/refusals.hpp"
#include "testing/temporary_directory.hpp"

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
const std::vector<Triangle> one_triangle{{0, 1, 2}};

TEST(Arguments, OfShapes) {
  const Shape empty, far{{-1e200, 0}, {1e200, 0}, {0, 1e200}}, undefined{{nan, 0}, {1, 0}, {0, 1}};
  const Shape point(3, {1, 1});
  const Refusal refusals[] = {
      {"bounds: no points", [&] { bounds(empty); }, "points"},
      {"centre_of: no points", [&] { centre_of(empty); }, "points"},
      {"face_size: no points", [&] { face_size(empty); }, "points"},
      {"align: other counts", [&] { align(triangle, Shape(2)); }, "2"},
      {"align: one point", [&] { align(Shape(1), Shape(1)); }, "1"},
      {"align: from is a point", [&] { align(point, triangle); }, "coincide"},
      {"align: from is not finite", [&] { align(undefined, triangle); }, "finite"},
      {"align: to is not finite", [&] { align(triangle, undefined); }, "finite"},
      {"align: squares overflow", [&] { align(far, far); }, "finite"},
      {"inverse: a point",
       [&] {
         inverse({-1, 0, 0, 0});
       },
       "point"},
      {"inverse: not finite",
       [&] {
         inverse({0, 0, nan, 0});
       },
       "finite"},
      {"inverse: infinite",
       [&] {
         inverse({inf, 0, 0, 0});
       },
       "finite"},
      {"place_in_box: no points",
       [&] {
         place_in_box(empty, {0, 0, 1, 1});
       },
       "points"},
      {"place_in_box: no area",
       [&] {
         place_in_box(point, {0, 0, 1, 1});
       },
       "area"},
      {"place_in_box: an overflowing shape",
       [&] {
         place_in_box(far, {0, 0, 1, 1});
       },
       "finite"},
      {"place_in_box: a box of NaN",
       [&] {
         place_in_box(triangle, {0, 0, nan, 1});
       },
       "box"},
      {"place_in_box: a negative box",
       [&] {
         place_in_box(triangle, {0, 0, -1, 1});
       },
       "box"},
      {"place_in_box: an infinite place",
       [&] {
         place_in_box(triangle, {inf, 0, 1, 1});
       },
       "box"},
      {"shape_error: other counts", [&] { shape_error(triangle, Shape(2)); }, "2"},
      {"shape_error: a truth without area", [&] { shape_error(triangle, point); }, "area"},
      {"shape_error: a truth that overflows", [&] { shape_error(triangle, far); }, "finite"},
      {"evaluation_starts: no truth", [&] { evaluation_starts(triangle, empty); }, "points"},
      {"triangulate: two points", [&] { triangulate(Shape(2)); }, "2"},
      {"triangulate: a point", [&] { triangulate(point); }, "distinct"},
      {"triangulate: NaN", [&] { triangulate(undefined); }, "finite"},
      {"triangulate: far points",
       [&] {
         triangulate(Shape{{-1e308, 0}, {1e308, 0}, {0, 1}});
       },
       "finite"},
      {"check_triangles: out of range",
       [&] {
         check_triangles(std::vector<Triangle>{{0, 1, 3}}, 3);
       },
       "3"},
      {"check_triangles: negative",
       [&] {
         check_triangles(std::vector<Triangle>{{0, 1, -1}}, 3);
       },
       "-1"},
      {"make_reference_frame: few pixels", [&] { make_reference_frame(triangle, one_triangle, {15}); }, "15"},
      {"make_reference_frame: many pixels",
       [&] { make_reference_frame(triangle, one_triangle, {std::int64_t{1} << 62}); }, "pixels"},
      {"make_reference_frame: a margin",
       [&] {
         make_reference_frame(triangle, one_triangle, {64, nan});
       },
       "margin"},
      {"make_reference_frame: no triangles", [&] { make_reference_frame(triangle, {}, {64}); }, "triangles"},
      {"make_reference_frame: a landmark there is not",
       [&] {
         make_reference_frame(triangle, std::vector<Triangle>{{0, 1, 9}}, {64});
       },
       "9"},
      {"make_reference_frame: NaN", [&] { make_reference_frame(undefined, one_triangle, {64}); }, "finite"},
      {"make_reference_frame: infinite",
       [&] {
         make_reference_frame(Shape{{0, 0}, {inf, 0}, {0, 1}}, one_triangle, {64});
       },
       "finite"},
      {"make_reference_frame: a sliver in a large box",
       [&] {
         make_reference_frame(Shape{{0, 0}, {1, 1}, {0.999, 1}, {0, 1}, {1, 0}}, one_triangle, {1 << 22});
       },
       "large"},
      {"make_reference_frame: 65,536 landmarks",
       [&] {
         make_reference_frame(Shape(65536, {1, 2}), one_triangle, {64});
       },
       "65536"},
  };
  expect_refusals(refusals);
}

TEST(Arguments, OfFeaturesAndPlanes) {
  const auto unknown = static_cast<FeatureKind>(77);
  std::vector<float> values(16, 3.0f);
  const ImageView<const float> grey(values.data(), 4, 4);
  Planes planes(4, 4, 1), hollow(4, 4, 1);
  planes.values.assign(16, 5.0f);
  hollow.values.clear();
  const Planes before = planes;
  const Image<Grey8> frame(20, 20);
  const int most = std::numeric_limits<int>::max();
  const Refusal refusals[] = {
      {"Planes: a negative width", [] { Planes(-1, 1, 1); }, "-1"},
      {"Planes: a negative height", [] { Planes(1, -1, 1); }, "-1"},
      {"Planes: negative channels", [] { Planes(1, 1, -1); }, "-1"},
      {"Planes: overflowing", [=] { Planes(most, most, most); }, "planes"},
      {"check_features: an unknown kind", [=] { check_features({.kind = unknown}); }, "77"},
      {"check_features: a negative width", [] { check_features({.smooth_px = -1}); }, "-1"},
      {"check_features: NaN", [] { check_features({.local_px = nan_f}); }, "nan"},
      {"check_features: too wide", [] { check_features({.pool_px = 101}); }, "101"},
      {"check_features: bins", [] { check_features({.bins = 17}); }, "17"},
      {"check_features: no bins", [] { check_features({.bins = 0}); }, "0"},
      {"to_string: an unknown kind", [=] { to_string(unknown); }, "77"},
      {"parse_feature_kind: an unknown name", [] { parse_feature_kind("smell"); }, "smell"},
      {"features_cpu: an unknown kind", [&] { features_cpu(grey, {.kind = unknown}, planes); }, "77"},
      {"features_cpu: planes of another size",
       [&] { features_cpu(grey, {.kind = FeatureKind::gradient}, planes); }, "4 x 4"},
      {"features_cpu: planes without their values", [&] { features_cpu(grey, {}, hollow); }, "4 x 4"},
      {"prepare_cpu: no frame",
       [&] {
         prepare_cpu({}, {4, 4, 1, 0, 0}, {}, planes);
       },
       "frame"},
      {"prepare_cpu: no crop",
       [&] {
         prepare_cpu(frame.view(), {0, 4, 1, 0, 0}, {}, planes);
       },
       "0 x 4"},
      {"prepare_cpu: a negative crop",
       [&] {
         prepare_cpu(frame.view(), {4, -4, 1, 0, 0}, {}, planes);
       },
       "-4"},
      {"prepare_cpu: a large crop",
       [&] {
         prepare_cpu(frame.view(), {most, most, 1e-8, 0, 0}, {}, planes);
       },
       "crop"},
      {"prepare_cpu: no step",
       [&] {
         prepare_cpu(frame.view(), {4, 4, 0, 0, 0}, {}, planes);
       },
       "crop"},
      {"prepare_cpu: a large step",
       [&] {
         prepare_cpu(frame.view(), {4, 4, 1e9, 0, 0}, {}, planes);
       },
       "1e+09"},
      {"prepare_cpu: NaN",
       [&] {
         prepare_cpu(frame.view(), {4, 4, 1, nan, 0}, {}, planes);
       },
       "nan"},
      {"prepare_cpu: far away",
       [&] {
         prepare_cpu(frame.view(), {4, 4, 1, 0, -1e300}, {}, planes);
       },
       "crop"},
      {"prepare_cpu: an unknown kind",
       [&] {
         prepare_cpu(frame.view(), {4, 4, 1, 0, 0}, {.kind = unknown}, planes);
       },
       "77"},
      {"crop_for: another count",
       [] {
         crop_for(tiny_level(), Shape(4, {1, 2}));
       },
       "4"},
      {"crop_for: a point",
       [] {
         crop_for(tiny_level(), Shape(3, {1, 2}));
       },
       "point"},
      {"crop_for: NaN",
       [] {
         crop_for(tiny_level(), Shape(3, {nan, 2}));
       },
       "finite"},
      {"crop_for: a margin", [] { crop_for(tiny_level(), triangle, 11); }, "margin"},
      {"crop_for: a margin of NaN", [] { crop_for(tiny_level(), triangle, nan); }, "margin"},
  };
  expect_refusals(refusals);
  EXPECT_EQ(planes.values, before.values);
  EXPECT_EQ(planes.width, before.width);
  EXPECT_EQ(planes.channels, before.channels);
}

TEST(Arguments, OfModelsAndAppearances) {
  const Model model = tiny_model();
  const Image<Grey8> frame(40, 30);
  Model plain = model;
  plain.appearance = {};
  const auto changed = [&](auto change) {
    Model other = model;
    change(other);
    check_model(other);
  };
  const Refusal refusals[] = {
      {"check_model: no points", [&] { changed([](Model& m) { m.points = 0; }); }, "0"},
      {"check_model: many points", [&] { changed([](Model& m) { m.points = 65536; }); }, "65536"},
      {"check_model: another mean", [&] { changed([](Model& m) { m.mean.pop_back(); }); }, "mean"},
      {"check_model: a mean of NaN", [&] { changed([](Model& m) { m.mean[0].x = nan; }); }, "mean"},
      {"check_model: a triangle outside", [&] { changed([](Model& m) { m.triangles[0][2] = 3; }); }, "3"},
      {"check_model: negative images", [&] { changed([](Model& m) { m.images = -1; }); }, "-1"},
      {"check_model: negative iterations", [&] { changed([](Model& m) { m.levels[0].iterations = -1; }); },
       "-1"},
      {"check_model: an offset of NaN", [&] { changed([](Model& m) { m.levels[0].sample_offset = nan_f; }); },
       "sample_offset"},
      {"check_model: a scale of 0", [&] { changed([](Model& m) { m.levels[0].frame.scale = 0; }); }, "scale"},
      {"check_model: no face size", [&] { changed([](Model& m) { m.levels[0].face_size_px = nan; }); },
       "nan"},
      {"save_model: no model", [] { save_model("/nowhere/m.aam", Model{}); }, "0"},
      {"appearance_of: no appearance", [&] { appearance_of(plain, frame.view(), triangle); }, "appearance"},
      {"appearance_of: another count", [&] { appearance_of(model, frame.view(), Shape(2)); }, "2"},
      {"appearance_of: no frame", [&] { appearance_of(model, {}, triangle); }, "frame"},
      {"appearance_of: NaN",
       [&] {
         appearance_of(model, frame.view(), Shape(3, {nan, 1}));
       },
       "finite"},
      {"appearance_picture: no appearance", [&] { appearance_picture(plain, {}); }, "appearance"},
      {"appearance_picture: another count", [&] { appearance_picture(model, {}); }, "0"},
      {"appearance_picture: NaN", [&] { appearance_picture(model, std::vector<float>{nan_f}); }, "finite"},
  };
  expect_refusals(refusals);
  // Parameters that are finite, but whose sums are not.
  Model large = tiny_model();
  large.appearance = tiny_level({}, 2, 8, false);
  large.appearance.Qg = std::vector<float>(24, 3e38f);
  EXPECT_EQ(appearance_picture(large, std::vector<float>{3e38f, -3e38f}).width, 4);
}

TEST(Arguments, OfFiles) {
  const test::TemporaryDirectory folder;
  const Refusal refusals[] = {
      {"write_pts: no points", [&] { write_pts(folder / "a.pts", {}); }, "0"},
      {"write_pts: NaN",
       [&] {
         write_pts(folder / "a.pts", Shape{{nan, 0}});
       },
       "nan"},
      {"write_pts: many points", [&] { write_pts(folder / "a.pts", Shape(65536)); }, "65536"},
      {"write_pgm: no image", [&] { write_pgm(folder / "a.pgm", {}); }, "0 x 0"},
      {"load_examples: no reader",
       [] {
         load_examples({Pair{"a", "b"}}, nullptr);
       },
       "reader"},
  };
  expect_refusals(refusals);
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(Arguments, OfSyntheticFaces) {
  const auto render = [](auto change) {
    FaceParameters face;
    change(face);
    render_face(face, 32, 32);
  };
  const Refusal refusals[] = {
      {"render_face: a small image", [] { render_face({}, 15, 32); }, "15"},
      {"render_face: a negative image", [] { render_face({}, 32, -1); }, "-1"},
      {"render_face: a large image", [] { render_face({}, 1 << 30, 1 << 30); }, "1073741824"},
      {"render_face: no size", [&] { render([](FaceParameters& f) { f.size_px = 0; }); }, "size_px"},
      {"render_face: a size of NaN", [&] { render([](FaceParameters& f) { f.size_px = nan; }); }, "size_px"},
      {"render_face: identity", [&] { render([](FaceParameters& f) { f.identity[3] = nan; }); }, "identity"},
      {"render_face: expression", [&] { render([](FaceParameters& f) { f.expression[1] = 1e300; }); },
       "expression"},
      {"render_face: yaw", [&] { render([](FaceParameters& f) { f.yaw = nan; }); }, "yaw"},
      {"render_face: pitch", [&] { render([](FaceParameters& f) { f.pitch = inf; }); }, "pitch"},
      {"render_face: roll", [&] { render([](FaceParameters& f) { f.roll = nan; }); }, "roll"},
      {"render_face: x_px", [&] { render([](FaceParameters& f) { f.x_px = 1e300; }); }, "x_px"},
      {"render_face: y_px", [&] { render([](FaceParameters& f) { f.y_px = nan; }); }, "y_px"},
      {"render_face: light_x", [&] { render([](FaceParameters& f) { f.light_x = inf; }); }, "light_x"},
      {"render_face: light_y", [&] { render([](FaceParameters& f) { f.light_y = nan; }); }, "light_y"},
      {"render_face: skin", [&] { render([](FaceParameters& f) { f.skin = nan; }); }, "skin"},
      {"render_face: contrast", [&] { render([](FaceParameters& f) { f.contrast = nan; }); }, "contrast"},
      {"render_face: noise", [&] { render([](FaceParameters& f) { f.noise = inf; }); }, "noise"},
      {"face_in_motion: NaN", [] { face_in_motion(1, nan); }, "nan"},
      {"face_in_motion: infinite", [] { face_in_motion(1, inf); }, "inf"},
  };
  expect_refusals(refusals);
}

}  // namespace
}  // namespace triptych::aam_fit
