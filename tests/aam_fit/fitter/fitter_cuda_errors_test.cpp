// Fitter and FaceTracker on the GPU after every kind of refused call: the next result has the bits it would
// have had.
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/core/clock.hpp>

#include <cmath>
#include <functional>
#include <limits>

#include "aam_fit/fitter/made_up_world.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::displaced;
using test::make_world;
using test::World;

class FitterCudaErrors : public test::CudaFixture {
 protected:
  FitterCudaErrors() : world(make_world({}, 4, 11)), wide(1921, 260) {
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    const auto frame = world.frame.view();
    Shape not_finite = world.truth, far = world.truth;
    not_finite[3].y = nan;
    far[0].x = infinity;
    bad = {{{}, world.truth},          {wide.view(), world.truth}, {frame, {}}, {frame, Shape(67, {5, 5})},
           {frame, Shape(68, {5, 5})}, {frame, not_finite},        {frame, far}};
    for (int i = 0; i < 4; ++i) good.push_back({frame, displaced(world.truth, 0.01 * i, 0.02, 1)});
  }

  const World world;
  const Image<Grey8> wide;
  std::vector<Face> good, bad;
};

TEST_F(FitterCudaErrors, TheNextFitIsRight) {
  for (const int max_faces : {1, 3}) {
    SCOPED_TRACE(testing::Message() << "batches of " << max_faces);
    Fitter fitter(world.model, {.max_faces = max_faces}, Device::cuda(0));
    std::vector<Fit> expected;
    for (const Face& face : good) expected.push_back(fitter.step(face));
    const std::vector<Fit> batch = fitter.step(good);
    const auto expect_as_before = [&] {
      ASSERT_EQ(fitter.in_flight(), 0);
      for (std::size_t i = 0; i < good.size(); ++i)
        ASSERT_EQ(fitter.step(good[i]).landmarks, expected[i].landmarks);
      const std::vector<Fit> again = fitter.step(good);
      for (std::size_t i = 0; i < good.size(); ++i) ASSERT_EQ(again[i].landmarks, batch[i].landmarks);
    };
    EXPECT_ERROR(fitter.next(), InvalidArgument, "next()");
    for (std::size_t i = 0; i < bad.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "bad face " << i);
      EXPECT_THROW(fitter.step(bad[i]), InvalidArgument);
      expect_as_before();
      for (std::size_t at = 0; at <= good.size(); ++at) {  // among good faces
        std::vector<Face> faces = good;
        faces.insert(faces.begin() + static_cast<std::ptrdiff_t>(at), bad[i]);
        EXPECT_THROW(fitter.step(faces), InvalidArgument);
      }
      expect_as_before();
      for (int in_flight = 0; in_flight < max_in_flight; ++in_flight) {
        for (int k = 0; k < in_flight; ++k) fitter.submit(good[static_cast<std::size_t>(k)]);
        EXPECT_THROW(fitter.submit(bad[i]), InvalidArgument);
        EXPECT_EQ(fitter.in_flight(), in_flight);
        if (in_flight > 0) {
          EXPECT_ERROR(fitter.step(good[0]), InvalidArgument, "in flight");
        }
        for (int k = 0; k < in_flight; ++k)
          EXPECT_EQ(fitter.next().landmarks, expected[static_cast<std::size_t>(k)].landmarks);
        EXPECT_ERROR(fitter.next(), InvalidArgument, "next()");
      }
      expect_as_before();
    }
    for (int in_flight = 1; in_flight <= max_in_flight; ++in_flight) {
      for (int k = 0; k < in_flight; ++k) fitter.submit(good[3]);
      if (in_flight == max_in_flight) {
        EXPECT_ERROR(fitter.submit(good[0]), InvalidArgument, "in flight");
      }
      fitter.reset();
      expect_as_before();
    }
  }
}

