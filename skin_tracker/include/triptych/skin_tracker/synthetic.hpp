// A synthetic scene with exact ground truth: a textured room, a shaded elliptic face that moves, tilts and
// changes its distance, pixel noise, and on request a hand in skin colour as a distractor.
#pragma once

#include <triptych/core/image_view.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/skin_tracker/calibrate.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace triptych::skin_tracker {

struct SyntheticOptions {
  int width = 1280, height = 720;
  int frames = 150;
  bool distractor = false;
  double noise = 2.0;  // standard deviation of the pixel noise, in grey levels
  std::uint64_t seed = 1;
};

struct SyntheticTruth {
  double x_px, y_px;                    // the face's middle
  double semi_major_px, semi_minor_px;  // its ellipse
  double angle_rad;                     // of the major axis, from x towards y
  Box box;                              // upright box around the ellipse
};

class SyntheticScene {
 public:
  // Renders the room, which is the same in all frames. InvalidArgument for sizes below 64 x 64 or above
  // max_width x max_height, no frames, or noise outside 0 .. 64.
  explicit SyntheticScene(const SyntheticOptions& options = {});
  const SyntheticOptions& options() const { return options_; }
  // InvalidArgument unless frame is 0 .. frames - 1, as for render.
  SyntheticTruth truth(int frame) const;
  // Renders frame 0 .. frames - 1; the same pixels for the same options. InvalidArgument when out is of
  // another size.
  void render(int frame, ImageView<Rgb8> out, int threads = 0) const;

 private:
  SyntheticOptions options_;
  std::shared_ptr<const std::vector<Rgb8>> room_;
};

}  // namespace triptych::skin_tracker
