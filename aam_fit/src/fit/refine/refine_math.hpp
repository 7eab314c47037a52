// Gauss-Newton steps on patches, for host and device.
//
// The landmarks are x(p) = pose(s0 + Qs c), B their derivatives by p. With G the derivatives of the texture
// by the place of its landmark, and N = I - basis' basis, a step minimises |N (r + G B dp)|^2 + w |B (p + dp
// - p0)|^2: r is the residual, p0 the result of the last level, and w prior_weight times the mean square of a
// column of G. G is that of the texture which the model has for r, which is less noisy than the image. Each
// landmark has two columns of G of its own, so that all sums are taken over one patch alone (Tzimiropoulos
// and Pantic, Gauss-Newton deformable part models, CVPR 2014).
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/core/host_device.hpp>

#include <cstdint>

namespace triptych::aam_fit {

constexpr double prior_weight = 0.3;
constexpr double max_refinement = 0.1;  // of a landmark, in face sizes: one that goes farther is not believed

// The sums over the patch of a landmark, before those with the rows of the basis.
struct PatchSums {
  float xx, xy, yy;  // G'G
  float x, y;        // G'r
};

struct PatchPixel {
  int landmark, channel, u, v;
};
TRIPTYCH_INLINE_HD PatchPixel patch_pixel(int sample, int side, int channels) {
  const int area = side * side, of_patch = sample % (area * channels);
  const int at = of_patch % area;
  return {sample / (area * channels), of_patch / area, at % side, at / side};
}

struct PatchGradient {
  float x, y;
};
// patch: of one landmark and channel, side x side. a, b: of the pose, X = a x - b y, Y = b x + a y; the patch
// is posed with the face. Central differences, one-sided at the border.
TRIPTYCH_INLINE_HD PatchGradient patch_gradient(const float* patch, int side, int u, int v, float per_px,
                                                float a, float b) {
  const int left = u > 0 ? u - 1 : 0, right = u + 1 < side ? u + 1 : u;
  const int above = v > 0 ? v - 1 : 0, below = v + 1 < side ? v + 1 : v;
  const float x =
      (patch[v * side + right] - patch[v * side + left]) * (per_px / static_cast<float>(right - left));
  const float y =
      (patch[below * side + u] - patch[above * side + u]) * (per_px / static_cast<float>(below - above));
  const float size = a * a + b * b;
  return {(a * x - b * y) / size, (b * x + a * y) / size};
}

// Column `parameter` of B for the landmark whose place in the model is (x, y). qx, qy: how a mode moves it in
// the model; not used for the pose.
struct Moved {
  double x, y;
};
TRIPTYCH_INLINE_HD Moved moved_by(int parameter, int modes, float qx, float qy, double x, double y, double a,
                                  double b) {
  if (parameter < modes) {
    const auto mode_x = static_cast<double>(qx), mode_y = static_cast<double>(qy);
    return {a * mode_x - b * mode_y, b * mode_x + a * mode_y};
  }
  switch (parameter - modes) {
    case 0:
      return {x, y};
    case 1:
      return {-y, x};
    case 2:
      return {1, 0};
    default:
      return {0, 1};
  }
}

}  // namespace triptych::aam_fit
