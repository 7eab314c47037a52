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
Image<Grey8> moved(const Image<Grey8>& image, int dx, int dy) {
  Image<Grey8> out = image;
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      const std::int64_t u = x - dx, v = y - dy;
      const bool inside = u >= 0 && v >= 0 && u < image.width && v < image.height;
      out.view().at(x, y) = inside ? image.view().at(u, v) : Grey8{120};
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
      const Fit fit = fitter.step({world.frame.view(), start});
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
  const Image<Grey8> small(world.frame.view().region(0, 0, 300, 240));
  const std::vector<Face> faces = {{world.frame.view(), displaced(world.truth, 0.02, 0, 1)},
                                   {small.view(), displaced(world.truth, 0, 0.03, 1)}};
  const std::vector<Fit> batch = fitter.step(faces);
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_TRUE(fitter.step(std::span<const Face>{}).empty());
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(fitter.step(faces[i]).landmarks, batch[i].landmarks);
  EXPECT_ERROR(fitter.next(), InvalidArgument, "submitted");
  for (int i = 0; i < max_in_flight; ++i) fitter.submit(faces[static_cast<std::size_t>(i % 2)]);
  EXPECT_EQ(fitter.in_flight(), max_in_flight);
  EXPECT_ERROR(fitter.submit(faces[0]), InvalidArgument, "in flight");
  EXPECT_ERROR(fitter.step(faces[0]), InvalidArgument, "in flight");
  for (int i = 0; i < max_in_flight; ++i)
    EXPECT_EQ(fitter.next().landmarks, batch[static_cast<std::size_t>(i % 2)].landmarks);
  EXPECT_EQ(fitter.in_flight(), 0);
  // More threads, the same bits.
  Fitter threaded(world.model, {}, Device::cpu(3));
  EXPECT_EQ(threaded.step(faces[0]).landmarks, batch[0].landmarks);
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
  const Fit by_stages = a.step(face), at_once = b.step(face);
  EXPECT_EQ(by_stages.parameters, at_once.parameters);
  EXPECT_EQ(by_stages.landmarks.size(), at_once.landmarks.size());
  for (std::size_t i = 0; i < by_stages.landmarks.size(); ++i)
    EXPECT_NEAR(by_stages.landmarks[i].x, at_once.landmarks[i].x, 1e-9);
  EXPECT_EQ(by_stages.iterations, 5);
  EXPECT_EQ(by_stages.status, at_once.status);
}

TEST(Fitter, SaysConvergedOnlyWhenItHasConverged) {
  const World world = make_world();
  const Face face{world.frame.view(), displaced(world.truth, 0.04, -0.04, 1)};
  const auto status = [&](int iterations, const FitOptions& fit) {
    Model model = world.model;
    model.levels = {model.levels.back()};
    model.levels[0].iterations = iterations;
    return to_string(Fitter(model, {.fit = fit}, Device::cpu(1)).step(face).status);
  };
  // A stage of a cascade, and whole steps: a fixed number of them. From this start one or two do not suffice.
  EXPECT_EQ(status(1, {.max_iterations = 0}), "completed");
  EXPECT_EQ(status(2, {.max_iterations = 0, .always_step = true}), "completed");
  EXPECT_EQ(status(20, {.max_iterations = 2, .always_step = true}), "completed");
  EXPECT_EQ(status(20, {.max_iterations = 2}), "out_of_iterations");
  EXPECT_EQ(status(20, {.max_iterations = 0}), "converged");
  EXPECT_EQ(status(20, {.max_iterations = 0, .always_step = true}), "converged");
}

TEST(Fitter, SaysWhenTheFaceIsNotThere) {
  const World world = make_world();
  Fitter fitter(world.model, {}, Device::cpu(1));
  const Image<Grey8> grey(width, height,
                          std::vector<Grey8>(std::size_t{width} * std::size_t{height}, Grey8{80}));
  const Fit fit = fitter.step({grey.view(), world.truth});
  EXPECT_EQ(to_string(fit.status), "lost_contrast");
  EXPECT_FALSE(fit.found());
  EXPECT_EQ(fit.score, 0);
  EXPECT_EQ(fit.landmarks, world.truth);
  // A start far outside sees the border repeated: nothing there resembles a face.
  EXPECT_NE(to_string(fitter.step({world.frame.view(), displaced(world.truth, 20, 0, 1)}).status),
            "converged");
}

