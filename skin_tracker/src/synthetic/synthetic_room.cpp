#include <triptych/core/length.hpp>
#include <triptych/core/parallel.hpp>

#include <cstddef>

#include "synthetic/synthetic_colour.hpp"
#include "synthetic/synthetic_room.hpp"

namespace triptych::skin_tracker::synthetic {

namespace {

// The room in metres, seen from the origin along z; y points down.
constexpr float half_width = 2.35f, ceiling_y = -1.45f, floor_y = 1.25f, back_z = 4.6f;
// Half the height of the visible part of the plane z = 1.
constexpr float view = 0.43f;

// Ambient shading at a distance of d metres from an edge of the room.
float corner_shade(float d) { return 1 - 0.30f * std::exp(-d / 0.28f); }

Colour sky(float x, float y) {
  const float height = smooth_step(0.25f, -0.95f, y);
  const Colour air = mix({196, 218, 240}, {104, 160, 220}, height);
  const float cloud = 0.6f * value_noise(2.2f * x, 5 * y, 11) + 0.4f * value_noise(5.1f * x + 3, 11 * y, 12);
  const Colour clouded = mix(air, {224, 236, 250}, smooth_step(0.52f, 0.75f, cloud));
  const float far_hill = 0.02f + 0.07f * std::sin(2.1f * x + 0.6f) + 0.03f * std::sin(5.3f * x);
  const float near_hill = 0.14f + 0.05f * std::sin(3.1f * x + 2.2f);
  const Colour hills = mix(clouded, {118, 152, 170}, smooth_step(far_hill - 0.012f, far_hill + 0.012f, y));
  const float grass = 0.85f + 0.3f * value_noise(22 * x, 30 * y, 13);
  return mix(hills, grass * Colour{84, 132, 104}, smooth_step(near_hill - 0.01f, near_hill + 0.01f, y));
}

// On the back wall, left. Returns whether the point belongs to the window, and sets its colour.
bool window(float x, float y, Colour& out) {
  constexpr float left = -1.78f, right = -0.42f, top = -1.0f, bottom = 0.32f, frame = 0.075f;
  const Colour white{212, 226, 240};
  if (y >= bottom + frame && y < bottom + frame + 0.06f && x > left - 0.16f && x < right + 0.16f) {
    out = mix({220, 234, 248}, {168, 184, 200}, (y - bottom - frame) / 0.06f);  // the sill
    return true;
  }
  if (x < left - frame || x > right + frame || y < top - frame || y > bottom + frame) return false;
  const float from_bar = std::min(std::abs(x - 0.5f * (left + right)), std::abs(y - (top + 0.52f)));
  const float from_edge = std::min(std::min(x - left, right - x), std::min(y - top, bottom - y));
  if (from_edge < 0 || from_bar < 0.028f) {
    const float bevel = from_edge < 0 ? 0.5f + 0.5f * std::cos(from_edge / frame * 6.28f) : 0.6f;
    out = (0.86f + 0.14f * bevel) * white;
    return true;
  }
  // The shadow of the frame on the pane.
  const float depth = std::min(x - left, y - top);
  out = (0.80f + 0.20f * smooth_step(0, 0.06f, std::min(depth, from_bar - 0.02f))) * sky(x, y);
  return true;
}

Colour book(int shelf, int index) {
  constexpr Colour colours[] = {{58, 92, 150},   {70, 128, 132},  {112, 104, 164},
                                {174, 188, 206}, {44, 66, 96},    {96, 142, 112},
                                {126, 150, 186}, {140, 146, 174}, {52, 110, 160}};
  const int pick = static_cast<int>(hash01(shelf, index, 21) * 8.999f);
  return (0.85f + 0.25f * hash01(shelf, index, 22)) * colours[pick];
}

// On the back wall, right.
bool shelf(float x, float y, Colour& out) {
  constexpr float left = 0.72f, right = 1.92f, top = -1.02f, step = 0.47f, board = 0.035f, side = 0.045f;
  constexpr int boards = 5;
  const float bottom = top + step * (boards - 1) + board;
  if (x < left - side || x > right + side || y < top - board || y > bottom) return false;
  const Colour white{190, 204, 218};
  const float below = y - top;
  const int level = static_cast<int>(std::floor(below / step));
  const float within = below - step * static_cast<float>(level);  // from the board's top edge down
  if (x < left || x > right || below < 0 || within < board) {
    out = (below < 0 || within < 0.012f ? 1.06f : 0.93f) * white;
    return true;
  }
  // Books on the next board, with random heights and colours.
  const float from_left = x - left;
  constexpr float slot = 0.085f;
  const int index = static_cast<int>(from_left / slot);
  const float inside = from_left / slot - static_cast<float>(index);
  const float height = step - board - (0.05f + 0.15f * hash01(level, index, 23));
  const bool gap = hash01(level, index, 24) < 0.13f || level >= boards - 1;
  const float up = step - within;
  if (!gap && up < height && inside > 0.05f && inside < 0.97f) {
    const float round = 0.72f + 0.36f * std::sin(3.14159f * inside);
    const bool band = std::abs(up - 0.72f * height) < 0.013f || std::abs(up - 0.22f * height) < 0.008f;
    out = round * (band ? mix(book(level, index), {208, 222, 236}, 0.65f) : book(level, index));
    return true;
  }
  const float shade = 0.50f + 0.30f * smooth_step(board, 0.25f, within);  // the shadow of the board above
  out = shade * Colour{132, 146, 160};
  return true;
}

Colour wall(float along, float y, float edge_distance, const Colour& paint) {
  if (y > floor_y - 0.13f) {  // the skirting board
    const float rounded = y > floor_y - 0.115f ? 1.0f : 0.9f;
    return rounded * corner_shade(edge_distance) * Colour{194, 208, 222};
  }
  const float stripe = std::abs(along * 4 - std::floor(along * 4) - 0.5f) * 2;
  const float plaster = 0.97f + 0.06f * value_noise(along * 26, y * 26, 31);
  const float tint = 1 + 0.05f * (smooth_step(0.42f, 0.58f, stripe) - 0.5f);
  return corner_shade(edge_distance) * plaster * tint * paint;
}

Colour back_wall(float x, float y) {
  const float edge = std::min({half_width - std::abs(x), floor_y - y, y - ceiling_y});
  Colour out;
  if (window(x, y, out) || shelf(x, y, out)) return out;
  // Soft shadows of the shelf, and light around the window.
  const float by_shelf = ellipse_distance(x - 1.45f, y + 0.02f, 0.86f, 1.12f);
  const float shadow = 1 - 0.20f * smooth_step(0.25f, -0.2f, by_shelf);
  const float light = 1 + 0.10f * smooth_step(1.6f, 0.1f, length(x + 1.1f, y + 0.35f));
  return (shadow * light) * wall(x, y, edge, {150, 168, 182});
}

Colour floor(float x, float z) {
  constexpr float plank = 0.22f;
  const int row = static_cast<int>(std::floor(x / plank));
  const float across = x / plank - static_cast<float>(row);
  const float shifted = z / 1.3f + hash01(row, 0, 41);
  const int number = static_cast<int>(std::floor(shifted));
  const float along = (shifted - static_cast<float>(number)) * 1.3f;
  const float grain = 0.92f + 0.16f * value_noise(x * 60, z * 4 + 9 * hash01(row, number, 42), 43);
  const float gap = smooth_step(0, 0.05f, std::min(across, 1 - across)) * smooth_step(0, 0.012f, along);
  Colour wood =
      ((0.84f + 0.26f * hash01(row, number, 44)) * grain * (0.62f + 0.38f * gap)) * Colour{104, 124, 152};
  // The rug: rings in cool colours.
  const float ring = length(x / 1.45f, (z - 3.45f) / 0.78f);
  if (ring < 1) {
    const Colour threads[] = {{66, 86, 128}, {146, 162, 184}, {78, 122, 138}, {98, 102, 142}};
    const float band = ring * 8;
    const int k = static_cast<int>(band);
    const float weave = 0.90f + 0.2f * hash01(static_cast<int>(x * 90), static_cast<int>(z * 90), 45);
    wood = (weave * (band - static_cast<float>(k) < 0.12f ? 0.8f : 1.0f)) * threads[k % 4];
  } else {
    wood = (1 - 0.25f * smooth_step(1.08f, 1.0f, ring)) * wood;
  }
  // Light through the two panes of the window on the floor.
  const float lit_x = x + 1.1f - 0.55f * (back_z - z) * 0.6f;
  const float pane = std::abs(std::abs(lit_x) - 0.36f);
  const float patch =
      smooth_step(0.34f, 0.24f, pane) * smooth_step(2.5f, 2.9f, z) * smooth_step(4.3f, 3.9f, z);
  const float edge = std::min(half_width - std::abs(x), back_z - z);
  return (corner_shade(edge) * (1 + 0.32f * patch)) * wood;
}

// A potted plant on the plane z = 3.9.
bool plant(float x, float y, Colour& out) {
  constexpr float middle = -2.0f;
  const float dx = x - middle;
  const float up = floor_y - y;
  if (std::abs(dx) > 0.8f || up < 0 || up > 1.2f) return false;
  if (up > 0 && up < 0.42f && std::abs(dx) < 0.16f + 0.14f * up) {
    const float round = 1 - 0.5f * std::abs(dx + 0.06f) / 0.22f;
    out = ((up > 0.35f ? 1.05f : 0.92f) * (0.55f + 0.5f * round)) * Colour{176, 188, 202};
    return true;
  }
  float nearest = 1e9f;
  int which = 0;
  for (int leaf = 0; leaf < 9; ++leaf) {
    const float lean = (static_cast<float>(leaf) - 4) * 0.24f;
    const float length = 0.75f - 0.05f * std::abs(static_cast<float>(leaf) - 4);
    const float s = std::sin(lean), c = std::cos(lean);
    const float along = (up - 0.40f) * c + dx * s;
    const float bend = dx * c - (up - 0.40f) * s - 0.10f * s * along * along / (length * length) * 4;
    const float width = 0.055f * std::sin(3.14159f * std::clamp(along / length, 0.0f, 1.0f));
    const float d = along > 0 && along < length ? std::abs(bend) - width : 1e9f;
    if (d < nearest) {
      nearest = d;
      which = leaf;
    }
  }
  if (nearest > 0) return false;
  const float vein = 1 - 0.35f * smooth_step(-0.012f, -0.05f, nearest);
  out = ((0.75f + 0.45f * hash01(which, 0, 51)) * vein) * Colour{70, 128, 92};
  return true;
}

Colour room(float u, float v) {
  Colour out;
  if (plant(u * 3.9f, v * 3.9f, out)) return out;
  // The nearest intersection of the ray (u, v, 1) with the five planes.
  const float to_side = u != 0 ? half_width / std::abs(u) : 1e9f;
  const float to_level = v > 0 ? floor_y / v : v < 0 ? ceiling_y / v : 1e9f;
  const float z = std::min({back_z, to_side, to_level});
  const float x = u * z, y = v * z;
  if (z == back_z) return back_wall(x, y);
  if (z == to_side) {
    const float edge = std::min({floor_y - y, y - ceiling_y, back_z - z});
    return (u < 0 ? 0.80f : 0.92f) * wall(z, y, edge, {142, 160, 176});
  }
  if (v > 0) return floor(x, z);
  const float edge = std::min(half_width - std::abs(x), back_z - z);
  return (corner_shade(edge) * (0.97f + 0.03f * value_noise(x * 20, z * 20, 61))) * Colour{192, 206, 220};
}

}  // namespace

std::vector<Rgb8> paint_room(int width, int height, std::uint64_t seed, int threads) {
  std::vector<Rgb8> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const float scale = 2 * view / static_cast<float>(height);
  // The brightness depends on the seed.
  const float light =
      0.96f + 0.06f * hash01(static_cast<int>(seed & 0xFFFF), static_cast<int>(seed >> 16 & 0xFFFF), 71);
  constexpr int across = 2;  // samples per pixel in each direction
  parallel_for(0, height, threads, [&](std::int64_t y) {
    for (int x = 0; x < width; ++x) {
      Colour sum;
      for (int k = 0; k < across * across; ++k) {
        const int column = k % across, row = k / across;
        const float sx = static_cast<float>(x) + (static_cast<float>(column) + 0.5f) / across - 0.5f;
        const float sy = static_cast<float>(y) + (static_cast<float>(row) + 0.5f) / across - 0.5f;
        sum = sum + room((sx - 0.5f * static_cast<float>(width - 1)) * scale,
                         (sy - 0.5f * static_cast<float>(height - 1)) * scale);
      }
      Colour mean = (light / (across * across)) * sum;
      mean.r = 0.94f * mean.r;  // cold light: no colour is similar to skin
      mean.b = mean.b + 4;
      const auto byte = [](float c) { return static_cast<std::uint8_t>(std::clamp(c + 0.5f, 0.0f, 255.0f)); };
      pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] = {
          byte(mean.r), byte(mean.g), byte(mean.b)};
    }
  });
  return pixels;
}

}  // namespace triptych::skin_tracker::synthetic
