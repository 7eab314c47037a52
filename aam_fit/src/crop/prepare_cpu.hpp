// prepare_cpu with its scratch kept from call to call, and the checks both twins share.
#pragma once

#include <triptych/aam_fit/prepare.hpp>

#include <vector>

#include "features/features_cpu.hpp"

namespace triptych::aam_fit {

struct PrepareScratch {
  std::vector<float> rows, grey, weights;
  std::vector<int> columns;
  FeatureScratch features;
};

// InvalidArgument when the frame is empty, or the crop is, or its place is not finite or absurdly far away.
void check_crop(std::int64_t frame_width, std::int64_t frame_height, const Crop& crop);

void prepare_cpu(ImageView<const Grey8> frame, const Crop& crop, const Features& features, Planes& planes,
                 PrepareScratch& scratch, int threads);

}  // namespace triptych::aam_fit
