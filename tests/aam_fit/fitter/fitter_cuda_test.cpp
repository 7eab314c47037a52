// Fitter and FaceTracker on the GPU against the CPU's.
#include <triptych/aam_fit/face_tracker.hpp>

#include "aam_fit/fitter/made_up_world.hpp"
#include "fitter/confidence.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::displaced;
using test::largest_distance;
using test::make_world;
using test::World;

class FitterCuda : public test::CudaFixture {};

const Features edges{.kind = FeatureKind::double_angle, .smooth_px = 0.7f, .local_px = 6, .pool_px = 1.5f};

const std::tuple<double, double, double> starts[] = {
    {0.0, 0.0, 1.0}, {0.05, 0.0, 1.0}, {-0.04, 0.04, 1.0}, {0.0, -0.05, 1.05}, {0.03, 0.03, 0.95}};

// Near a tie the twins may stop a step apart, and such a step moves no landmark by more than a few times
// min_move_px (0.02) of the level's pixels, less than two of the frame's.
constexpr double tie_px = 0.15;

TEST_F(FitterCuda, EndsWhereTheCpuEnds) {
  for (const Features& features : {Features{}, edges}) {
    const World world = make_world(features, 12, 11);
    Fitter gpu(world.model, {}, Device::cuda(0)), cpu(world.model, {}, Device::cpu(0));
    for (const auto& [dx, dy, scale] : starts) {
      const Face face{world.frame.view(), displaced(world.truth, dx, dy, scale)};
      const Fit a = gpu.step(face), b = cpu.step(face);
      EXPECT_EQ(to_string(a.status), "converged");
      EXPECT_LT(shape_error(a.landmarks, world.truth), 0.004);
      EXPECT_LE(largest_distance(a.landmarks, b.landmarks), tie_px);
      EXPECT_EQ(a.parameters.size(), b.parameters.size());
      // rounding: 64 eps of terms of about 1 each, four of them, once for each twin (double_fit.hpp)
      const double error_bound = 2e-3 * std::abs(b.error) + 2 * 64 * 0x1p-24 * 4 / 3600;
      EXPECT_NEAR(a.error, b.error, error_bound);
      // |g0| is 1: the score is 1 / (1 + |r|^2), whose slope is at most 1
      EXPECT_NEAR(a.score, b.score, error_bound * static_cast<double>(world.model.levels.back().samples()));
      EXPECT_GT(a.latency_us, 0);
      // The slope of a logistic function is at most 1/4, and that of the correlation over |r|^2 at most 1/2;
      // the coefficients are 17.2 / (0.7 - 0.15) and -1.4 (confidence.cpp).
      const Level& finest = world.model.levels.back();
      const double deviation = deviation_of(finest, a.parameters) - deviation_of(finest, b.parameters);
      const auto samples = static_cast<double>(finest.samples());
      EXPECT_NEAR(a.confidence, b.confidence,
                  17.2 / 0.55 / 8 * error_bound * samples + 0.35 * std::abs(deviation) + 1e-12);
      EXPECT_TRUE(a.found());
    }
  }
}

TEST_F(FitterCuda, StepsOfACascadeAreTheCpus) {
  for (const Features& features : {Features{}, edges}) {
    World world = make_world(features, 12, 11);
    for (Level& level : world.model.levels) level.iterations = 2;
    world.model.levels.push_back(world.model.levels.back());
    const FitterOptions options{.fit = {.max_iterations = 0, .always_step = true}};
    Fitter gpu(world.model, options, Device::cuda(0)), cpu(world.model, options, Device::cpu(0));
    for (const auto& [dx, dy, scale] : starts) {
      const Face face{world.frame.view(), displaced(world.truth, dx, dy, scale)};
      const Fit a = gpu.step(face), b = cpu.step(face);
      // no decisions: rounding alone, of places of some 256 pixels in float and sums of 3600 samples (the
      // bounds of double_fit.hpp at this size, 4e-4 px of a level), on three levels
      EXPECT_LE(largest_distance(a.landmarks, b.landmarks), 3 * 2 * 4e-4);
      EXPECT_EQ(a.iterations, b.iterations);
      EXPECT_EQ(a.status, b.status);
      EXPECT_NE(to_string(a.status), "out_of_iterations");
    }
  }
}

// A fit from several starts is as good as the best of the fits from each: alone, in flight and in batches.
// The kernels for one fit and for many differ in the order of sums.
TEST_F(FitterCuda, FromSeveralStartsTheBestGoesOn) {
  const World world = make_world(edges, 12, 11);
  std::vector<Face> faces;
  for (const double shift : {0.02, 0.08, 0.14})
    faces.push_back({world.frame.view(), displaced(world.truth, shift, -shift, 1)});
  Model staged = world.model;  // the choice comes between two levels of one resolution
  staged.levels.push_back(staged.levels.back());
  for (const Model& model : {world.model, staged}) {
    Fitter several(model, {.max_faces = 3}, Device::cuda(0));
    Fitter cpu(model, {}, Device::cpu(0));
    const std::vector<Fit> batch = several.step(faces);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      const Fit fit = several.step(faces[i]), again = several.step(faces[i]), expected = cpu.step(faces[i]);
      EXPECT_EQ(fit.landmarks, again.landmarks);  // the second is a replay of the graph
      EXPECT_LE(largest_distance(fit.landmarks, expected.landmarks), tie_px) << i;
      EXPECT_LE(largest_distance(batch[i].landmarks, expected.landmarks), tie_px) << i;
      EXPECT_EQ(fit.status, expected.status);
    }
  }
  // A face that asks for its start alone gets it, between others that do not.
  Fitter several(world.model, {}, Device::cuda(0)), alone(world.model, {.starts = 1}, Device::cuda(0));
  const Shape start = displaced(world.truth, 0.05, 0, 1);
  const Fit expected = alone.step({world.frame.view(), start});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(several.step({world.frame.view(), start, true}).landmarks, expected.landmarks);
    several.step(faces[0]);
  }
}

