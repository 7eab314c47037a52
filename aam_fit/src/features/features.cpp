#include <triptych/aam_fit/features.hpp>
#include <triptych/core/error.hpp>

#include <array>
#include <string_view>

#include "features/features_math.hpp"

namespace triptych::aam_fit {

namespace {
constexpr std::array<std::string_view, 4> kind_names = {"grey", "gradient", "double_angle", "orientation"};
}

void check_features(const Features& features) {
  to_string(features.kind);
  const auto width_fits = [](float px) { return px >= 0 && px <= 100; };
  require(width_fits(features.smooth_px) && width_fits(features.local_px) && width_fits(features.pool_px),
          "the widths of features lie between 0 and 100 pixels; these are ", features.smooth_px, ", ",
          features.local_px, " and ", features.pool_px);
  require(features.bins >= 2 && features.bins <= max_bins, "features have 2 to ", max_bins, " bins, not ",
          features.bins);
}

int channels(const Features& features) {
  switch (features.kind) {
    case FeatureKind::gradient:
      return 2;
    case FeatureKind::double_angle:
      return 4;
    case FeatureKind::orientation:
      return features.bins;
    default:
      return 1;
  }
}

std::string to_string(FeatureKind kind) {
  const auto i = static_cast<std::size_t>(kind);
  require(i < kind_names.size(), "there is no kind of features number ", static_cast<int>(kind));
  return std::string(kind_names[i]);
}

FeatureKind parse_feature_kind(const std::string& name) {
  for (std::size_t i = 0; i < kind_names.size(); ++i)
    if (kind_names[i] == name) return static_cast<FeatureKind>(i);
  throw InvalidArgument("'" + name +
                        "' is no kind of features; there are grey, gradient, double_angle and orientation");
}

}  // namespace triptych::aam_fit
