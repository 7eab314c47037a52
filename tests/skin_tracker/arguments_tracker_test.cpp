// Tracker and the choice of its options with arguments that they must refuse.
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "skin_tracker/grey_frame.hpp"
#include "testing/refusals.hpp"

namespace triptych::skin_tracker {
namespace {

using test::expect_refusals;
using test::Refusal;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr LinearFilter filter = generic_skin_filter;

TEST(Arguments, OfTheTracker) {
  const auto with = [](const auto& set) {
    return [=] {
      TrackerOptions options;
      set(options);
      Tracker{filter, options, Device::cpu(1)};
    };
  };
  const Frame frame = rgb_frame();
  TrackerOptions narrow, smoothed, gated;
  narrow.max_width = 63;
  smoothed.smooth = true;
  gated.gate = true;
  gated.start = PixelBox{100, 100, 10, 10};
  const auto step = [=](const TrackerOptions& options, const Frame& f, double seconds) {
    return [=] {
      Tracker tracker(filter, options, Device::cpu(1));
      tracker.step(f, seconds);
    };
  };
  const auto face = [=](const Box& box, int width, int height) {
    return [=] { options_for_face({}, box, width, height); };
  };
  HistogramRatio short_histogram{2, std::vector<float>(63, 0.5f)};
  const Refusal refusals[] = {
      {"Tracker: a filter of NaN",
       [] {
         Tracker(LinearFilter{nan, 0, 0, 0}, {}, Device::cpu(1));
       },
       "not finite"},
      {"Tracker: a histogram of 63 cells", [=] { Tracker(short_histogram, {}, Device::cpu(1)); }, "64 cells"},
      {"Tracker: no width", with([](auto& o) { o.max_width = 0; }), "max_width"},
      {"Tracker: a negative height", with([](auto& o) { o.max_height = -1; }), "max_height"},
      {"Tracker: too large", with([](auto& o) { o.max_width = std::numeric_limits<int>::max(); }),
       "max_width"},
      {"Tracker: no reference area", with([](auto& o) { o.reference_area = 0; }), "reference area"},
      {"Tracker: a reference area of NaN", with([](auto& o) { o.reference_area = nan; }), "reference area"},
      {"Tracker: a reference area above 1", with([](auto& o) { o.reference_area = 1.01; }), "reference area"},
      {"Tracker: a negative distance", with([](auto& o) { o.reference_distance_m = -1; }),
       "reference distance"},
      {"Tracker: a distance at infinity", with([](auto& o) { o.reference_distance_m = inf; }),
       "reference distance"},
      {"Tracker: a confidence of NaN", with([](auto& o) { o.min_confidence = nan; }), "confidence"},
      {"Tracker: a negative confidence", with([](auto& o) { o.min_confidence = -0.1; }), "confidence"},
      {"Tracker: a confidence above 1", with([](auto& o) { o.min_confidence = 1.1; }), "confidence"},
      {"Tracker: a lost area of NaN", with([](auto& o) { o.lost_below_area = nan; }), "lost"},
      {"Tracker: a lost area of 1", with([](auto& o) { o.lost_below_area = 1; }), "lost"},
      {"Tracker: an empty start", with([](auto& o) {
         o.start = PixelBox{1, 1, 0, 4};
       }),
       "start box"},
      {"Tracker: a start of negative size", with([](auto& o) {
         o.start = PixelBox{1, 1, 4, -4};
       }),
       "start box"},
      {"Tracker: a cut-off of NaN", with([](auto& o) { o.smoothing.min_cutoff_hz = nan; }), "min_cutoff_hz"},
      {"Tracker: a gate by a bad histogram", with([=](auto& o) {
         o.gate = true;
         o.gate_by = short_histogram;
       }),
       "64 cells"},
      {"step: an empty frame", step({}, Frame(), 1), "empty"},
      {"step: a frame above max_width", step(narrow, frame, 1), "max_width"},
      {"step: a start outside of the frame", step(gated, frame, 1), "cannot start"},
      {"step: no time", step(smoothed, frame, 0), "seconds"},
      {"step: a time of NaN", step(smoothed, frame, nan), "seconds"},
      {"step: an endless time", step(smoothed, frame, inf), "seconds"},
      {"step: a frame on the GPU",
       [] {
         Tracker(filter, {}, Device::cpu(1))
             .step(DeviceFrame(FrameFormat::rgb, grey_bytes().data(), 4, 4, 12));
       },
       "on the GPU"},
      {"submit: a frame on the GPU",
       [] {
         Tracker(filter, {}, Device::cpu(1))
             .submit(DeviceFrame(FrameFormat::rgb, grey_bytes().data(), 4, 4, 12));
       },
       "on the GPU"},
      {"next: nothing submitted", [] { Tracker(filter, {}, Device::cpu(1)).next(); }, "submit"},
      {"submit: one too many",
       [=] {
         Tracker tracker(filter, {}, Device::cpu(1));
         for (int k = 0; k <= max_in_flight; ++k) tracker.submit(frame);
       },
       "in flight"},
      {"submit: another size in flight",
       [=] {
         Tracker tracker(filter, {}, Device::cpu(1));
         tracker.submit(frame);
         tracker.submit(rgb_frame(32, 32));
       },
       "in flight"},
      {"options_for_face: NaN", face({nan, 0, 4, 4}, 64, 48), "face"},
      {"options_for_face: infinity", face({0, 0, inf, 4}, 64, 48), "face"},
      {"options_for_face: an overflow", face({1e308, 0, 1.7e308, 4}, 64, 48), "face"},
      {"options_for_face: an empty face", face({1, 1, 0, 4}, 64, 48), "face"},
      {"options_for_face: outside of the frame", face({100, 0, 4, 4}, 64, 48), "outside"},
      {"options_for_face: far outside", face({1e300, 1e300, 4, 4}, 64, 48), "face"},
      {"options_for_face: no frame", face({1, 1, 4, 4}, 0, 0), "0 x 0"},
      {"options_for_face: a negative width", face({1, 1, 4, 4}, -1, 48), "-1 x 48"},
      {"to_string: an unknown head status", [] { to_string(static_cast<HeadStatus>(7)); }, "status number 7"},
      {"reason: an unknown head status",
       [] {
         TrackedHead head;
         head.status = static_cast<HeadStatus>(-1);
         reason(head);
       },
       "status number -1"},
      {"tracked_head: a frame of no height", [] { tracked_head({}, 64, 0); }, "64 x 0"},
  };
  expect_refusals(refusals);
}

}  // namespace
}  // namespace triptych::skin_tracker