TEST_F(FitterCudaErrors, TheNextTrackedFaceIsRight) {
  const Box box = bounds(world.truth);
  const auto frame = world.frame.view();
  const std::function<void(FaceTracker&)> refused[] = {
      [](FaceTracker& t) { t.step(ImageView<const Grey8>()); },
      [&](FaceTracker& t) { t.step(wide.view()); },
      [&](FaceTracker& t) {
        t.step(frame, Box{5000, 5000, 20, 20});
      },
      [&](FaceTracker& t) {
        t.step(frame, Box{10, 10, 0, 20});
      },
      [&](FaceTracker& t) {
        t.step(frame, Box{std::nan(""), 10, 20, 20});
      },
      [](FaceTracker& t) { t.submit(ImageView<const Grey8>()); },
      [&](FaceTracker& t) { t.submit(wide.view()); },
      [&](FaceTracker& t) {
        t.submit(frame, Box{5000, 5000, 20, 20});
      },
      [](FaceTracker& t) { t.next(); }};
  FaceTracker tracker(world.model, {}, Device::cuda(0)), twin(world.model, {}, Device::cuda(0));
  tracker.step(frame, box);
  twin.step(frame, box);
  int number = 0;
  for (const auto& call : refused) {
    SCOPED_TRACE(testing::Message() << "refused call " << number++);
    EXPECT_THROW(call(tracker), InvalidArgument);
    EXPECT_EQ(tracker.in_flight(), 0);
    const TrackedFace a = tracker.step(frame), b = twin.step(frame);
    EXPECT_EQ(a.fit.landmarks, b.fit.landmarks);
    EXPECT_EQ(a.status, b.status);
    EXPECT_TRUE(a.found());
  }
}

TEST_F(FitterCudaErrors, StartsOutOfReachAreRefusedAsByTheCpu) {
  Fitter gpu(world.model, {}, Device::cuda(0)), cpu(world.model, {}, Device::cpu(1));
  const Fit before = gpu.step(good[0]);
  for (const Box& box : {Box{-1e5, -1e5, 2e5, 2e5}, Box{-1e6, -1e6, 2e6, 2e6}, Box{1e9, 1e9, 100, 100},
                         Box{0, 0, 1e-12, 1e-12}, Box{0, 0, 1e7, 1e7}}) {
    const Face face{world.frame.view(), place_in_box(world.model.mean, box)};
    EXPECT_ERROR(gpu.step(face), InvalidArgument, "start");
    EXPECT_ERROR(cpu.step(face), InvalidArgument, "start");
    EXPECT_EQ(gpu.step(good[0]).landmarks, before.landmarks);
  }
}

// The largest and the furthest crops that are accepted: the time is that of a frame, not of the crop's area.
TEST_F(FitterCudaErrors, StartsAtTheLimitTakeLittleTime) {
  Fitter gpu(world.model, {}, Device::cuda(0));
  gpu.step(good[0]);
  const Stopwatch ordinary;
  gpu.step(good[0]);
  const double allowed_us = 1e6 + 100 * ordinary.elapsed_us();  // more under a sanitizer
  for (const Box& box :
       {Box{-2000, -2000, 4400, 4400}, Box{-4000, 100, 4400, 4400}, Box{1e7, 1e7, 2000, 2000}}) {
    const Stopwatch watch;
    const Fit fit = gpu.step({world.frame.view(), place_in_box(world.model.mean, box)});
    EXPECT_LT(watch.elapsed_us(), allowed_us);
    EXPECT_TRUE(std::all_of(fit.landmarks.begin(), fit.landmarks.end(),
                            [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }));
    EXPECT_EQ(gpu.step(good[0]).status, FitStatus::converged);
  }
}

// Steps of the first level that lead out of reach: the second level has no crop.
TEST_F(FitterCudaErrors, AFitThatLeavesTheReachIsLostAsOnTheCpu) {
  World wild = world;
  std::vector<float> R(wild.model.levels[0].R.begin(), wild.model.levels[0].R.end());
  for (float& value : R) value *= 1e4f;
  wild.model.levels[0].R = SharedArray<float>(std::move(R));
  const FitterOptions options{.fit = {.max_iterations = 1, .always_step = true}};
  Fitter gpu(wild.model, options, Device::cuda(0)), cpu(wild.model, options, Device::cpu(1));
  int lost_before_the_last_level = 0;
  for (const Face& face : good) {
    const Fit a = gpu.step(face), b = cpu.step(face);
    EXPECT_EQ(to_string(b.status), "lost_outside");
    EXPECT_EQ(a.status, b.status);
    // Sums in another order. Infinite where the crop, not the samples, told that the face is lost; a step of
    // 1e4 times its length ends near that limit on one device and beyond it on the other.
    if (std::isfinite(a.error) && std::isfinite(b.error)) {
      EXPECT_NEAR(a.error, b.error, 1e-3 * b.error);
    }
    EXPECT_EQ(a.score, 0);
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.parameters.size(), b.parameters.size());
    // of landmarks that a wild step has moved far, in float
    double size = 0;
    for (const Point p : b.landmarks) size = std::max({size, std::abs(p.x), std::abs(p.y)});
    EXPECT_LE(test::largest_distance(a.landmarks, b.landmarks), 1e-3 * size);
    lost_before_the_last_level += b.iterations == 1 ? 1 : 0;
  }
  EXPECT_GT(lost_before_the_last_level, 0);
}

}  // namespace
}  // namespace triptych::aam_fit
