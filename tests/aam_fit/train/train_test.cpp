// Training: what it makes of synthetic faces, its options, and what it refuses.
#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

std::vector<Example> faces(int count, std::uint64_t seed = 3) {
  std::vector<Example> examples;
  examples.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    examples.push_back(render_face(random_face(seed, i), 256, 256));
    examples.back().name = "face " + std::to_string(i);
  }
  return examples;
}

TrainOptions grey_options(Parameters parameters, std::int64_t pixels = 1000) {
  TrainOptions options;
  options.update = Update::displaced;
  options.parameters = parameters;
  options.mirror = options.face_classifier = false;
  options.levels = {{.pixels = pixels}};
  return options;
}

// Planes in which the level's frame lies pixel on pixel, its pose moved by whole pixels, painted with a
// texture; around it the nearest of its pixels.
struct Painted {
  Planes planes;
  Similarity pose;
};
Painted paint(const Level& level, const std::vector<float>& texture) {
  constexpr int around = 20;
  const ReferenceFrame& frame = level.frame;
  Painted painted{Planes(frame.width + 2 * around, frame.height + 2 * around, channels(level.features)), {}};
  // Where pixel 0 of the frame lies in the mean shape, by its weights.
  const WarpPixel& w = frame.pixels[0];
  const auto coordinate = [&](int axis) {
    const double a = w.a, b = w.b;
    return a * double{level.s0[2 * w.corners[0] + axis]} + b * double{level.s0[2 * w.corners[1] + axis]} +
           (1 - a - b) * double{level.s0[2 * w.corners[2] + axis]};
  };
  painted.pose.tx = around + frame.raster_indices[0] % frame.width - coordinate(0);
  const int first_row = frame.raster_indices[0] / frame.width;
  painted.pose.ty = around + first_row - coordinate(1);
  for (int c = 0; c < painted.planes.channels; ++c)
    for (int y = 0; y < painted.planes.height; ++y)
      for (int x = 0; x < painted.planes.width; ++x) {
        std::int64_t nearest = 0;
        double least = 1e300;
        for (std::int64_t i = 0; i < frame.size(); ++i) {
          const int column = frame.raster_indices[i] % frame.width,
                    row = frame.raster_indices[i] / frame.width;
          const double dx = x - around - column, dy = y - around - row;
          if (dx * dx + dy * dy < least) {
            least = dx * dx + dy * dy;
            nearest = i;
          }
        }
        painted.planes.plane(c).row(y)[static_cast<std::size_t>(x)] =
            texture[static_cast<std::size_t>(c * frame.size() + nearest)];
      }
  return painted;
}

std::vector<float> parameters_at(const Level& level, const std::vector<float>& c, const Similarity& pose) {
  std::vector<float> p = c;
  p.resize(static_cast<std::size_t>(level.modes));
  p.insert(p.end(), {static_cast<float>(pose.sx), static_cast<float>(pose.sy), static_cast<float>(pose.tx),
                     static_cast<float>(pose.ty)});
  return p;
}