TEST_F(FitterCuda, GivesTheSameInFlightAndInBatches) {
  const World world = make_world(edges, 12, 11);
  Fitter fitter(world.model, {.max_faces = 12}, Device::cuda(0));
  std::vector<Grey8> padded(static_cast<std::size_t>(400 * 240), Grey8{7});
  for (std::ptrdiff_t y = 0; y < 240; ++y)
    std::copy_n(world.frame.pixels.begin() + y * 320, 300, padded.begin() + y * 400);
  const ImageView<const Grey8> small(padded.data(), 300, 240, 400);
  std::vector<Face> faces;
  for (int i = 0; i < 14; ++i) {
    const auto& [dx, dy, scale] = starts[i % 5];
    faces.push_back(
        {i % 3 == 2 ? small : world.frame.view(), displaced(world.truth, dx, dy + 0.002 * i, scale)});
  }
  std::vector<Fit> alone;
  alone.reserve(faces.size());
  for (const Face& face : faces) alone.push_back(fitter.step(face));
  // in flight: the same bits, also from replays of the graph, and the frame may change after submit()
  std::size_t next = 0;
  Image<Grey8> changing = world.frame;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (fitter.in_flight() == max_in_flight) {
      EXPECT_EQ(fitter.next().landmarks, alone[next++].landmarks);
    }
    if (i % 3 == 2) {
      fitter.submit(faces[i]);
    } else {
      changing = world.frame;
      fitter.submit({changing.view(), faces[i].start});
      std::fill(changing.pixels.begin(), changing.pixels.end(), Grey8{0});
    }
  }
  while (fitter.in_flight() > 0) EXPECT_EQ(fitter.next().landmarks, alone[next++].landmarks);
  // in batches of twelve and two
  const std::vector<Fit> batch = fitter.step(faces);
  ASSERT_EQ(batch.size(), faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    EXPECT_LE(largest_distance(batch[i].landmarks, alone[i].landmarks), tie_px);
    EXPECT_EQ(batch[i].status, alone[i].status);
  }
  const auto device = device_allocation_count(), pinned = pinned_allocation_count();
  fitter.step(faces);
  fitter.step(faces[0]);
  EXPECT_EQ(device_allocation_count(), device);
  EXPECT_EQ(pinned_allocation_count(), pinned);
}

TEST_F(FitterCuda, SaysWhenTheFaceIsNotThere) {
  const World world = make_world({}, 4, 11);
  Fitter fitter(world.model, {}, Device::cuda(0));
  const Image<Grey8> grey(320, 260, std::vector<Grey8>(320 * 260, Grey8{80}));
  const Fit fit = fitter.step({grey.view(), world.truth});
  EXPECT_EQ(to_string(fit.status), "lost_contrast");
  EXPECT_LE(largest_distance(fit.landmarks, world.truth), 1e-9);
  EXPECT_NE(to_string(fitter.step({world.frame.view(), displaced(world.truth, 20, 0, 1)}).status),
            "converged");
  EXPECT_ERROR(fitter.step({world.frame.view(), Shape(68, {5, 5})}), InvalidArgument, "point");
  // of several faces none is begun when one cannot be fitted, and the fitter is as it was
  const std::vector<Face> faces{{world.frame.view(), world.truth}, {world.frame.view(), Shape(68, {5, 5})}};
  EXPECT_ERROR(fitter.step(faces), InvalidArgument, "point");
  EXPECT_EQ(fitter.in_flight(), 0);
  const Fit before = fitter.step({world.frame.view(), world.truth});
  EXPECT_EQ(to_string(before.status), "converged");
  fitter.submit(faces[0]);
  EXPECT_ERROR(fitter.submit(faces[1]), InvalidArgument, "point");
  const Image<Grey8> large(1921, 16);
  EXPECT_ERROR(fitter.submit({large.view(), world.truth}), InvalidArgument, "max_width");
  EXPECT_EQ(fitter.in_flight(), 1);
  EXPECT_EQ(fitter.next().landmarks, before.landmarks);
  // reset() drops what is in flight
  for (int i = 0; i < max_in_flight; ++i) fitter.submit(faces[0]);
  fitter.reset();
  EXPECT_EQ(fitter.in_flight(), 0);
  EXPECT_EQ(fitter.step(faces[0]).landmarks, before.landmarks);
}

TEST_F(FitterCuda, FollowsAFaceInAVideo) {
  const World world = make_world({}, 4, 11);
  FaceTracker tracker(world.model, {}, Device::cuda(0));
  const auto moved = [&](int dx, int dy) {
    Image<Grey8> out = world.frame;
    for (std::int64_t y = 0; y < out.height; ++y)
      for (std::int64_t x = 0; x < out.width; ++x)
        out.view().at(x, y) = world.frame.view().at(std::clamp<std::int64_t>(x - dx, 0, out.width - 1),
                                                    std::clamp<std::int64_t>(y - dy, 0, out.height - 1));
    return out;
  };
  for (int i = 0; i < 10; ++i) {
    const Image<Grey8> frame = moved(2 * i, i);
    const auto tracked =
        tracker.step(frame.view(), i == 0 ? std::optional<Box>(bounds(world.truth)) : std::nullopt);
    EXPECT_TRUE(tracked.found());
    const Shape truth = posed(Similarity{0, 0, 2.0 * i, 1.0 * i}, world.truth);
    EXPECT_LT(shape_error(tracked.fit.landmarks, truth), 0.01);
  }
}

}  // namespace
}  // namespace triptych::aam_fit
