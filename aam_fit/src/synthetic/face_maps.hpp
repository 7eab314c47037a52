// What covers the drawn head at each place of its surface, made once: materials, normals and shadows that
// light and person then turn into grey values.
#pragma once

#include <cstdint>
#include <vector>

namespace triptych::aam_fit::face {

// The part of the plane that is drawn (units of face_geometry.hpp).
constexpr double left = -2.5, right = 2.5, top = -2.3, bottom = 3.1;

struct Texel {
  float cover = 0;       // of the background by the head and shoulders
  float nx = 0, ny = 0;  // of the unit normal; nz is positive
  float light = 1;       // that reaches the place: creases and nostrils are dark
  float gloss = 0;       // how much it shines
  float grain = 0;       // pores, hair: about -1..1
  float hair = 0, brow = 0, lip = 0, beard = 0, cloth = 0;  // shares of the materials on the skin
  float eye = 0, mouth = 0;                                 // inside the lids, inside the lips
  float between = 0;  // inside the lips: 0 at the upper one, 1 at the lower one
  float lid = 0;      // crease and lashes of the eye
  float blush = 0;    // cheeks and nose
};

class Maps {
 public:
  Maps();
  Texel at(double x, double y) const;  // interpolated; the border repeats

 private:
  static constexpr int width_ = 420, height_ = 454;
  std::vector<Texel> texels_;
};

const Maps& maps();

// Smooth noise of about -1..1 with one hill or so a unit.
double smooth_noise(double x, double y, std::uint32_t seed);

}  // namespace triptych::aam_fit::face
