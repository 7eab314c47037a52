// skin_tracker_bench, gate: a tracker from a marked face on one core, while it follows the head and while the
// head is lost and the frame is searched. A lost frame takes at most twice as long as a followed one.
//
// Names are skin/rgb/gate_<followed or lost>/<height of the head>px/640x480.
#include <triptych/core/device.hpp>
#include <triptych/core/image_view.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "skin_tracker/setup/frames.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using skin_tracker::Frame;
using skin_tracker::HeadStatus;
using skin_tracker::TrackedHead;
using skin_tracker::Tracker;

constexpr int width = 640, height = 480, frame_count = 12;

// A head that moves over a ground of many colours, and frames without it in which every seventh pixel has its
// colour.
class Video {
 public:
  explicit Video(int head_px) : head_px_(head_px) {
    for (int k = 0; k < 2 * frame_count; ++k) frames_.push_back(paint(k));
  }
  Frame followed(int k) const { return view(k % frame_count); }
  Frame lost(int k) const { return view(frame_count + k % frame_count); }
  Box face(int k) const {
    const double turn = 2 * 3.14159265358979 * (k % frame_count) / frame_count;
    return {260 + 0.3 * head_px_ * std::cos(turn), 180 + 0.3 * head_px_ * std::sin(turn), 0.75 * head_px_,
            1.0 * head_px_};
  }

 private:
  Frame view(int k) const {
    return {ImageView<const Rgb8>(frames_[static_cast<std::size_t>(k)].data(), width, height)};
  }

  std::vector<Rgb8> paint(int k) const {
    PhiloxStream random(7, static_cast<std::uint64_t>(k));
    const auto noisy = [&](int value) {
      return static_cast<std::uint8_t>(std::clamp(value + static_cast<int>(random.next() % 13) - 6, 0, 255));
    };
    const Box box = face(k);
    std::vector<Rgb8> pixels;
    pixels.reserve(std::size_t{width} * height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double u = 2 * (x - box.x) / box.width - 1, v = 2 * (y - box.y) / box.height - 1;
        const bool skin = k < frame_count ? u * u + v * v <= 1 : random.next() % 7 == 0;
        pixels.push_back({noisy(skin ? 205 : x / 5), noisy(skin ? 150 : y / 3), noisy(skin ? 125 : 100)});
      }
    }
    return pixels;
  }

  int head_px_;
  std::vector<std::vector<Rgb8>> frames_;
};

void check(bool is_right, const char* what) {
  if (!is_right) throw std::runtime_error(what);
}

Timing time_followed(Tracker& tracker, const Video& video, int trials) {
  tracker.reset();
  for (int k = 0; k < frame_count; ++k)
    check(tracker.step(video.followed(k)).found(), "the head is not followed");
  return time_trials(trials, [&](int k) { benchmark::DoNotOptimize(tracker.step(video.followed(k))); });
}

Timing time_lost(Tracker& tracker, const Video& video, int trials) {
  tracker.reset();
  tracker.step(video.followed(0));
  for (int k = 0; k < frame_count; ++k)
    check(tracker.step(video.lost(k)).status == HeadStatus::lost_by_gate, "a head is found where none is");
  return time_trials(trials, [&](int k) { benchmark::DoNotOptimize(tracker.step(video.lost(k))); });
}

void add_gate(int head_px, bool quick) {
  const auto measure = [=](bool lost) {
    const Video video(head_px);
    Tracker tracker = Tracker::from_box(video.followed(0), video.face(0), {}, Device::cpu(1));
    const int trials = quick ? 50 : 300;
    const Timing followed = time_followed(tracker, video, trials);
    if (!lost) return Measurement{followed, 0, 0};
    const Timing searched = time_lost(tracker, video, trials);
    if (searched.us > 2 * followed.us)
      throw std::runtime_error("a lost frame takes " + std::to_string(searched.us / followed.us) +
                               " times as long as a followed one, not at most 2");
    return Measurement{searched, 0, 0};
  };
  const std::string place = std::to_string(head_px) + "px/640x480";
  add("skin/rgb/gate_followed/" + place, [=] { return measure(false); });
  add("skin/rgb/gate_lost/" + place, [=] { return measure(true); });
}

}  // namespace

void define_gate(bool quick) {
  for (const int head_px : {32, 64, 128, 240}) add_gate(head_px, quick);
}

}  // namespace triptych::bench
