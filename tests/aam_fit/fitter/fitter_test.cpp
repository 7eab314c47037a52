// Fitter and FaceTracker on the CPU: a made-up model of two resolutions on frames whose face is known.
#include <triptych/aam_fit/face_tracker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aam_fit/fitter/made_up_world.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::displaced;
using test::frame_of;
using test::World;

constexpr int width = 320, height = 260;
constexpr double size = 110;

// The same image moved by whole pixels; what comes in is grey.
GreyImage moved(const GreyImage& image, int dx, int dy) {
  GreyImage out = image;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const int u = x - dx, v = y - dy;
      const bool inside = u >= 0 && v >= 0 && u < image.width && v < image.height;
      out.values[static_cast<std::size_t>(std::int64_t{y} * image.width + x)] =
          inside ? image.values[static_cast<std::size_t>(std::int64_t{v} * image.width + u)]
                 : std::uint8_t{120};
    }
  return out;
}

World make_world(const Features& features = {}) { return test::make_world(features, 4, 11); }

TEST(Fitter, FindsTheFaceFromDisplacedStarts) {
  for (const Features& features :
       {Features{},
        Features{.kind = FeatureKind::double_angle, .smooth_px = 0.7f, .local_px = 6, .pool_px = 1.5f}}) {
    const World world = make_world(features);
    Fitter fitter(world.model, {}, Device::cpu(2));
    for (const auto& [dx, dy, scale] : {std::tuple{0.0, 0.0, 1.0},
                                        {0.05, 0.0, 1.0},
                                        {-0.04, 0.04, 1.0},
                                        {0.0, -0.05, 1.05},
                                        {0.03, 0.03, 0.95}}) {
      const Shape start = displaced(world.truth, dx, dy, scale);
      const Fit fit = fitter.fit({world.frame.view(), start});
      EXPECT_EQ(to_string(fit.status), "converged");
      EXPECT_LT(shape_error(fit.landmarks, world.truth), 0.004)
          << to_string(features.kind) << " " << dx << " " << dy << " " << scale << " from "
          << shape_error(start, world.truth);
      // where the fit begins at the truth, rounding alone decides whether a step lowers the error
      const bool away = dx != 0 || dy != 0 || scale != 1;
      EXPECT_GE(fit.iterations, away ? 2 : 0);
      EXPECT_EQ(fit.parameters.size(), 8u);
    }
  }
}

TEST(Fitter, GivesTheSameAloneInBatchesAndInFlight) {
  const World world = make_world();
  Fitter fitter(world.model, {}, Device::cpu(1));
  const GreyImage small = [&] {
    GreyImage cut{300, 240, {}};
    for (int y = 0; y < 240; ++y)
      cut.values.insert(cut.values.end(), world.frame.values.begin() + y * width,
                        world.frame.values.begin() + y * width + 300);
    return cut;
  }();
  const std::vector<Face> faces = {{world.frame.view(), displaced(world.truth, 0.02, 0, 1)},
                                   {small.view(), displaced(world.truth, 0, 0.03, 1)}};
  const std::vector<Fit> batch = fitter.fit(faces);
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_TRUE(fitter.fit(std::span<const Face>{}).empty());
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(fitter.fit(faces[i]).landmarks, batch[i].landmarks);
  EXPECT_ERROR(fitter.next(), InvalidArgument, "submitted");
  fitter.submit(faces[0]);
  fitter.submit(faces[1]);
  EXPECT_EQ(fitter.in_flight(), 2);
  EXPECT_ERROR(fitter.submit(faces[0]), InvalidArgument, "in flight");
  EXPECT_ERROR(fitter.fit(faces[0]), InvalidArgument, "fetched");
  EXPECT_EQ(fitter.next().landmarks, batch[0].landmarks);
  EXPECT_EQ(fitter.next().landmarks, batch[1].landmarks);
  EXPECT_EQ(fitter.in_flight(), 0);
  // More threads, the same bits.
  Fitter threaded(world.model, {}, Device::cpu(3));
  EXPECT_EQ(threaded.fit(faces[0]).landmarks, batch[0].landmarks);
}

