// Pictures of a model's grey appearance.
#include <triptych/aam_fit/appearance.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "model/check_level.hpp"
#include "train/level_model.hpp"
#include "train/texture.hpp"

namespace triptych::aam_fit {
namespace {

const Level& appearance(const Model& model) {
  require(has_appearance(model), "this model was trained without an appearance to show");
  check_appearance(model);
  return model.appearance;
}

}  // namespace

bool has_appearance(const Model& model) { return model.appearance.points > 0; }

std::vector<float> appearance_of(const Model& model, ImageView<const Grey8> frame,
                                 std::span<const Point> landmarks) {
  const Level& level = appearance(model);
  require(static_cast<std::int64_t>(landmarks.size()) == level.points, "a model of ", level.points,
          " landmarks cannot describe a face of ", landmarks.size());
  require(!frame.empty(), "an empty frame shows no face");
  const Crop crop = crop_for(level, landmarks);
  const Shape shape = to_crop(crop, landmarks);
  FaceSampler sampler(level);
  sampler.prepare(frame, crop);
  std::vector<float> texture(static_cast<std::size_t>(level.samples()));
  sampler.sample(shape, texture);
  normalise(texture, level.g0.span(), level.normalisation);
  const Eigen::VectorXf c = shape_parameters(level, shape).c;
  std::vector<float> parameters(c.begin(), c.end());
  for (int k = 0; k < level.modes; ++k) {
    double sum = 0;
    for (std::int64_t i = 0; i < level.samples(); ++i)
      sum += double{level.Qg[k * level.samples() + i]} *
             (double{texture[static_cast<std::size_t>(i)]} - double{level.g0[i]});
    parameters[static_cast<std::size_t>(k)] += static_cast<float>(sum);
  }
  return parameters;
}

Image<Grey8> appearance_picture(const Model& model, std::span<const float> c) {
  const Level& level = appearance(model);
  require(static_cast<std::int64_t>(c.size()) == level.modes, "an appearance of ", level.modes,
          " parameters cannot be shown at ", c.size());
  require(std::all_of(c.begin(), c.end(), [](float v) { return std::isfinite(v); }),
          "an appearance cannot be shown at parameters c that are not finite");
  const std::int64_t n = level.samples();
  std::vector<float> texture(level.g0.begin(), level.g0.end());
  for (int k = 0; k < level.modes; ++k)
    for (std::int64_t i = 0; i < n; ++i)
      texture[static_cast<std::size_t>(i)] += c[static_cast<std::size_t>(k)] * level.Qg[k * n + i];

  // g0 has zero mean and unit norm: its standard deviation is 1 / sqrt(n), which gets this much grey.
  constexpr float middle = 118, contrast = 52;
  const float scale = contrast * std::sqrt(static_cast<float>(n));
  Image<Grey8> image(level.frame.width, level.frame.height);
  for (std::int64_t i = 0; i < level.pixels(); ++i) {
    const float grey = middle + scale * texture[static_cast<std::size_t>(i)];
    image.pixels[static_cast<std::size_t>(level.frame.raster_indices[i])] = {
        static_cast<std::uint8_t>(grey > 0 ? std::lround(std::min(grey, 255.0f)) : 0)};  // NaN: 0
  }
  return image;
}

}  // namespace triptych::aam_fit
