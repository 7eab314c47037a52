// Images warped so that their landmarks come to lie elsewhere: more faces to learn from.
#pragma once

#include <triptych/aam_fit/example.hpp>

#include <span>

namespace triptych::aam_fit {

// The part of an image around a face, warped by a thin-plate spline: what was at `from` comes to lie at `to`.
struct DeformedFace {
  Image<Grey8> image;
  Shape landmarks;  // `to`, in this image
};

// The shapes have the same number of points and an area. The image is cropped to 1.3 face sizes around the
// middle of `to`, as far as it has them. Landmarks that nearly coincide may miss their places by a thousandth
// of the face size.
DeformedFace deform(ImageView<const Grey8> image, std::span<const Point> from, std::span<const Point> to);

}  // namespace triptych::aam_fit
