// Random parameters of synthetic faces that vary as photographs do.
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cmath>

namespace triptych::aam_fit {

namespace {

class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t number) : random_(seed, number) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_.next_uniform());
  }
  bool chance(double share) { return between(0, 1) < share; }
  // Normal, cut at two and a half standard deviations.
  double around(double mean, double deviation) {
    return mean + deviation * std::clamp(static_cast<double>(random_.next_normal_pair().first), -2.5, 2.5);
  }
  std::uint64_t bits() {
    const std::uint64_t high = random_.next();
    return high << 32 | random_.next();
  }

 private:
  PhiloxStream random_;
};

struct ParameterRange {
  double mean, deviation;
};
// Proportions of faces in photographs, in units of the displacement fields.
constexpr ParameterRange identity_ranges[8] = {{-0.3, 0.45},  {0.25, 0.5}, {1.15, 0.55}, {-0.3, 0.55},
                                               {-0.05, 0.35}, {-0.3, 0.4}, {0, 0.45},    {-0.15, 0.4}};
constexpr ParameterRange shape_ranges[16] = {{0.1, 0.5},   {-0.2, 0.45}, {-0.25, 0.35}, {-0.9, 0.55},
                                             {0.6, 0.45},  {-0.4, 0.45}, {0.8, 0.4},    {0.05, 0.55},
                                             {0.05, 0.35}, {-0.05, 0.3}, {-0.1, 0.35},  {0.15, 0.4},
                                             {-1.1, 0.4},  {0.2, 0.4},   {-0.15, 0.45}, {0, 0.5}};

FaceDetail varied_detail(Draw& draw) {
  FaceDetail d;
  for (std::size_t k = 0; k < d.shape.size(); ++k)
    d.shape[k] = draw.around(shape_ranges[k].mean, shape_ranges[k].deviation);
  d.depth = std::clamp(draw.around(1.25, 0.2), 0.7, 1.8);
  d.hardness = draw.chance(0.4) ? draw.between(0.4, 1) : draw.between(0, 0.4);
  d.ambient = draw.between(0.12, 0.6);
  d.creases = draw.between(0.4, 1.5);
  d.sockets = draw.between(0.1, 0.8);
  d.neck_shadow = draw.between(0.3, 1.2);
  d.eye_white = draw.between(0.3, 0.65);
  d.gloss = draw.between(0, 2.5);
  d.wrinkles = draw.chance(0.5) ? draw.between(0.2, 1) : 0;
  d.skin_noise = draw.between(0.3, 2.2);
  d.brows = draw.between(0.6, 1);
  d.brow_thickness = draw.between(0.9, 3);
  d.lashes = draw.between(0.5, 1.35);
  d.lips = draw.between(0.35, 0.9);
  d.iris = draw.between(0.05, 0.45);
  if (draw.chance(0.3)) d.beard = draw.between(0.1, 0.8);
  if (draw.chance(0.2)) d.moustache = draw.between(0.1, 0.8);
  d.hair = draw.chance(0.7) ? draw.between(0.02, 0.25) : draw.between(0.25, 0.8);
  d.fringe = draw.chance(0.3) ? draw.between(0.4, 1) : draw.between(-0.3, 0.4);
  d.hair_volume = draw.between(0.03, 0.4);
  d.hair_bottom = draw.chance(0.45) ? draw.between(0.3, 2.6) : draw.between(-0.6, -0.1);
  d.hair_inner = draw.between(0.9, 1.12);
  d.parting = draw.between(-1, 1);
  d.hair_cover = draw.chance(0.06) ? 0 : 1;
  if (draw.chance(0.15)) d.glasses = draw.between(0.3, 1);
  d.glasses_width = draw.between(0.85, 1.2);
  if (draw.chance(0.2)) d.tint = draw.between(0.1, 0.95);
  d.cloth = draw.between(0.02, 0.85);
  d.collar = draw.between(0, 1);
  d.background = draw.chance(0.65) ? draw.between(0.02, 0.35) : draw.between(0.3, 0.95);
  d.clutter = draw.chance(0.7) ? draw.between(0.1, 1) : 0;
  d.blur_px = draw.between(0.2, 1.6);
  d.gamma = std::exp(draw.between(-0.35, 0.35));
  if (draw.chance(0.6)) d.quantisation = draw.between(2, 14);
  return d;
}

}  // namespace

FaceParameters varied_face(std::uint64_t seed, std::int64_t number) {
  Draw draw(seed, static_cast<std::uint64_t>(number));
  FaceParameters face;
  for (std::size_t k = 0; k < face.identity.size(); ++k)
    face.identity[k] = draw.around(identity_ranges[k].mean, identity_ranges[k].deviation);
  face.expression = {draw.around(0.4, 0.5), draw.chance(0.6) ? draw.around(0.12, 0.12) : draw.between(0, 1.1),
                     draw.around(0, 0.45),
                     draw.chance(0.08) ? draw.between(0.4, 1) : draw.between(-0.1, 0.4)};
  constexpr double max_yaw = 0.70, max_pitch = 0.43;  // radians: 40 and 25 degrees
  face.yaw = std::clamp(draw.around(0, 0.45), -max_yaw, max_yaw);
  face.pitch = std::clamp(draw.around(0.02, 0.2), -max_pitch, max_pitch);
  face.roll = draw.around(0, 0.13);
  face.x_px = draw.around(128, 4);
  face.y_px = draw.around(124, 4);
  face.size_px = draw.between(104, 126);
  face.light_x = draw.around(0, 0.8);
  face.light_y = draw.around(-0.4, 0.4);
  face.skin = draw.between(0.3, 1);
  face.contrast = draw.between(0.6, 1.3);
  face.noise = draw.between(0, 5);
  face.seed = draw.bits();
  face.detail = varied_detail(draw);
  face.detail->shape[14] += 0.5 * std::max(0.0, face.expression[0] - 0.4);  // a broad smile
  return face;
}

}  // namespace triptych::aam_fit
