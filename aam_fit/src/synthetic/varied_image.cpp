#include <triptych/core/philox.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "features/gaussian_blur.hpp"
#include "synthetic/face_geometry.hpp"
#include "synthetic/face_maps.hpp"
#include "synthetic/varied_image.hpp"

namespace triptych::aam_fit::face {

namespace {

constexpr int block_side = 8;
using Basis = std::array<std::array<float, block_side>, block_side>;

// Rows of the cosine transform of type 2, orthonormal.
const Basis& cosines() {
  static const Basis made = [] {
    Basis basis{};
    for (std::size_t k = 0; k < block_side; ++k) {
      for (std::size_t i = 0; i < block_side; ++i) {
        basis[k][i] = static_cast<float>(std::sqrt((k == 0 ? 1.0 : 2.0) / block_side) *
                                         std::cos(std::numbers::pi * static_cast<double>(k) *
                                                  (static_cast<double>(i) + 0.5) / block_side));
      }
    }
    return basis;
  }();
  return made;
}

// Rounds the cosine coefficients of a block; higher frequencies have larger steps.
void quantise(float* pixels, std::size_t pitch, double step) {
  const Basis& basis = cosines();
  float across[block_side][block_side], block[block_side][block_side];
  for (std::size_t y = 0; y < block_side; ++y) {
    for (std::size_t k = 0; k < block_side; ++k) {
      across[y][k] = 0;
      for (std::size_t x = 0; x < block_side; ++x) across[y][k] += basis[k][x] * pixels[y * pitch + x];
    }
  }
  for (std::size_t k = 0; k < block_side; ++k) {
    for (std::size_t l = 0; l < block_side; ++l) {
      float sum = 0;
      for (std::size_t y = 0; y < block_side; ++y) sum += basis[l][y] * across[y][k];
      const auto size = static_cast<float>(step * (1 + static_cast<double>(k + l) / 2));
      block[l][k] = size * std::round(sum / size);
    }
  }
  for (std::size_t y = 0; y < block_side; ++y) {
    for (std::size_t k = 0; k < block_side; ++k) {
      across[y][k] = 0;
      for (std::size_t l = 0; l < block_side; ++l) across[y][k] += basis[l][y] * block[l][k];
    }
    for (std::size_t x = 0; x < block_side; ++x) {
      pixels[y * pitch + x] = 0;
      for (std::size_t k = 0; k < block_side; ++k) pixels[y * pitch + x] += basis[k][x] * across[y][k];
    }
  }
}

}  // namespace

Background::Background(const FaceDetail& detail, std::uint64_t seed)
    : level_(detail.background), noise_(static_cast<std::uint32_t>(seed ^ seed >> 32)) {
  PhiloxStream random(seed, 17);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random.next_uniform());
  };
  slope_x_ = between(-0.2, 0.2);
  slope_y_ = between(-0.2, 0.2);
  blobs_ = between(0, 0.4);
  const int count = static_cast<int>(std::clamp(16 * detail.clutter, 0.0, 64.0));
  for (int i = 0; i < count; ++i) {
    const double angle = between(-1, 1) * (between(0, 1) < 0.5 ? 0.1 : 1.5);
    Thing thing{};
    thing.x = between(-1.2, 1.2);
    thing.y = between(-1.2, 1.2);
    thing.half_width = between(0.03, 0.6);
    thing.half_height = between(0.03, 0.9);
    thing.cos = std::cos(angle);
    thing.sin = std::sin(angle);
    thing.level = between(0.02, 0.95);
    thing.round = between(0, 1) < 0.35;
    thing.stripes = between(0, 1) < 0.2 ? between(8, 40) : 0;
    things_.push_back(thing);
  }
}

double Background::at(double x, double y) const {
  double value = level_ + slope_x_ * x + slope_y_ * y +
                 blobs_ * (0.5 * smooth_noise(2.2 * x + 7, 2.2 * y + 7, noise_) +
                           0.25 * smooth_noise(6 * x, 6 * y, noise_ + 1));
  constexpr double edge = 0.012;
  for (const Thing& t : things_) {
    const double u = (t.cos * (x - t.x) + t.sin * (y - t.y)) / t.half_width,
                 v = (t.cos * (y - t.y) - t.sin * (x - t.x)) / t.half_height;
    const double out = t.round ? std::sqrt(u * u + v * v) : std::max(std::abs(u), std::abs(v));
    const double width = edge / std::min(t.half_width, t.half_height);
    const double share = 1 - rise(out, 1 - width, 1 + width);
    if (share <= 0) continue;
    const double level = t.stripes > 0 ? t.level * (0.7 + 0.3 * std::sin(t.stripes * u)) : t.level;
    value += share * (level - value);
  }
  return std::clamp(value, 0.0, 1.0);
}

Image<Grey8> develop(const FaceParameters& face, Image<float> picture) {
  const FaceDetail& detail = *face.detail;
  if (detail.blur_px > 0) {
    BlurScratch scratch;
    gaussian_blur(picture.view(), static_cast<float>(detail.blur_px), scratch, 1);
  }
  const auto width = static_cast<std::size_t>(picture.width),
             height = static_cast<std::size_t>(picture.height);
  PhiloxStream random(face.seed, 23);
  for (float& value : picture.pixels) {
    // Highlights are compressed, not clipped.
    const double soft =
        value < 0.7 ? std::max(0.0, static_cast<double>(value)) : 1 - 0.3 * std::exp(-(value - 0.7) / 0.3);
    const double grey = 128 + face.contrast * (250 * std::pow(soft, detail.gamma) - 128);
    value = static_cast<float>(
        std::clamp(grey + face.noise * static_cast<double>(random.next_normal_pair().first), 0.0, 255.0));
  }
  if (detail.quantisation > 0) {
    for (std::size_t y = 0; y + block_side <= height; y += block_side)
      for (std::size_t x = 0; x + block_side <= width; x += block_side)
        quantise(&picture.pixels[y * width + x], width, detail.quantisation);
  }
  Image<Grey8> out(picture.width, picture.height);
  std::transform(picture.pixels.begin(), picture.pixels.end(), out.pixels.begin(), [](float value) {
    return Grey8{static_cast<std::uint8_t>(std::clamp(value, 0.0f, 255.0f) + 0.5f)};
  });
  return out;
}

}  // namespace triptych::aam_fit::face