TEST(Fitter, IsUsableAsBeforeAfterAnException) {
  const World world = make_world();
  Fitter fitter(world.model, {}, Device::cpu(1));
  const Face good{world.frame.view(), displaced(world.truth, 0.02, 0, 1)};
  const Face bad{world.frame.view(), Shape(68, {5, 5})};
  const Fit before = fitter.step(good);
  const std::vector<Face> faces{good, bad};
  EXPECT_ERROR(fitter.step(faces), InvalidArgument, "point");
  EXPECT_EQ(fitter.latency().frames, 1);  // not even the good face was fitted
  EXPECT_EQ(fitter.step(good).landmarks, before.landmarks);
  fitter.submit(good);
  EXPECT_ERROR(fitter.submit(bad), InvalidArgument, "point");
  EXPECT_ERROR(fitter.step(good), InvalidArgument, "in flight");
  EXPECT_EQ(fitter.in_flight(), 1);
  EXPECT_EQ(fitter.next().landmarks, before.landmarks);
  // reset() drops what is in flight.
  for (int i = 0; i < max_in_flight; ++i) fitter.submit(good);
  fitter.reset();
  EXPECT_EQ(fitter.in_flight(), 0);
  EXPECT_EQ(fitter.latency().frames, 0);
  EXPECT_ERROR(fitter.next(), InvalidArgument, "submitted");
  EXPECT_EQ(fitter.step(good).landmarks, before.landmarks);
}

TEST(Fitter, ScoresByTheExplainedVariance) {
  const World world = make_world();
  Fitter fitter(world.model, {.fit = {.max_iterations = 0, .always_step = true}}, Device::cpu(1));
  Fitter still(world.model, {}, Device::cpu(1));
  const Fit fit = fitter.step({world.frame.view(), world.truth});
  const Level& finest = world.model.levels.back();
  double g0g0 = 0;
  for (const float g : finest.g0) g0g0 += double{g} * double{g};
  const double rr = fit.error * static_cast<double>(finest.samples());
  EXPECT_NEAR(fit.score, g0g0 / (g0g0 + rr), 1e-12);
  EXPECT_GT(fit.score, 0.99);  // the model was made of this face
  EXPECT_GT(fit.latency_us, 0);
  EXPECT_EQ(fitter.latency().frames, 1);
  // Noise lowers it: of 1 + q times the variance, the model explains 1.
  World noisy = make_world();
  double mean = 0, variance = 0;
  for (const Grey8 p : noisy.frame.pixels) mean += p.v / static_cast<double>(noisy.frame.pixels.size());
  for (Grey8& p : noisy.frame.pixels) {
    variance += (p.v - mean) * (p.v - mean) / static_cast<double>(noisy.frame.pixels.size());
    p.v = static_cast<std::uint8_t>(p.v + (&p - noisy.frame.pixels.data()) % 7 * 5 - 15);
  }
  const double share =
      100 / variance;  // of {-15, -10, ..., 15}, whose variance is 100, before it is resampled
  const Fit found = still.step({noisy.frame.view(), world.truth});
  EXPECT_LT(found.score, fit.score);
  EXPECT_GT(found.score, 1 / (1 + 2 * share));
}

