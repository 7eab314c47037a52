// What surrounds a varied face, and what a camera and a file make of the picture.
#pragma once

#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/image_view.hpp>

#include <vector>

namespace triptych::aam_fit::face {

// Gradients, blurred blobs, and rectangles, discs and stripes with sharp edges, as many as the clutter says.
class Background {
 public:
  Background(const FaceDetail& detail, std::uint64_t seed);
  double at(double x, double y) const;  // of the image, -1..1 each

 private:
  struct Thing {
    double x, y, half_width, half_height, cos, sin, level, stripes;
    bool round;
  };
  double level_, slope_x_, slope_y_, blobs_;
  std::uint32_t noise_;
  std::vector<Thing> things_;
};

// Intensities 0..1 become grey values: blur, gamma, contrast, noise, quantisation.
Image<Grey8> develop(const FaceParameters& face, Image<float> picture);

}  // namespace triptych::aam_fit::face
