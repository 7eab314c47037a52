// A valid model of three landmarks and twelve pixels: about three kilobytes as a file. Tests change it.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace triptych::test {

// n numbers between -scale and scale, the same ones for the same arguments.
inline std::vector<float> some_numbers(std::int64_t n, float scale, std::uint32_t seed) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& v : values) {
    seed = seed * 1664525u + 1013904223u;
    v = scale * (static_cast<float>(seed >> 8) * 0x1p-23f - 1);
  }
  return values;
}

// Landmarks at (-4, -4), (4, -4), (0, 4), times size_px / 8.
inline aam_fit::Level tiny_level(const aam_fit::Features& features = {}, int modes = 1, double size_px = 8,
                                 bool with_update = true) {
  aam_fit::Level level;
  level.features = features;
  level.normalisation = aam_fit::Normalisation::floored;
  level.face_size_px = size_px;
  level.points = 3;
  level.modes = modes;
  std::vector<std::int32_t> places;
  std::vector<aam_fit::WarpPixel> pixels;
  for (std::int32_t i = 0; i < 12; ++i) {
    places.push_back(i);
    const int whole_rows = i / 4;
    const auto column = static_cast<float>(i % 4), row = static_cast<float>(whole_rows);
    pixels.push_back({{0, 1, 2}, 0, 0.6f - 0.15f * column, 0.1f + 0.15f * column - 0.1f * row});
  }
  level.frame = {4, 3, std::move(places), std::move(pixels), 4 / size_px};
  const auto half = static_cast<float>(size_px / 2);
  level.s0 = std::vector<float>{-half, -half, half, -half, 0, half};
  const std::int64_t n = level.pixels() * aam_fit::channels(features);
  level.g0 = some_numbers(n, 0.5f, 1);
  level.Qs = some_numbers(std::int64_t{6} * modes, 0.5f, 2);
  level.Ks = some_numbers(std::int64_t{6} * modes, 0.1f, 3);
  level.Qg = some_numbers(n * modes, 0.1f, 4);
  if (with_update) level.R = some_numbers(n * (modes + 4), 0.01f, 5);
  level.sigma = std::vector<float>(static_cast<std::size_t>(modes), 1.0f);
  level.shape_modes = level.texture_modes = with_update ? 1 : 0;
  level.Ps = some_numbers(6 * level.shape_modes, 0.4f, 6);
  level.Pg = some_numbers(n * level.texture_modes, 0.2f, 7);
  level.ps_sigma = std::vector<float>(static_cast<std::size_t>(level.shape_modes), 0.5f);
  level.iterations = 3;
  return level;
}

inline aam_fit::Model tiny_model() {
  aam_fit::Model model;
  model.name = "tiny";
  model.points = 3;
  model.images = 2;
  model.mean = {{-0.5, -0.5}, {0.5, -0.5}, {0, 0.5}};
  model.triangles = {{0, 1, 2}};
  model.levels = {tiny_level(), tiny_level({.kind = aam_fit::FeatureKind::gradient}, 2, 16)};
  model.appearance = tiny_level({}, 1, 8, false);
  return model;
}

}  // namespace triptych::test
