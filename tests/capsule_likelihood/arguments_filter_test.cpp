// ParticleFilter with arguments that it must refuse; a refused call leaves the filter as it was.
#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <algorithm>
#include <limits>

#include "testing/refusals.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::expect_refusals;
using test::Refusal;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();

TEST(Arguments, OfTheFilterAreRefused) {
  const Skeleton human = make_human();
  const auto filter = [&](const FilterOptions& options) { ParticleFilter(human, options, Device::cpu(1)); };
  const FilterOptions few = {.samples = 16, .layers = 2, .max_points = 10};
  const auto started = [&] {
    ParticleFilter made(human, few, Device::cpu(1));
    made.start(human.rest_pose());
    return made;
  };
  // The filter must be as before: the samples stay.
  const auto start = [&](std::size_t index, float value) {
    ParticleFilter made = started();
    const std::vector<float> before = made.samples();
    std::vector<float> pose = human.rest_pose();
    pose[index] = value;
    if (value == 0) std::fill(pose.begin() + 3, pose.begin() + 7, 0.0f);
    try {
      made.start(pose);
    } catch (const InvalidArgument&) {
      EXPECT_EQ(made.samples(), before);
      throw;
    }
  };
  const std::vector<Vec3> points(4, {0, 0, 3});
  const auto find = [&](const Vec3& point) {
    ParticleFilter made = started();
    made.submit(points);
    try {
      made.find(std::vector<Vec3>(4, point));
    } catch (const InvalidArgument&) {
      EXPECT_EQ(made.in_flight(), 1);
      EXPECT_EQ(made.next().pose.size(), human.rest_pose().size());
      throw;
    }
  };
  const std::vector<float> sigmas = {0.1f, 0.1f, nan, 0.1f};
  const DeviceCloudView on_device(DeviceSpan<const Vec3>(points.data(), 4));
  const Refusal refusals[] = {
      {"ParticleFilter: no capsules",
       [] {
         ParticleFilter(Skeleton({{"a", -1, {}, {}}}, {}), {}, Device::cpu(1));
       },
       "capsules"},
      {"ParticleFilter: -1 samples", [&] { filter({.samples = -1}); }, "-1"},
      {"ParticleFilter: 2^30 samples", [&] { filter({.samples = 1 << 30}); }, "samples"},
      {"ParticleFilter: 0 layers", [&] { filter({.layers = 0}); }, "layers"},
      {"ParticleFilter: 65 layers", [&] { filter({.layers = 65}); }, "65"},
      {"ParticleFilter: an unknown motion", [&] { filter({.motion = static_cast<MotionModel>(7)}); },
       "motion"},
      {"ParticleFilter: max_points of 0", [&] { filter({.max_points = 0}); }, "max_points"},
      {"ParticleFilter: max_points of 2^63 - 1",
       [&] { filter({.max_points = std::numeric_limits<std::int64_t>::max()}); }, "max_points"},
      {"ParticleFilter: min_score of NaN", [&] { filter({.min_score = double{nan}}); }, "min_score"},
      {"ParticleFilter: min_score of 2", [&] { filter({.min_score = 2}); }, "min_score"},
      {"ParticleFilter: min_confidence of NaN", [&] { filter({.min_confidence = double{nan}}); },
       "min_confidence"},
      {"ParticleFilter: min_confidence of -1", [&] { filter({.min_confidence = -1}); }, "min_confidence"},
      {"ParticleFilter: a spread of NaN", [&] { filter({.position_spread_m = nan}); }, "spreads"},
      {"ParticleFilter: a negative spread", [&] { filter({.rotation_spread_rad = -1}); }, "spreads"},
      {"ParticleFilter: a spread of 1e30", [&] { filter({.limb_spread_m = 1e30f}); }, "spreads"},
      {"ParticleFilter: a spread of Inf", [&] { filter({.max_angle_spread_rad = inf}); }, "spreads"},
      {"ParticleFilter: a start spread of 1e38", [&] { filter({.start_spread = 1e38f}); }, "spreads"},
      {"ParticleFilter: min_spread of 2", [&] { filter({.min_spread = 2}); }, "shares"},
      {"ParticleFilter: shrink of NaN", [&] { filter({.shrink = nan}); }, "shares"},
      {"ParticleFilter: velocity_follow of -1", [&] { filter({.velocity_follow = -1}); }, "shares"},
      {"ParticleFilter: velocity_damp of NaN", [&] { filter({.velocity_damp = nan}); }, "shares"},
      {"ParticleFilter: fit_steps of -1", [&] { filter({.fit_steps = -1}); }, "fit_steps must be 0 to 100"},
      {"ParticleFilter: fit_steps of 101", [&] { filter({.fit_steps = 101}); }, "fit_steps must be 0 to 100"},
      {"ParticleFilter: search_after_frames of -1", [&] { filter({.search_after_frames = -1}); },
       "search_after_frames"},
      {"ParticleFilter: mean_reversion of 1.5", [&] { filter({.mean_reversion = 1.5f}); }, "shares"},
      {"ParticleFilter: max_loss_nats of -1", [&] { filter({.max_loss_nats = -1}); }, "max_loss_nats"},
      {"ParticleFilter: max_loss_nats of NaN", [&] { filter({.max_loss_nats = nan}); }, "max_loss_nats"},
      {"ParticleFilter: effective_share of 1", [&] { filter({.effective_share = 1}); }, "effective"},
      {"ParticleFilter: a sensor of NaN", [&] { filter({.sensor = {.tau_m = nan}}); }, "tau"},
      {"ParticleFilter::start: no pose", [&] { started().start({}); }, "0 numbers"},
      {"ParticleFilter::start: NaN", [&] { start(9, nan); }, "not finite"},
      {"ParticleFilter::start: Inf", [&] { start(0, inf); }, "not finite"},
      {"ParticleFilter::start: at 1e30", [&] { start(1, 1e30f); }, "root"},
      {"ParticleFilter::start: an angle of 1e30", [&] { start(9, 1e30f); }, "angle"},
      {"ParticleFilter::start: no orientation", [&] { start(3, 0); }, "orientation"},
      {"ParticleFilter::step: before start", [&] { ParticleFilter(human, few, Device::cpu(1)).step(points); },
       "start()"},
      {"ParticleFilter::step: too many points", [&] { started().step(std::vector<Vec3>(11)); }, "max_points"},
      {"ParticleFilter::step: too few sigmas",
       [&] {
         started().step({points, std::span(sigmas).first(2)});
       },
       "2 sigmas"},
      {"ParticleFilter::step: a sigma of NaN",
       [&] {
         started().step({points, sigmas});
       },
       "point 2"},
      {"ParticleFilter::step: a frame in flight",
       [&] {
         ParticleFilter made = started();
         made.submit(points);
         made.step(points);
       },
       "submitted"},
      {"ParticleFilter::submit: too many in flight",
       [&] {
         ParticleFilter made = started();
         for (int i = 0; i <= max_in_flight; ++i) made.submit(points);
       },
       "in flight"},
      {"ParticleFilter::step: a cloud in device memory", [&] { started().step(on_device); },
       "cannot read device memory"},
      {"ParticleFilter::submit: a cloud in device memory", [&] { started().submit(on_device); },
       "cannot read device memory"},
      {"ParticleFilter::find: a cloud in device memory", [&] { started().find(on_device); },
       "cannot read device memory"},
      {"ParticleFilter::next: none in flight", [&] { started().next(); }, "no frame"},
      {"ParticleFilter::samples: before start", [&] { ParticleFilter(human, few, Device::cpu(1)).samples(); },
       "start()"},
      {"ParticleFilter::find: no points", [&] { started().find({}); }, "0 points"},
      {"ParticleFilter::find: points of NaN",
       [&] {
         find({nan, 0, 1});
       },
       "finite"},
      {"ParticleFilter::find: points beyond 1000 km",
       [&] {
         find({0, 0, 1e7f});
       },
       "1000 km"},
      {"ParticleFilter::find: points behind the camera",
       [&] {
         find({0, 0, -3});
       },
       "in front of the camera"},
  };
  expect_refusals(refusals);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
