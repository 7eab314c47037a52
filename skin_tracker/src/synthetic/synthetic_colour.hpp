// Functions of the synthetic scene: colours as floats of 0 .. 255, antialiased edges, and value noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace triptych::skin_tracker::synthetic {

struct Colour {
  float r = 0, g = 0, b = 0;

  friend Colour operator*(float s, const Colour& c) { return {s * c.r, s * c.g, s * c.b}; }
  friend Colour operator+(const Colour& a, const Colour& c) { return {a.r + c.r, a.g + c.g, a.b + c.b}; }
};

inline Colour mix(const Colour& a, const Colour& b, float share_of_b) {
  return {a.r + share_of_b * (b.r - a.r), a.g + share_of_b * (b.g - a.g), a.b + share_of_b * (b.b - a.b)};
}

// From 0 at x <= low to 1 at x >= high; low may be the larger one.
inline float smooth_step(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// The coverage of a pixel by a shape at this signed distance in pixels (negative inside).
inline float coverage(float distance_px) { return std::clamp(0.5f - distance_px, 0.0f, 1.0f); }

// The approximate signed distance to an ellipse around the origin; exact on its edge.
inline float ellipse_distance(float x, float y, float semi_x, float semi_y) {
  const float u = x / semi_x, v = y / semi_y;
  const float r2 = u * u + v * v;
  if (r2 < 1e-6f) return -std::min(semi_x, semi_y);
  const float slope = std::sqrt((u * u / (semi_x * semi_x) + v * v / (semi_y * semi_y)) / r2);
  return (std::sqrt(r2) - 1) / slope;
}

// The signed distance to a capsule from (ax, ay) to (bx, by).
inline float capsule_distance(float x, float y, float ax, float ay, float bx, float by, float radius) {
  const float dx = bx - ax, dy = by - ay;
  const float t = std::clamp(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0.0f, 1.0f);
  const float ex = x - ax - t * dx, ey = y - ay - t * dy;
  return std::sqrt(ex * ex + ey * ey) - radius;
}

// A hash of three integers as a number in 0 .. 1.
inline float hash01(int a, int b, int c) {
  std::uint32_t h = static_cast<std::uint32_t>(a) * 0x8DA6B343u ^
                    static_cast<std::uint32_t>(b) * 0xD8163841u ^ static_cast<std::uint32_t>(c) * 0xCB1AB31Fu;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return static_cast<float>((h ^ (h >> 15)) >> 8) * 0x1p-24f;
}

// Value noise in 0 .. 1 with a period of one unit.
inline float value_noise(float x, float y, int seed) {
  const float fx = std::floor(x), fy = std::floor(y);
  const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
  const float u = smooth_step(0, 1, x - fx), v = smooth_step(0, 1, y - fy);
  const float top = hash01(ix, iy, seed) * (1 - u) + hash01(ix + 1, iy, seed) * u;
  const float bottom = hash01(ix, iy + 1, seed) * (1 - u) + hash01(ix + 1, iy + 1, seed) * u;
  return top * (1 - v) + bottom * v;
}

}  // namespace triptych::skin_tracker::synthetic
