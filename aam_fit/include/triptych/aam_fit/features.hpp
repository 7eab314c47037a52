// What a texture is made of: grey values as they are, or channels derived from gradients, which light changes
// less.
#pragma once

#include <triptych/aam_fit/planes.hpp>

#include <string>

namespace triptych::aam_fit {

// grey: one channel. gradient: gx and gy over (|g| + its mean over the image), two channels. orientation: the
// gradient's size, shared out to `bins` directions, each plane smoothed.
enum class FeatureKind { grey, gradient, orientation };

struct Features {
  FeatureKind kind = FeatureKind::grey;
  float smooth_px = 0;  // Gaussian on the grey image before anything else
  int bins = 4;         // orientation only
  float pool_px = 1;    // orientation only: Gaussian on each plane afterwards
  friend bool operator==(const Features&, const Features&) = default;
};

int channels(const Features& features);
std::string to_string(FeatureKind kind);
FeatureKind parse_feature_kind(const std::string& name);  // InvalidArgument with the names there are

// planes must have the image's size and channels(features) channels. Borders are clamped. threads 0: all
// cores.
void features_cpu(ImageView<const float> grey, const Features& features, Planes& planes, int threads = 0);

}  // namespace triptych::aam_fit
