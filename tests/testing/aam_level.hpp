// A made-up level of 68 landmarks on a grid of triangles, and a smooth textured image. The same numbers for
// the same arguments.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/planes.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace triptych::test::detail {

constexpr int aam_columns = 17, aam_rows = 4, aam_points = aam_columns * aam_rows;

inline double uniform(PhiloxStream& random, double low, double high) {
  return low + (high - low) * double{random.next_uniform()};
}

// Waves of random directions around 120, none shorter than a twelfth of the face.
inline aam_fit::Planes aam_image(int width, int height, int channels, double face, std::uint64_t seed) {
  aam_fit::Planes planes(width, height, channels);
  constexpr int waves = 10;
  parallel_for(0, std::int64_t{channels} * height, 0, [&](std::int64_t row) {
    const auto channel = static_cast<int>(row / height);
    PhiloxStream random(seed, 100 + static_cast<std::uint64_t>(channel));
    double kx[waves], phase[waves];
    for (int i = 0; i < waves; ++i) {
      const double angle = uniform(random, 0, 2 * std::numbers::pi);
      const double k = uniform(random, 1, 12) * 2 * std::numbers::pi / face;
      kx[i] = k * std::cos(angle);
      phase[i] =
          uniform(random, 0, 2 * std::numbers::pi) + k * std::sin(angle) * static_cast<double>(row % height);
    }
    const auto out = planes.plane(channel).row(row % height);
    for (int x = 0; x < width; ++x) {
      double v = 120;
      for (int i = 0; i < waves; ++i) v += 12 * std::cos(kx[i] * x + phase[i]);
      out[static_cast<std::size_t>(x)] = static_cast<float>(v);
    }
  });
  return planes;
}

inline aam_fit::ReferenceFrame aam_frame(std::int64_t pixels, int width, int height) {
  std::vector<std::int32_t> places;
  std::vector<aam_fit::WarpPixel> warp;
  places.reserve(static_cast<std::size_t>(pixels));
  warp.reserve(static_cast<std::size_t>(pixels));
  for (std::int32_t i = 0; i < pixels; ++i) {
    const std::int32_t line = i / width;
    const double x = i - line * width, y = line;
    const double u = width > 1 ? x / (width - 1) * (aam_columns - 1) : 0;
    const double v = height > 1 ? y / (height - 1) * (aam_rows - 1) : 0;
    const int column = std::min(static_cast<int>(u), aam_columns - 2);
    const int row = std::min(static_cast<int>(v), aam_rows - 2);
    const double p = u - column, q = v - row;
    const auto corner = [&](int dx, int dy) {
      return static_cast<std::uint16_t>((row + dy) * aam_columns + column + dx);
    };
    // Above the diagonal (0,0), (1,0), (1,1), below it (0,0), (1,1), (0,1).
    if (p >= q)
      warp.push_back(
          {{corner(1, 0), corner(1, 1), corner(0, 0)}, 0, static_cast<float>(p - q), static_cast<float>(q)});
    else
      warp.push_back(
          {{corner(1, 1), corner(0, 1), corner(0, 0)}, 0, static_cast<float>(p), static_cast<float>(q - p)});
    places.push_back(i);
  }
  return {width, height, std::move(places), std::move(warp), 1.0};
}

// A level that has no texture yet: no g0, no R.
inline aam_fit::Level aam_level(std::int64_t pixels, int modes, int channels, std::uint64_t seed) {
  aam_fit::Level level;
  const std::int64_t n = pixels * channels;
  const auto m = static_cast<std::size_t>(modes);
  const auto width = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(pixels))));
  const auto height = static_cast<int>((pixels + width - 1) / width);
  const double face = std::sqrt(static_cast<double>(std::max(width - 1, 1)) * std::max(height - 1, 1));
  level.points = aam_points;
  level.modes = modes;
  level.face_size_px = face;
  level.frame = aam_frame(pixels, width, height);
  level.sample_offset = 118;

  std::vector<float> s0;
  s0.reserve(2 * aam_points);
  for (int row = 0; row < aam_rows; ++row)
    for (int column = 0; column < aam_columns; ++column) {
      s0.push_back((static_cast<float>(column) / (aam_columns - 1) - 0.5f) * static_cast<float>(width - 1));
      s0.push_back((static_cast<float>(row) / (aam_rows - 1) - 0.5f) * static_cast<float>(height - 1));
    }
  level.s0 = std::move(s0);

  // A sigma of the first mode moves landmarks by about 1 % of the face; later modes have smaller ones. Half
  // of a mode's length is in the shape, half in the texture.
  std::vector<float> Qs(2 * aam_points * m), Ks(Qs.size()), sigma(m), Qg(m * static_cast<std::size_t>(n));
  const double per_sigma = 0.1;
  PhiloxStream random(seed, 1);
  for (float& v : Qs) v = static_cast<float>(0.01 * face / per_sigma) * random.next_normal_pair().first;
  const double weight = std::sqrt(0.5) / (0.01 * face / per_sigma * std::sqrt(2.0 * aam_points));
  for (std::size_t k = 0; k < m; ++k) {
    sigma[k] = static_cast<float>(per_sigma / std::sqrt(1 + static_cast<double>(k)));
    for (std::size_t i = 0; i < 2 * aam_points; ++i)
      Ks[k * 2 * aam_points + i] = static_cast<float>(weight * weight) * Qs[i * m + k];
  }
  parallel_for(0, modes, 0, [&](std::int64_t k) {
    PhiloxStream own(seed, 10000 + static_cast<std::uint64_t>(k));
    const auto size = static_cast<float>(std::sqrt(0.5 / static_cast<double>(n)));
    for (std::int64_t i = 0; i < n; i += 2) {
      const NormalPair pair = own.next_normal_pair();
      Qg[static_cast<std::size_t>(k * n + i)] = size * pair.first;
      if (i + 1 < n) Qg[static_cast<std::size_t>(k * n + i + 1)] = size * pair.second;
    }
  });
  level.Qs = std::move(Qs);
  level.Ks = std::move(Ks);
  level.Qg = std::move(Qg);
  level.sigma = std::move(sigma);
  return level;
}

}  // namespace triptych::test::detail
