#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <vector>

#include "features/gaussian_blur.hpp"
#include "synthetic/face_maps.hpp"

namespace triptych::aam_fit {

namespace {

// A grey value, 0..1, for each place of the picture, whose longer side is -1..1; below 0 where there is none.
using Layer = std::function<double(double x, double y)>;

class SceneMaker {
 public:
  SceneMaker(std::uint64_t seed, std::int64_t number) : random_(seed, static_cast<std::uint64_t>(number)) {}

  Image<Grey8> make(int width, int height) {
    const int count = 2 + whole(3);
    std::vector<Layer> layers;
    layers.push_back(texture());
    for (int i = 1; i < count; ++i) {
      const Layer mask = any_layer();
      layers.push_back(masked(any_layer(), mask));
    }
    if (chance(0.5)) layers.push_back(clutter());
    Image<float> picture(width, height);
    const int side = std::max(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double u = 2.0 * x / side - 1, v = 2.0 * y / side - 1;
        double value = 0;
        for (const Layer& layer : layers) {
          const double above = layer(u, v);
          if (above >= 0) value = above;
        }
        picture.view().at(x, y) = static_cast<float>(value);
      }
    }
    return develop(picture);
  }

 private:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_.next_uniform());
  }
  double between_logs(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
  bool chance(double share) { return between(0, 1) < share; }
  int whole(int below) { return std::min(below - 1, static_cast<int>(between(0, below))); }

  // Turned, stretched and shifted at random.
  struct Placing {
    double xx, xy, yx, yy, x, y;
    double u(double px, double py) const { return xx * px + xy * py + x; }
    double v(double px, double py) const { return yx * px + yy * py + y; }
  };
  Placing placing(double scale, double max_stretch) {
    const double angle = between(0, 2 * std::numbers::pi), stretch = between_logs(1, max_stretch);
    const double c = std::cos(angle), s = std::sin(angle);
    return {scale * c, scale * s, -scale * s / stretch, scale * c / stretch, between(-9, 9), between(-9, 9)};
  }

  // Noise of several octaves: clouds, stone, grass, wood, cloth.
  Layer texture() {
    const Placing p = placing(between_logs(1, 12), 8);
    const double roughness = between(0.3, 0.9), level = between(0.1, 0.9), contrast = between(0.05, 0.5);
    const auto noise = static_cast<std::uint32_t>(random_.next());
    return [=](double x, double y) {
      double value = 0, share = 1;
      double u = p.u(x, y), v = p.v(x, y);
      for (std::uint32_t octave = 0; octave < 4; ++octave) {
        value += share * face::smooth_noise(u, v, noise + octave);
        share *= roughness;
        u *= 2;
        v *= 2;
      }
      return std::clamp(level + contrast * value, 0.0, 1.0);
    };
  }

  // Stripes, straight or bent.
  Layer stripes() {
    const Placing p = placing(between_logs(3, 40), 1);
    const double bend = chance(0.5) ? between(0, 4) : 0, sharp = between_logs(0.3, 8);
    const double low = between(0, 1), high = between(0, 1);
    const auto noise = static_cast<std::uint32_t>(random_.next());
    return [=](double x, double y) {
      const double wave = std::sin(p.u(x, y) + bend * face::smooth_noise(1.5 * x + 4, 1.5 * y + 4, noise));
      return low + (high - low) * (0.5 + 0.5 * std::tanh(sharp * wave));
    };
  }

  // A grid of shapes in cells: dots, rings, tiles, bricks, a chessboard, windows, letters.
  Layer grid() {
    const Placing p = placing(between_logs(2, 14), 1.6);
    enum class Cell { dot, ring, tile, chessboard, strokes };
    const auto cell = static_cast<Cell>(whole(5));
    const double radius = between(0.15, 0.48), jitter = chance(0.5) ? between(0, 0.4) : 0;
    const double offset = chance(0.4) ? 0.5 : 0, edge = between(0.02, 0.2);
    const double low = between(0, 1), high = between(0, 1), spread = chance(0.5) ? between(0, 0.4) : 0;
    const auto noise = static_cast<std::uint32_t>(random_.next());
    return [=](double x, double y) {
      const double row = std::floor(p.v(x, y)), along = p.u(x, y) + (std::fmod(row, 2) != 0 ? offset : 0);
      const double column = std::floor(along);
      const auto of_cell = [&](std::uint32_t what) { return face::smooth_noise(column, row, noise + what); };
      const double u = along - column - 0.5 + jitter * 0.5 * of_cell(1),
                   v = p.v(x, y) - row - 0.5 + jitter * 0.5 * of_cell(2);
      double inside = 0;  // above 0: in the shape
      if (cell == Cell::dot) inside = radius - std::hypot(u, v);
      if (cell == Cell::ring) inside = 0.3 * radius - std::abs(std::hypot(u, v) - 0.8 * radius);
      if (cell == Cell::tile) inside = radius - std::max(std::abs(u), std::abs(v));
      if (cell == Cell::chessboard) inside = std::fmod(std::abs(row + column), 2) < 1 ? 0.5 : -0.5;
      if (cell == Cell::strokes) {  // as of letters
        const double stroke = 0.09;
        inside = -1;
        if (of_cell(3) > 0) inside = std::max(inside, stroke - std::abs(u + 0.2));
        if (of_cell(4) > 0) inside = std::max(inside, stroke - std::abs(u - 0.2));
        if (of_cell(5) > 0) inside = std::max(inside, stroke - std::abs(v));
        if (of_cell(6) > 0) inside = std::max(inside, stroke - std::abs(v - 0.25));
        inside = std::min(inside, 0.38 - std::max(std::abs(u), std::abs(v)));
      }
      const double share = std::clamp(0.5 + inside / edge, 0.0, 1.0);
      return low + share * (std::clamp(high + spread * of_cell(7), 0.0, 1.0) - low);
    };
  }

  // Rings and spokes around a middle: wheels, flowers, coins, eyes of animals.
  Layer wheel() {
    const double cx = between(-0.8, 0.8), cy = between(-0.8, 0.8), size = between_logs(0.15, 1);
    const double flat = between(0.6, 1), rings = between(2, 14), phase = between(0, 6);
    const int spokes = chance(0.6) ? 2 + whole(14) : 0;
    const double ring_share = between(0, 0.5), spoke_share = between(0, 0.5), level = between(0.2, 0.8);
    const double hub = between(0.1, 0.5), hub_level = between(0, 1);
    return [=](double x, double y) {
      const double u = (x - cx) / size, v = (y - cy) / (size * flat), r = std::hypot(u, v);
      if (r > 1) return -1.0;
      if (r < hub) return hub_level;
      const double ring = std::sin(rings * r + phase);
      const double spoke = spokes > 0 ? std::cos(spokes * std::atan2(v, u) + phase) : 0;
      return std::clamp(level + ring_share * ring + spoke_share * spoke, 0.0, 1.0);
    };
  }

  // Ellipses and boxes over one another, each shaded.
  Layer clutter() {
    struct Thing {
      double x, y, half_width, half_height, c, s, level, slope;
      bool round;
    };
    std::vector<Thing> things;
    const int count = 3 + whole(40);
    const double largest = between_logs(0.1, 0.7);
    for (int i = 0; i < count; ++i) {
      const double angle = between(-1.6, 1.6);
      things.push_back({between(-1.1, 1.1), between(-1.1, 1.1), largest * between(0.1, 1),
                        largest * between(0.1, 1), std::cos(angle), std::sin(angle), between(0, 1),
                        between(-0.4, 0.4), chance(0.5)});
    }
    return [things = std::move(things)](double x, double y) {
      double value = -1;
      for (const Thing& t : things) {
        const double u = (t.c * (x - t.x) + t.s * (y - t.y)) / t.half_width,
                     v = (t.c * (y - t.y) - t.s * (x - t.x)) / t.half_height;
        if ((t.round ? u * u + v * v : std::max(u * u, v * v)) < 1)
          value = std::clamp(t.level + t.slope * v, 0.0, 1.0);
      }
      return value;
    };
  }

  Layer any_layer() {
    switch (whole(5)) {
      case 0:
        return texture();
      case 1:
        return stripes();
      case 2:
        return grid();
      case 3:
        return wheel();
      default:
        return clutter();
    }
  }

  // The first layer where the second is bright, or everywhere.
  Layer masked(Layer layer, const Layer& mask) {
    if (chance(0.4)) return layer;
    const double threshold = between(0.3, 0.7);
    return [=](double x, double y) { return mask(x, y) > threshold ? layer(x, y) : -1.0; };
  }

  Image<Grey8> develop(Image<float>& picture) {
    if (chance(0.7)) {
      BlurScratch scratch;
      gaussian_blur(picture.view(), static_cast<float>(between_logs(0.4, 4)), scratch, 1);
    }
    const double contrast = between_logs(30, 250), level = between(0.5 * contrast, 255 - 0.5 * contrast);
    const double noise = chance(0.5) ? between(0, 8) : 0;
    Image<Grey8> out(picture.width, picture.height);
    for (std::size_t i = 0; i < out.pixels.size(); ++i) {
      const double value = level + contrast * (static_cast<double>(picture.pixels[i]) - 0.5) +
                           noise * static_cast<double>(random_.next_normal_pair().first);
      out.pixels[i] = Grey8{static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0) + 0.5)};
    }
    return out;
  }

  PhiloxStream random_;
};

}  // namespace

Image<Grey8> background_scene(std::uint64_t seed, std::int64_t number, int width, int height) {
  constexpr int max_side = 8192;
  require(width >= 1 && width <= max_side && height >= 1 && height <= max_side, "a scene of ", width, " x ",
          height, " pixels (width, height) cannot be made: sides are 1 to ", max_side);
  return SceneMaker(seed, number).make(width, height);
}

}  // namespace triptych::aam_fit
