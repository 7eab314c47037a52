// Where a pixel of the reference frame lies in an image, and what is sampled there: scalar maths of the warp,
// for host and device.
#pragma once

#include <triptych/aam_fit/reference_frame.hpp>
#include <triptych/core/host_device.hpp>

#include <cstdint>

namespace triptych::aam_fit {

struct WarpPoint {
  float x, y;
};

// shape: interleaved coordinates, in the pixels of the planes.
TRIPTYCH_INLINE_HD WarpPoint warp_point(const WarpPixel& pixel, const float* shape) {
  const float* p = shape + 2 * pixel.corners[0];
  const float* q = shape + 2 * pixel.corners[1];
  const float* r = shape + 2 * pixel.corners[2];
  const float c = 1.0f - pixel.a - pixel.b;
  return {pixel.a * p[0] + pixel.b * q[0] + c * r[0], pixel.a * p[1] + pixel.b * q[1] + c * r[1]};
}

// Four neighbours in a plane and their weights; the same for every channel. Offsets are elements.
struct Tap {
  std::int32_t offset;        // of the neighbour with the least x and y
  std::int32_t right, below;  // from there to the next column and row; 0 at the last ones
  float u, v;                 // shares of those
  bool outside;               // beyond the centres of the border's pixels, or not a number
};

// Positions outside are clamped to the border; NaN goes to the corner. pitch: elements from row to row.
// width, height >= 1, and height * pitch < 2^31.
TRIPTYCH_INLINE_HD Tap tap_at(float x, float y, std::int32_t width, std::int32_t height, std::int32_t pitch) {
  const auto last_x = static_cast<float>(width - 1), last_y = static_cast<float>(height - 1);
  float cx = x > 0.0f ? x : 0.0f, cy = y > 0.0f ? y : 0.0f;
  cx = cx < last_x ? cx : last_x;
  cy = cy < last_y ? cy : last_y;
  const auto i = static_cast<std::int32_t>(cx), j = static_cast<std::int32_t>(cy);
  return {j * pitch + i,
          i + 1 < width ? 1 : 0,
          j + 1 < height ? pitch : 0,
          cx - static_cast<float>(i),
          cy - static_cast<float>(j),
          !(x >= 0.0f && x <= last_x && y >= 0.0f && y <= last_y)};
}

// The bilinear value at a tap of one plane.
TRIPTYCH_INLINE_HD float sample(const float* plane, const Tap& tap) {
  const float* p = plane + tap.offset;
  const float above = p[0] + tap.u * (p[tap.right] - p[0]);
  const float left = p[tap.below];
  const float under = left + tap.u * (p[tap.below + tap.right] - left);
  return above + tap.v * (under - above);
}

struct Sampled {
  float value;
  bool outside;
};
TRIPTYCH_INLINE_HD Sampled sample(const float* plane, std::int32_t width, std::int32_t height,
                                  std::int32_t pitch, float x, float y) {
  const Tap tap = tap_at(x, y, width, height, pitch);
  return {sample(plane, tap), tap.outside};
}

}  // namespace triptych::aam_fit
