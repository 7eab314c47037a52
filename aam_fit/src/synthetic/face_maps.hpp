// Texture maps of the head, computed once: materials, normals and ambient occlusion, from which shading
// computes grey values.
#pragma once

#include <cstdint>
#include <vector>

namespace triptych::aam_fit::face {

// Extent of the maps (units of face_geometry.hpp).
constexpr double left = -2.5, right = 2.5, top = -2.3, bottom = 3.1;

struct Texel {
  float cover = 0;       // opacity of head and shoulders
  float nx = 0, ny = 0;  // of the unit normal; nz is positive
  float light = 1;       // ambient occlusion: below 1 in creases and nostrils
  float gloss = 0;       // specular coefficient
  float grain = 0;       // fine structure of skin and hair, about -1..1
  float hair = 0, brow = 0, lip = 0, beard = 0, cloth = 0;  // weights of the materials
  float eye = 0, mouth = 0;  // masks of the regions inside the lids and inside the lips
  float between = 0;         // position inside the lips: 0 at the upper one, 1 at the lower one
  float lid = 0;             // crease and lashes of the eye
  float blush = 0;           // cheeks and nose
};

class Maps {
 public:
  explicit Maps(bool hair);
  Texel at(double x, double y) const;  // bilinear; clamped at the border

 private:
  static constexpr int width_ = 420, height_ = 454;
  std::vector<Texel> texels_;
};

const Maps& maps();
const Maps& maps_without_hair();

// Value noise in about -1..1, with one lattice point per unit.
double smooth_noise(double x, double y, std::uint32_t seed);

}  // namespace triptych::aam_fit::face
