// Fitter and FaceTracker on the GPU after every kind of refused call: the next result has the bits it would
// have had.
#include <triptych/aam_fit/face_tracker.hpp>

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
  const std::function<void(FaceTracker&)> refused[] = {[](FaceTracker& t) { t.step({}); },
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
                                                       [](FaceTracker& t) { t.submit({}); },
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

}  // namespace
}  // namespace triptych::aam_fit
