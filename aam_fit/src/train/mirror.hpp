// Mirror images of faces, and where annotators place landmarks in them.
#pragma once

#include <triptych/aam_fit/example.hpp>
#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/shape.hpp>

#include <span>
#include <vector>

#include "train/execution.hpp"

namespace triptych::aam_fit {

struct Mirror {
  std::vector<int> points;  // the landmark that each becomes; empty: no mirror images
  // How far the landmarks lie to the right of what they mark: 1 where pixels were counted from 1. In a mirror
  // they would lie to the left of it.
  double landmark_offset_px = 0;
};

Image<Grey8> mirror_image(const Image<Grey8>& image);

// The landmarks in the mirror image, as far to the right of what they mark as in the image.
Shape mirror_shape(std::span<const Point> shape, const Mirror& mirror, double width);

// Mirror::landmark_offset_px, by laying the mean texture of the faces over that of their mirror images.
// level: where textures are sampled. 0 when it does not differ from 0 by three standard errors, or lies
// outside of what is searched, max_landmark_offset_px.
constexpr double max_landmark_offset_px = 4;
double offset_from_textures_px(const Level& level, const std::vector<Example>& examples,
                               std::span<const int> mirror_points, const Execution& run);

}  // namespace triptych::aam_fit