TEST(Fitter, StagesOfACascadeCarryTheirParametersOn) {
  World world = make_world();
  // A fine level of one iteration, five times over, against the same level with five iterations.
  Level stage = world.model.levels[1];
  stage.iterations = 1;
  Model cascade = world.model, single = world.model;
  cascade.levels = {stage, stage, stage, stage, stage};
  Level whole = stage;
  whole.iterations = 5;
  single.levels = {whole};
  const FitterOptions options{.fit = {.max_iterations = 0, .always_step = true}};
  Fitter a(cascade, options, Device::cpu(1)), b(single, options, Device::cpu(1));
  const Face face{world.frame.view(), displaced(world.truth, 0.02, -0.02, 1)};
  const Fit by_stages = a.fit(face), at_once = b.fit(face);
  EXPECT_EQ(by_stages.parameters, at_once.parameters);
  EXPECT_EQ(by_stages.landmarks.size(), at_once.landmarks.size());
  for (std::size_t i = 0; i < by_stages.landmarks.size(); ++i)
    EXPECT_NEAR(by_stages.landmarks[i].x, at_once.landmarks[i].x, 1e-9);
  EXPECT_EQ(by_stages.iterations, 5);
  EXPECT_EQ(to_string(by_stages.status), "converged");
}

TEST(Fitter, SaysWhenTheFaceIsNotThere) {
  const World world = make_world();
  Fitter fitter(world.model, {}, Device::cpu(1));
  const GreyImage grey{width, height,
                       std::vector<std::uint8_t>(std::size_t{width} * std::size_t{height}, 80)};
  const Fit fit = fitter.fit({grey.view(), world.truth});
  EXPECT_EQ(to_string(fit.status), "lost_contrast");
  EXPECT_EQ(fit.landmarks, world.truth);
  // A start far outside sees the border repeated: nothing there looks like a face.
  EXPECT_NE(to_string(fitter.fit({world.frame.view(), displaced(world.truth, 20, 0, 1)}).status),
            "converged");
}

TEST(Fitter, RefusesWhatItCannotFit) {
  const World world = make_world();
  Fitter fitter(world.model, {}, Device::cpu(1));
  EXPECT_ERROR(fitter.fit({world.frame.view(), Shape(5)}), InvalidArgument, "68 points cannot start from 5");
  EXPECT_ERROR(fitter.fit({{}, world.truth}), InvalidArgument, "empty frame");
  Shape odd = world.truth;
  odd[3].x = NAN;
  EXPECT_ERROR(fitter.fit({world.frame.view(), odd}), InvalidArgument, "not finite");
  EXPECT_ERROR(fitter.fit({world.frame.view(), Shape(68, {5, 5})}), InvalidArgument, "point");
  Model none = world.model;
  none.levels.clear();
  EXPECT_ERROR(Fitter(none, {}, Device::cpu(1)), InvalidArgument, "levels");
  EXPECT_ERROR(Fitter(world.model, {.algorithm = Algorithm::project_out}, Device::cpu(1)), InvalidArgument,
               "compositional");
  EXPECT_ERROR(Fitter(world.model, {.fit = {.steps = 99}}, Device::cpu(1)), InvalidArgument, "99");
}

TEST(Fitter, StartsInABox) {
  const World world = make_world();
  const Shape start = start_in_box(world.model, {40, 50, 100, 80}, width, height);
  const Box box = bounds(start);
  EXPECT_NEAR(box.x + box.width / 2, 90, 1e-9);
  EXPECT_NEAR(box.y + box.height / 2, 90, 1e-9);
  EXPECT_NEAR(box.width * box.height, 8000, 1e-6);
  EXPECT_ERROR(start_in_box(world.model, {0, 0, 0, 5}, width, height), InvalidArgument, "empty");
  EXPECT_ERROR(start_in_box(world.model, {0, 0, NAN, 5}, width, height), InvalidArgument, "empty");
  EXPECT_ERROR(start_in_box(world.model, {320, 0, 10, 10}, width, height), InvalidArgument,
               "outside the frame");
  EXPECT_ERROR(start_in_box(world.model, {-20, 0, 10, 10}, width, height), InvalidArgument,
               "outside the frame");
}