TEST(Train, NothingMovesAtTheOptimumOfARenderedModel) {
  const Model model = train(faces(24), grey_options(Parameters::independent));
  const Level& level = model.levels[0];
  LevelFitter fitter(level);
  // A texture of the model's own, seen through a gain and an offset: the shape's modes are 0.
  std::vector<float> c(static_cast<std::size_t>(level.modes));
  for (int k = level.shape_modes; k < level.modes; ++k)
    c[static_cast<std::size_t>(k)] = (k % 2 == 0 ? 1.0f : -1.0f) * level.sigma[k];
  std::vector<float> texture(level.g0.begin(), level.g0.end());
  for (int k = 0; k < level.modes; ++k)
    for (std::int64_t i = 0; i < level.samples(); ++i)
      texture[static_cast<std::size_t>(i)] +=
          c[static_cast<std::size_t>(k)] * level.Qg[k * level.samples() + i];
  double length2 = 0;
  for (const float x : texture) length2 += double{x} * double{x};
  for (const auto& [gain, offset] : {std::pair{2000.0f, 100.0f}, std::pair{500.0f, -30.0f}}) {
    std::vector<float> seen = texture;
    for (float& x : seen) x = gain * x + offset;
    const Painted painted = paint(level, seen);
    for (const Form form : {Form::paper, Form::one_pass}) {
      const auto at = fitter.evaluate(painted.planes.view(), parameters_at(level, c, painted.pose), form);
      // Places are off by some 2^-24 * 100 pixels, samples by that times their neighbours' difference: r is
      // below 1e-4, while a shift by one pixel makes it about 0.1.
      // One pass finds |r|^2 as a difference of terms of about |g|^2; the products of its 128-pixel tiles are
      // summed in two chains of 64 floats.
      const double cancelled = form == Form::one_pass ? 2 * 65 * 0x1p-24 * length2 : 0;
      EXPECT_LT(at.error, 1e-6 + cancelled);
      EXPECT_NEAR(at.alpha, double{gain}, 1e-3 * double{gain});
      const auto moved = parameters_at(level, c, compose({0, 0, 1.0, 0}, painted.pose));
      const auto off = fitter.evaluate(painted.planes.view(), moved, form);
      EXPECT_GT(off.error, 1e-3);
      for (std::size_t k = 0; k < at.step.size(); ++k)
        EXPECT_LT(std::abs(at.step[k]),
                  0.02 * (k < c.size() ? double{level.sigma[static_cast<std::int64_t>(k)]} : 1.0))
            << k;
      // One pixel to the right of the optimum the step goes back to the left.
      const double back = off.step[c.size() + 2];
      EXPECT_LT(back, -0.4);
      EXPECT_GT(back, -2.0);
    }
  }
}

TEST(Train, CombinedParametersExplainShapeAndTexture) {
  const auto examples = faces(16);
  TrainOptions options = grey_options(Parameters::combined);
  options.shape_variance = options.texture_variance = options.combined_variance = 1;
  const Model model = train(examples, options);
  const Level& level = model.levels[0];
  ASSERT_GT(level.modes, 0);
  EXPECT_LE(level.modes, 16 + 16);
  // With all variance kept, c of a training shape and its texture gives the shape back.
  double along = 0;
  for (int k = 0; k < level.modes; ++k)  // Ks Qs + Qg Qg' = 1 on the modes
    for (int j = 0; j < level.modes; ++j) {
      double sum = 0;
      for (int i = 0; i < 2 * level.points; ++i)
        sum += double{level.Ks[k * 2 * level.points + i]} * double{level.Qs[i * level.modes + j]};
      for (std::int64_t i = 0; i < level.samples(); ++i)
        sum += double{level.Qg[k * level.samples() + i]} * double{level.Qg[j * level.samples() + i]};
      along = std::max(along, std::abs(sum - (k == j ? 1 : 0)));
    }
  // Products of floats of length 1: their rounding, and that of the modes before them, is some 2^-24 *
  // sqrt(n).
  EXPECT_LT(along, 1e-4);
}

TEST(Train, CountsAndVarianceChooseTheModes) {
  const auto examples = faces(12);
  TrainOptions options = grey_options(Parameters::independent, 400);
  options.shape_modes = 3;
  options.texture_modes = 4;
  const Model model = train(examples, options);
  EXPECT_EQ(model.levels[0].modes, 7);
  EXPECT_EQ(model.levels[0].shape_modes, 3);
  EXPECT_EQ(model.levels[0].texture_modes, 4);
  EXPECT_EQ(model.images, 12);
  EXPECT_EQ(model.points, 68);
  EXPECT_NEAR(face_size(model.mean), 1, 1e-9);
  EXPECT_EQ(model.levels[0].frame.size(), 400);
  EXPECT_NEAR(model.levels[0].face_size_px, face_size(model.mean) * model.levels[0].face_size_px, 1e-3);
  options.compositional = false;
  options.modes = 2;
  options.parameters = Parameters::combined;
  const Model small = train(examples, options);
  EXPECT_EQ(small.levels[0].modes, 2);
  EXPECT_TRUE(small.levels[0].Pg.empty());
}

