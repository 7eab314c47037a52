// A face is fitted from several starts, and the best of these fits goes on.
#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/prepare.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "aam_fit/fitter/made_up_world.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::displaced;
using test::World;

World make_world() { return test::make_world({}, 4, 11); }

// As Fitter displaces them.
std::vector<Shape> starts_around(const Shape& start) {
  constexpr double d = 0.06;
  std::vector<Shape> starts;
  const Box box = bounds(start);
  for (const Point& shift : {Point{0, 0}, Point{d, d}, Point{-d, d}, Point{d, -d}, Point{-d, -d}}) {
    starts.push_back(start);
    for (Point& p : starts.back()) p = {p.x + shift.x * box.width, p.y + shift.y * box.height};
  }
  return starts;
}

struct Expected {
  Shape landmarks;
  double error = 0;
  int iterations = 0;
};

Shape mean_of(const std::vector<Expected>& fits) {
  Shape mean = fits.front().landmarks;
  for (std::size_t i = 1; i < fits.size(); ++i)
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] = {mean[k].x + fits[i].landmarks[k].x, mean[k].y + fits[i].landmarks[k].y};
  const auto count = static_cast<double>(fits.size());
  for (Point& p : mean) p = {p.x / count, p.y / count};
  return mean;
}

// By the fits of single levels: all shapes of a level in the crop around their mean, and the one with the
// least error alone after the first level with faces of at least half the finest's size. Lost fits are out.
Expected expected_fit(const World& world, const Model& model, const Shape& start) {
  std::vector<Expected> all;
  for (Shape& one : starts_around(start)) all.push_back({std::move(one), 0, 0});
  for (const Level& level : model.levels) {
    const double margin = level.face_size_px == model.levels.front().face_size_px ? 0.5 : 0.2;
    const Crop crop = crop_for(level, mean_of(all), margin);
    Planes planes;
    prepare_cpu(world.frame.view(), crop, level.features, planes, 1);
    LevelFitter fitter(level, Storage::float32, 1);
    std::vector<Expected> fits;
    for (Expected& last : all) {
      for (Point& p : last.landmarks) p = to_crop(crop, p);
      const LevelFit fit = fit_cpu(fitter, planes.view(), fitter.parameters_of(planes.view(), last.landmarks),
                                   {.max_iterations = level.iterations});
      if (is_lost(fit.status)) continue;
      Shape found = fitter.shape_of(fit.parameters);
      for (Point& p : found) p = to_frame(crop, p);
      fits.push_back({std::move(found), std::max(0.0, fit.error) / static_cast<double>(level.samples()),
                      last.iterations + fit.iterations});
    }
    all = std::move(fits);
    if (level.face_size_px < 0.5 * model.levels.back().face_size_px) continue;
    all = {*std::min_element(all.begin(), all.end(),
                             [](const Expected& a, const Expected& b) { return a.error < b.error; })};
  }
  return all.front();
}

TEST(FitterStarts, TheBestOfAllIsTheResult) {
  const World world = make_world();
  Model finest = world.model;
  finest.levels = {world.model.levels.back()};
  for (const Model& model : {finest, world.model}) {
    Fitter several(model, {.min_confidence = 0}, Device::cpu(1));
    for (const double shift : {0.0, 0.05, 0.12}) {
      const Shape start = displaced(world.truth, shift, -shift, 1);
      const Expected expected = expected_fit(world, model, start);
      const Fit fit = several.step({world.frame.view(), start});
      EXPECT_TRUE(fit.landmarks == expected.landmarks) << shift << ", " << model.levels.size() << " levels";
      EXPECT_EQ(fit.error, expected.error);
      EXPECT_EQ(fit.iterations, expected.iterations);
    }
  }
}

TEST(FitterStarts, AFaceMayAskForItsStartAlone) {
  const World world = make_world();
  Fitter alone(world.model, {.starts = 1}, Device::cpu(1)), several(world.model, {}, Device::cpu(1));
  const Shape start = displaced(world.truth, 0.04, 0, 1);
  const Fit fit = several.step({.frame = world.frame.view(), .start = start, .start_alone = true});
  EXPECT_EQ(fit.landmarks, alone.step({world.frame.view(), start}).landmarks);
  const std::vector<Face> mixed = {{world.frame.view(), start}, {world.frame.view(), start, true}};
  EXPECT_ERROR(several.step(mixed), InvalidArgument, "alone");
}

// One start finds nothing, another does.
TEST(FitterStarts, APoorStartIsMadeUpFor) {
  const World world = make_world();
  Fitter alone(world.model, {.starts = 1}, Device::cpu(1)), nine(world.model, {.starts = 9}, Device::cpu(1));
  int better = 0;
  for (const double shift : {0.1, 0.14, 0.18, 0.22}) {
    const Face face{world.frame.view(), displaced(world.truth, shift, 0, 1)};
    const double one = shape_error(alone.step(face).landmarks, world.truth);
    const double best = shape_error(nine.step(face).landmarks, world.truth);
    EXPECT_LE(best, one + 0.004) << shift;  // as exact as a fit is
    if (best < one - 0.01) ++better;
  }
  EXPECT_GE(better, 1);
}

TEST(FitterStarts, RefusesOtherNumbers) {
  const World world = make_world();
  EXPECT_ERROR(Fitter(world.model, {.starts = 0}, Device::cpu(1)), InvalidArgument, "not 0");
  EXPECT_ERROR(Fitter(world.model, {.starts = 10}, Device::cpu(1)), InvalidArgument, "not 10");
  EXPECT_ERROR(Fitter(world.model, {.max_faces = 20000, .starts = 5}, Device::cpu(1)), InvalidArgument,
               "max_faces");
}

}  // namespace
}  // namespace triptych::aam_fit
