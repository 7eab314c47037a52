// features_cpu with its scratch kept from call to call.
#pragma once

#include <triptych/aam_fit/features.hpp>

#include <vector>

#include "features/gaussian_blur.hpp"

namespace triptych::aam_fit {

struct FeatureScratch {
  std::vector<float> grey, local_mean;
  BlurScratch blur;
};

void features_cpu(ImageView<const float> grey, const Features& features, Planes& planes,
                  FeatureScratch& scratch, int threads);

}  // namespace triptych::aam_fit