TEST(Train, ThreadsDoNotChangeABit) {
  const auto examples = faces(10);
  for (const Update update : {Update::displaced, Update::regression}) {
    TrainOptions options = grey_options(Parameters::shape, 300);
    options.update = update;
    options.levels[0].stages = 2;
    options.mirror = options.face_classifier = true;
    options.threads = 1;
    const Model one = train(examples, options);
    options.threads = 3;
    const Model three = train(examples, options);
    const Level &a = one.levels.back(), &b = three.levels.back();
    EXPECT_TRUE(std::equal(a.R.begin(), a.R.end(), b.R.begin(), b.R.end()));
    EXPECT_TRUE(std::equal(a.g0.begin(), a.g0.end(), b.g0.begin(), b.g0.end()));
    const std::span<const float> first = one.face_classifier.weights.span(),
                                 second = three.face_classifier.weights.span();
    EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin(), second.end()));
    EXPECT_EQ(one.face_classifier.offset, three.face_classifier.offset);
    options.seed = 2;
    const Model other = train(examples, options);
    const Level& c = other.levels.back();
    EXPECT_EQ(std::equal(a.R.begin(), a.R.end(), c.R.begin(), c.R.end()), update == Update::displaced);
  }
}

TEST(Train, SaysHowFarItIs) {
  TrainOptions options = grey_options(Parameters::shape, 200);
  options.update = Update::regression;
  options.levels = {{.pixels = 100, .stages = 2}, {.pixels = 200}};
  options.face_classifier = true;
  std::int64_t last = -1, whole = 0;
  int calls = 0;
  const Model model =
      train(faces(5), options, [&](const std::string& stage, std::int64_t done, std::int64_t total) {
        EXPECT_FALSE(stage.empty());
        EXPECT_GT(done, last);
        last = done;
        whole = total;
        ++calls;
      });
  EXPECT_EQ(last, whole);
  // shapes, two levels with three updates, the refinement, the appearance, the calibration, the face
  // classifier, the end
  EXPECT_EQ(calls, 11);
  EXPECT_EQ(model.levels.size(), 3u);
  EXPECT_EQ(model.levels[0].face_size_px, model.levels[1].face_size_px);
}

TEST(Train, FindsMirrorPoints) {
  // Landmarks of a training set of mirror images and originals differ by the mirror alone.
  auto examples = faces(8);
  TrainOptions found = grey_options(Parameters::shape, 200), given = found;
  found.mirror = given.mirror = true;
  given.mirror_points = mirror_of_68();
  const Model a = train(examples, found), b = train(examples, given);
  for (std::size_t i = 0; i < a.mean.size(); ++i) {
    EXPECT_NEAR(a.mean[i].x, b.mean[i].x, 1e-12);
    // The mean of a mirrored set is its own mirror image.
    const auto partner = static_cast<std::size_t>(given.mirror_points[i]);
    EXPECT_NEAR(a.mean[i].x, -a.mean[partner].x, 1e-6);
    EXPECT_NEAR(a.mean[i].y, a.mean[partner].y, 1e-6);
  }
  given.mirror_points[0] = 1;
  EXPECT_ERROR(train(examples, given), InvalidArgument, "other way round");
  given.mirror_points.pop_back();
  EXPECT_ERROR(train(examples, given), InvalidArgument, "67 mirror points");
}