TEST(Fitter, DescribesItself) {
  World world = make_world();
  const Fitter fitter(world.model, {}, Device::cpu(1));
  const std::string line = fitter.describe();
  EXPECT_NE(line.find("made up: 68 landmarks, 2 levels, 4 modes and 3600 samples"), std::string::npos)
      << line;
  EXPECT_NE(line.find("levels 0 to 1: one pass"), std::string::npos) << line;
  EXPECT_NE(line.find("CPU: "), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(fitter.device().kind(), DeviceKind::cpu);
  EXPECT_EQ(fitter.device().threads(), 1);
}

TEST(Fitter, RefusesWhatItCannotFit) {
  const World world = make_world();
  Fitter fitter(world.model, {}, Device::cpu(1));
  EXPECT_ERROR(fitter.step({world.frame.view(), Shape(5)}), InvalidArgument, "68 points cannot start from 5");
  EXPECT_ERROR(fitter.step(Face{{}, world.truth}), InvalidArgument, "empty frame");
  Shape odd = world.truth;
  odd[3].x = NAN;
  EXPECT_ERROR(fitter.step({world.frame.view(), odd}), InvalidArgument, "not finite");
  EXPECT_ERROR(fitter.step({world.frame.view(), Shape(68, {5, 5})}), InvalidArgument, "point");
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
  const Fit fit = fitter.step({world.frame.view(), world.truth});
  const Image<Grey8> picture = fitter.texture(fit);
  const Level& level = world.model.levels[1];
  ASSERT_EQ(picture.width, level.frame.width);
  ASSERT_EQ(picture.pixels.size(), static_cast<std::size_t>(picture.width * picture.height));
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
    const double v = picture.pixels[i].v;
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
  FaceTracker tracker(world.model, {}, Device::cpu(1));
  // Neither a box nor a shape to start from.
  EXPECT_EQ(tracker.step(world.frame.view()).status, TrackStatus::no_start);

  int x = 0, y = 0;
  for (int i = 0; i < 12; ++i) {
    const Image<Grey8> frame = moved(world.frame, x, y);
    const auto tracked = i == 0 ? tracker.step(frame.view(), box) : tracker.step(frame.view());
    Shape truth = world.truth;
    for (Point& p : truth) p = {p.x + x, p.y + y};
    EXPECT_TRUE(tracked.found()) << i;
    EXPECT_EQ(to_string(tracked.status), i == 0 ? "restarted" : "tracked");
    EXPECT_EQ(tracked.score, tracked.fit.score);
    EXPECT_GT(tracked.latency_us, 0);
    EXPECT_LT(shape_error(tracked.fit.landmarks, truth), 0.006) << i;
    x += i % 2 == 0 ? 3 : 2;
    y -= 2;
  }
  // Another picture is not that face; then nothing is tracked until a box says where.
  const Image<Grey8> other = frame_of(test::detail::aam_image(width, height, 1, size, 99));
  EXPECT_FALSE(tracker.step(other.view()).found());
  EXPECT_FALSE(tracker.step(world.frame.view()).found());
  const auto again = tracker.step(world.frame.view(), box);
  EXPECT_TRUE(again.found());
  EXPECT_EQ(again.status, TrackStatus::restarted);
  EXPECT_TRUE(tracker.step(world.frame.view()).found());
  tracker.reset();
  EXPECT_FALSE(tracker.step(world.frame.view()).found());

  // With a box in its options it restarts there whenever it has lost the face.
  FaceTracker sure(world.model, {.box = box}, Device::cpu(1));
  EXPECT_EQ(sure.step(world.frame.view()).status, TrackStatus::restarted);
  EXPECT_EQ(sure.step(world.frame.view()).status, TrackStatus::tracked);
  EXPECT_FALSE(sure.step(other.view()).found());
  EXPECT_TRUE(sure.step(world.frame.view()).found());
  // An error that nothing reaches loses every face.
  FaceTracker strict(world.model, {.lost_error = 1e-12, .box = box}, Device::cpu(1));
  EXPECT_FALSE(strict.step(world.frame.view()).found());
  EXPECT_ERROR(sure.step(world.frame.view(), Box{900, 0, 10, 10}), InvalidArgument, "outside the frame");
  // A frame that does not reach to the box: refused, and the face is tracked as before.
  EXPECT_TRUE(sure.step(world.frame.view()).found());
  const Image<Grey8> small{8, 8, std::vector<Grey8>(64)};
  EXPECT_ERROR(sure.step(small.view()), InvalidArgument, "outside the frame");
  EXPECT_EQ(sure.step(world.frame.view()).status, TrackStatus::tracked);
  // In two halves it does the same.
  sure.reset();
  for (int i = 0; i < max_in_flight; ++i) sure.submit(world.frame.view());
  EXPECT_ERROR(sure.submit(world.frame.view()), InvalidArgument, "in flight");
  EXPECT_EQ(sure.next().status, TrackStatus::restarted);
  EXPECT_EQ(sure.next().status, TrackStatus::tracked);
  EXPECT_EQ(sure.in_flight(), 1);
  sure.reset();
  EXPECT_ERROR(sure.next(), InvalidArgument, "submitted");
}

}  // namespace
}  // namespace triptych::aam_fit
