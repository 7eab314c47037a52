// prepare_cpu with its scratch kept from call to call, and the checks both twins share.
#pragma once

#include <triptych/aam_fit/prepare.hpp>

#include <span>
#include <vector>

#include "features/features_cpu.hpp"

namespace triptych::aam_fit {

struct PrepareScratch {
  std::vector<float> rows, grey, weights;
  std::vector<int> columns;
  FeatureScratch features;
};

// Margins of crops at the first resolution of a model and at the others, in face sizes: a start may be far
// off, the result of a coarser resolution is not.
constexpr double first_crop_margin = 0.5, later_crop_margin = 0.2;

Shape mean_shape(const Level& level);  // s0
// Point by point, of at least one shape, all of as many points: where a crop that several shapes share lies.
Shape mean_of_shapes(std::span<const Shape* const> shapes);
// crop_for without its check of the step: a start that is a point or not finite gives a crop that is not
// within reach (prepare_math.hpp).
Crop crop_around(const Level& level, std::span<const Point> start, double margin);
// InvalidArgument when the frame or the crop is empty, or the crop is too large or not within reach.
void check_crop(std::int64_t frame_width, std::int64_t frame_height, const Crop& crop);

void prepare_cpu(ImageView<const Grey8> frame, const Crop& crop, const Features& features, Planes& planes,
                 PrepareScratch& scratch, int threads);

}  // namespace triptych::aam_fit