TEST(Train, RefusesExamplesByName) {
  const auto good = faces(3);
  const TrainOptions options = grey_options(Parameters::shape, 100);
  EXPECT_ERROR(train({}, options), InvalidArgument, "there are none");
  EXPECT_ERROR(train({good[0]}, options), InvalidArgument, "face 0");
  auto bad = good;
  bad[1].landmarks.pop_back();
  EXPECT_ERROR(train(bad, options), InvalidArgument, "face 1: there are 67 landmarks, but 68");
  bad = good;
  bad[2].landmarks.clear();
  EXPECT_ERROR(train(bad, options), InvalidArgument, "face 2: there are no landmarks");
  bad = good;
  bad[0].landmarks.resize(2);
  EXPECT_ERROR(train(bad, options), InvalidArgument, "face 0: a shape has three");
  bad = good;
  bad[1].landmarks[5].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(train(bad, options), InvalidArgument, "face 1: landmark 5 is not finite");
  bad[1].landmarks[5].x = 400;
  EXPECT_ERROR(train(bad, options), InvalidArgument, "far outside the image of 256 x 256");
  bad = good;
  bad[2].image.width = 8;
  EXPECT_ERROR(train(bad, options), InvalidArgument, "face 2: an image of 8 x 256");
  bad = good;
  bad[2].image.pixels.pop_back();
  EXPECT_ERROR(train(bad, options), InvalidArgument, "65535 values");
  bad = good;
  for (Point& p : bad[1].landmarks) p.y = 7;
  EXPECT_ERROR(train(bad, options), InvalidArgument, "face 1: the landmarks' box has no area");
  EXPECT_ERROR(train({good[0], good[0], good[0]}, options), InvalidArgument, "all 3 images are equal");
  bad = good;
  for (Example& example : bad) std::fill(example.image.pixels.begin(), example.image.pixels.end(), Grey8{9});
  bad[0].image.pixels[0] = {8};
  EXPECT_ERROR(train(bad, options), InvalidArgument, "flat");
}

TEST(Train, RefusesOptions) {
  const auto good = faces(3);
  TrainOptions options = grey_options(Parameters::shape, 100);
  options.shape_variance = 0;
  EXPECT_ERROR(train(good, options), InvalidArgument, "share of the variance");
  options = grey_options(Parameters::shape, 5);
  EXPECT_ERROR(train(good, options), InvalidArgument, "not 5");
  options = grey_options(Parameters::shape, 100);
  options.triangles = {{0, 1, 99}};
  EXPECT_ERROR(train(good, options), InvalidArgument, "landmark 99");
  options = grey_options(Parameters::shape, 100);
  options.update = Update::regression;
  options.ridge = 0;
  EXPECT_ERROR(train(good, options), InvalidArgument, "ridge");
  EXPECT_ERROR(default_levels(100, 9), InvalidArgument, "not 9");
  EXPECT_ERROR(default_levels(100, 5), InvalidArgument, "coarsest");
}

TEST(Train, CheckModelNamesWhatDoesNotFit) {
  const Model good = train(faces(4), grey_options(Parameters::independent, 100));
  EXPECT_NO_THROW(check_model(good));
  Model bad = good;
  bad.levels[0].R = std::vector<float>(5);
  EXPECT_ERROR(check_model(bad), InvalidArgument, "level 0: R has 5 numbers");
  bad = good;
  std::vector<float> g0(good.levels[0].g0.begin(), good.levels[0].g0.end());
  g0[3] = std::numeric_limits<float>::infinity();
  bad.levels[0].g0 = g0;
  EXPECT_ERROR(check_model(bad), InvalidArgument, "g0 holds a number that is not finite");
  bad = good;
  std::vector<WarpPixel> pixels(good.levels[0].frame.pixels.begin(), good.levels[0].frame.pixels.end());
  pixels[7].corners[1] = 68;
  bad.levels[0].frame.pixels = pixels;
  EXPECT_ERROR(check_model(bad), InvalidArgument, "landmark 68 of 68");
  bad = good;
  bad.levels.clear();
  EXPECT_ERROR(check_model(bad), InvalidArgument, "no levels");
  bad = good;
  bad.mean.pop_back();
  EXPECT_ERROR(check_model(bad), InvalidArgument, "mean has 67");
}

}  // namespace
}  // namespace triptych::aam_fit
