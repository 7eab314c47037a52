#include <triptych/core/length.hpp>

#include "synthetic/face_geometry.hpp"
#include "synthetic/face_variation.hpp"

namespace triptych::aam_fit::face {

Point more_field(int k, double x, double y) {
  const double side = x < 0 ? -1 : 1, across = std::abs(x);
  constexpr double eye_x = 0.45, eye_y = -0.405;
  const double near_eye = bump(across, y, eye_x, eye_y, 0.2, 0.09);
  const double mouth = bump(x, y, 0, 0.61, 0.42, 0.17);
  switch (k) {
    case 0:  // height over width
      return {-0.04 * x, 0.06 * y};
    case 1:  // height of the eyes and brows
      return {0, -0.05 * bump(across, y, eye_x, -0.52, 0.36, 0.24)};
    case 2:  // height of the nose's base
      return {0, 0.05 * bump(x, y, 0, 0.2, 0.3, 0.14)};
    case 3:  // height of the mouth
      return {0, 0.06 * bump(x, y, 0, 0.61, 0.5, 0.2)};
    case 4: {  // angles of the jaw
      const double w = bump(across, y, 0.75, 0.66, 0.26, 0.28);
      return {0.07 * side * w, 0.06 * w};
    }
    case 5:  // height of the brows
      return {0, -0.06 * bump(across, y, 0.47, -0.72, 0.36, 0.11)};
    case 6:  // inner ends of the brows
      return {0, 0.07 * bump(across, y, 0.17, -0.69, 0.14, 0.11)};
    case 7:  // outer ends of the brows
      return {0, 0.06 * bump(across, y, 0.78, -0.64, 0.17, 0.12)};
    case 8:  // tilt of the eyes
      return {0, -0.18 * (across - eye_x) * near_eye};
    case 9:  // opening of the eyes
      return {0, 0.3 * (y - eye_y) * near_eye};
    case 10:  // width of the eyes
      return {0.22 * side * (across - eye_x) * near_eye, 0};
    case 11:  // fullness of the upper lip
      return {0, -0.035 * bump(x, y, 0, 0.495, 0.24, 0.045)};
    case 12:  // fullness of the lower lip
      return {0, 0.04 * bump(x, y, 0, 0.755, 0.24, 0.055)};
    case 13:  // corners of the mouth
      return {0, -0.05 * bump(across, y, 0.36, 0.585, 0.12, 0.1)};
    case 14:  // width of the mouth
      return {0.2 * x * mouth, 0};
    default:  // shift of mouth and jaw to a side
      return {0.06 * mouth + 0.05 * rise(y, 0.2, 1.1), 0};
  }
}

double recession(double x, double y) {
  const double r = length(x, y);
  if (r < 1e-6) return 0;
  const double q = r / outline_towards(x, y), sideways = std::abs(x) / r;
  const double w = std::max(sideways * std::sqrt(sideways), rise(-y, 0.6, 1.5));
  const double q2 = q * q;
  const double depth = q < 1 ? 0.45 * q2 * q2 : 0.45 + 1.8 * (q - 1) / (1 + 2 * (q - 1));
  // Neck and shoulders lie behind the chin.
  return -depth * w - 0.35 * rise(q, 1.0, 1.25) * rise(y, 0.5, 0.9);
}

}  // namespace triptych::aam_fit::face
