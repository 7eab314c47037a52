// A frame to paint skin on, and trackers for it.
#pragma once

#include <triptych/core/box.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace triptych::skin_tracker::test_canvas {

inline constexpr LinearFilter skin_filter{0.03, 0, -0.03, -0.7};

// A grey frame with skin-coloured rectangles.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    clear();
  }
  void clear() { std::fill(pixels_.begin(), pixels_.end(), Rgb8{90, 95, 100}); }
  void skin(const PixelBox& where) {
    const PixelBox r = clip(where, width_, height_);
    for (int y = r.y; y < r.y + r.height; ++y)
      for (int x = r.x; x < r.x + r.width; ++x)
        pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                static_cast<std::size_t>(x)] = {220, 170, 140};
  }
  Frame frame() const { return {ImageView<const Rgb8>(pixels_.data(), width_, height_)}; }

 private:
  int width_, height_;
  std::vector<Rgb8> pixels_;
};

// Of trackers without a start box: a rectangle is no face.
inline constexpr double any_confidence = 1e-6;
inline TrackerOptions finds_rectangles(TrackerOptions options = {}) {
  options.min_confidence = any_confidence;
  return options;
}

inline Tracker tracker_of(const TrackerOptions& options = {}) {
  return Tracker(skin_filter, options, Device::cpu());
}

inline SyntheticOptions small_scene(bool distractor) {
  SyntheticOptions options;
  options.width = 320;
  options.height = 180;
  options.distractor = distractor;
  return options;
}

}  // namespace triptych::skin_tracker::test_canvas
