// What a texture is made of: grey values as they are, or channels derived from gradients, which light changes
// less.
#pragma once

#include <triptych/aam_fit/planes.hpp>

#include <string>

namespace triptych::aam_fit {

// grey: one channel. The others are made of n = g / (|g| + m + 0.5), g the gradient and m the mean size of
// gradients around (local_px), so that light changes them little. gradient: n, two channels. double_angle: n
// and the vector of n's size at twice its angle, four channels: edges of either sign agree in the latter.
// orientation: how far n points into each of `bins` directions (0 when away), bins channels.
enum class FeatureKind { grey, gradient, double_angle, orientation };

struct Features {
  FeatureKind kind = FeatureKind::grey;
  float smooth_px = 0;  // Gaussian on the grey image before anything else
  float local_px = 0;   // Gaussian by which m is taken; 0: over the whole image. Not for grey
  float pool_px = 0;    // Gaussian on each plane afterwards. Not for grey
  int bins = 4;         // orientation only
  friend bool operator==(const Features&, const Features&) = default;
};

// InvalidArgument when the kind is none of those, a width is negative, not finite or above 100, or there are
// not 2 to 16 bins.
void check_features(const Features& features);
int channels(const Features& features);
std::string to_string(FeatureKind kind);
FeatureKind parse_feature_kind(const std::string& name);  // InvalidArgument with the names there are

// planes must have the image's size and channels(features) channels. Borders are clamped. threads 0: all
// cores.
void features_cpu(ImageView<const float> grey, const Features& features, Planes& planes, int threads = 0);

}  // namespace triptych::aam_fit
