// Fitter and FaceTracker have the shape that all objects of this library share.
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/core/frame_processor.hpp>

#include <gtest/gtest.h>

#include <string>

#include "aam_fit/fitter/made_up_world.hpp"

namespace triptych::aam_fit {
namespace {

static_assert(FrameProcessor<Fitter>);
static_assert(FrameProcessor<FaceTracker>);

// Written for the shape alone: in_flight() inputs at a time, results in their order.
template <FrameProcessor T>
std::string statuses(T& object, const typename T::Input& input, int frames) {
  std::string all;
  for (int sent = 0, got = 0; got < frames;) {
    while (sent < frames && object.in_flight() < max_in_flight) {
      object.submit(input);
      ++sent;
    }
    all += to_string(object.next().status) + " ";
    ++got;
  }
  return all;
}

TEST(FitterShape, ServesCodeThatKnowsTheShapeAlone) {
  const test::World world = test::make_world({}, 4, 11);
  Fitter fitter(world.model, {}, Device::cpu(1));
  EXPECT_EQ(statuses(fitter, {world.frame.view(), world.truth}, 5),
            "converged converged converged converged converged ");
  EXPECT_EQ(fitter.latency().frames, 5);
  FaceTracker tracker(world.model, {.box = bounds(world.truth)}, Device::cpu(1));
  EXPECT_EQ(statuses(tracker, world.frame.view(), 4), "restarted tracked tracked tracked ");
  EXPECT_EQ(tracker.latency().frames, 4);
}

}  // namespace
}  // namespace triptych::aam_fit