TEST(Fitter, ShowsTheModelsTexture) {
  const World world = make_world();
  Fitter fitter(world.model, {}, Device::cpu(1));
  const Fit fit = fitter.fit({world.frame.view(), world.truth});
  const GreyImage picture = fitter.texture(fit);
  const Level& level = world.model.levels[1];
  ASSERT_EQ(picture.width, level.frame.width);
  ASSERT_EQ(picture.values.size(), static_cast<std::size_t>(std::int64_t{picture.width} * picture.height));
  // At the face it was made of, it is that face, but for gain and offset.
  const Crop crop = crop_for(level, world.truth, 0.5);
  Planes planes;
  prepare_cpu(world.frame.view(), crop, {}, planes, 1);
  std::vector<double> shape;
  for (const Point p : world.truth) {
    const Point q = to_crop(crop, p);
    shape.insert(shape.end(), {q.x, q.y});
  }
  const std::vector<double> seen = test::detail::aam_sample(level, planes, shape);
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double v = picture.values[i];
    a += v;
    b += seen[i];
    aa += v * v;
    bb += seen[i] * seen[i];
    ab += v * seen[i];
  }
  const auto n = static_cast<double>(seen.size());
  EXPECT_GT((ab - a * b / n) / std::sqrt((aa - a * a / n) * (bb - b * b / n)), 0.99);
  EXPECT_ERROR(fitter.texture({}), InvalidArgument, "8 parameters");
}

TEST(FaceTracker, FollowsLosesAndFindsAgain) {
  const World world = make_world();
  const Box box = bounds(world.truth);
  FaceTracker tracker(world.model, {}, {}, Device::cpu(1));
  // Nobody said where to look.
  EXPECT_FALSE(tracker.track(world.frame.view()).found);

  int x = 0, y = 0;
  for (int i = 0; i < 12; ++i) {
    const GreyImage frame = moved(world.frame, x, y);
    const auto tracked = i == 0 ? tracker.track(frame.view(), box) : tracker.track(frame.view());
    Shape truth = world.truth;
    for (Point& p : truth) p = {p.x + x, p.y + y};
    EXPECT_TRUE(tracked.found) << i;
    EXPECT_EQ(tracked.restarted, i == 0);
    EXPECT_LT(shape_error(tracked.fit.landmarks, truth), 0.006) << i;
    x += i % 2 == 0 ? 3 : 2;
    y -= 2;
  }
  // Another picture is not that face; then nothing is tracked until a box says where.
  const GreyImage other = frame_of(test::detail::aam_image(width, height, 1, size, 99));
  EXPECT_FALSE(tracker.track(other.view()).found);
  EXPECT_FALSE(tracker.track(world.frame.view()).found);
  const auto again = tracker.track(world.frame.view(), box);
  EXPECT_TRUE(again.found);
  EXPECT_TRUE(again.restarted);
  EXPECT_TRUE(tracker.track(world.frame.view()).found);
  tracker.reset();
  EXPECT_FALSE(tracker.track(world.frame.view()).found);

  // With a box of its own it looks there whenever it has nothing.
  FaceTracker sure(world.model, {}, {.box = box}, Device::cpu(1));
  EXPECT_TRUE(sure.track(world.frame.view()).restarted);
  EXPECT_FALSE(sure.track(world.frame.view()).restarted);
  EXPECT_FALSE(sure.track(other.view()).found);
  EXPECT_TRUE(sure.track(world.frame.view()).found);
  // An error that nothing reaches loses every face.
  FaceTracker strict(world.model, {}, {.lost_error = 1e-12, .box = box}, Device::cpu(1));
  EXPECT_FALSE(strict.track(world.frame.view()).found);
  EXPECT_ERROR(sure.track(world.frame.view(), Box{900, 0, 10, 10}), InvalidArgument, "outside the frame");
}

}  // namespace
}  // namespace triptych::aam_fit
