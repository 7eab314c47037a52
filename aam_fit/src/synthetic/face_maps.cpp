#include <triptych/core/length.hpp>
#include <triptych/core/parallel.hpp>

#include "synthetic/face_geometry.hpp"
#include "synthetic/face_maps.hpp"

namespace triptych::aam_fit::face {

namespace {

constexpr double edge = 0.012;  // half the width of an edge: about a pixel of a face of 128 pixels

double inside(double signed_distance) { return rise(signed_distance, -edge, edge); }

double hash(std::uint32_t x, std::uint32_t y, std::uint32_t seed) {
  std::uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ seed * 0xc2b2ae3du;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return static_cast<double>((h ^ h >> 15) >> 8) * 0x1p-23 - 1;
}

// The height field for shading: steeper towards the outline than relief(), which is used for the pose.
double lit_height(double x, double y) {
  const double r = length(x, y) / outline_towards(x, y), inwards = 1 - r * r;
  constexpr double rim = 0.02;
  const double round =
      inwards > 0 ? std::sqrt(inwards + rim) : std::sqrt(rim) + inwards / (2 * std::sqrt(rim));
  return 0.80 * round + relief(x, y) - 0.66 * bump(x, y, 0, 0, 0.80, 1.02);
}

// The unit normal of a surface with these slopes.
void set_normal(Texel& t, double slope_x, double slope_y) {
  const double length = std::sqrt(slope_x * slope_x + slope_y * slope_y + 1);
  t.nx = static_cast<float>(-slope_x / length);
  t.ny = static_cast<float>(-slope_y / length);
}

// Blends another surface with these slopes over the texel, by its share.
void cover(Texel& t, double share, double slope_x, double slope_y, double light) {
  Texel over;
  set_normal(over, -slope_x, -slope_y);
  const auto w = static_cast<float>(share);
  t.nx += w * (over.nx - t.nx);
  t.ny += w * (over.ny - t.ny);
  t.light += w * (static_cast<float>(light) - t.light);
}

// Eyes, with lids, lashes and sockets. x: in the left half.
void draw_eye(Texel& t, double x, double y) {
  const Curves& c = curves();
  const double from = c.upper_lid.first_x(), to = c.upper_lid.last_x();
  const double upper = c.upper_lid.at(x), lower = c.lower_lid.at(x);
  const double ends = inside(x - from) * inside(to - x);
  t.eye = static_cast<float>(inside(y - upper) * inside(lower - y) * ends);
  const double near_ends = rise(x, from - 0.07, from + 0.05) * (1 - rise(x, to - 0.04, to + 0.05));
  const double lash = std::exp(-0.5 * std::pow((y - upper) / 0.018, 2)) * near_ends;
  const double low_lash = std::exp(-0.5 * std::pow((y - lower) / 0.014, 2)) * near_ends;
  const double crease = std::exp(-0.5 * std::pow((y - upper + 0.065) / 0.022, 2)) * near_ends;
  t.lid = static_cast<float>(std::min(1.0, lash + 0.35 * low_lash + 0.35 * crease));
  const double socket = bump(x, y, -0.27, -0.42, 0.10, 0.10) + 0.5 * bump(x, y, -0.45, -0.27, 0.2, 0.035);
  t.light *= static_cast<float>(1 - 0.22 * socket);
}

void draw_brow(Texel& t, double x, double y) {
  const Curve& brow = curves().brow;
  const double along = (x - brow.first_x()) / (brow.last_x() - brow.first_x());
  if (along < -0.1 || along > 1.1) return;
  const double thick = 0.034 + 0.024 * rise(along, 0.0, 0.8);
  const double off = (y - brow.at(x)) / thick;
  const double ends = rise(along, -0.05, 0.1) * (1 - rise(along, 0.97, 1.07));
  t.brow = static_cast<float>(std::exp(-0.5 * off * off * (1 + off * off)) * ends);
}

void draw_mouth(Texel& t, double x, double y) {
  const Curves& c = curves();
  const double outer_top = c.outer_upper_lip.at(x), outer_bottom = c.outer_lower_lip.at(x);
  const double inner_top = c.inner_upper_lip.at(x), inner_bottom = c.inner_lower_lip.at(x);
  const double outer_ends = inside(0.36 - std::abs(x)), inner_ends = inside(0.29 - std::abs(x));
  t.lip = static_cast<float>(inside(y - outer_top) * inside(outer_bottom - y) * outer_ends);
  t.mouth = static_cast<float>(rise(y - inner_top, -0.008, 0.008) * rise(inner_bottom - y, -0.008, 0.008) *
                               inner_ends);
  t.between =
      static_cast<float>(std::clamp((y - inner_top) / std::max(0.01, inner_bottom - inner_top), 0.0, 1.0));
  const double corner = bump(std::abs(x), y, 0.345, 0.592, 0.045, 0.022);
  const double below = bump(x, y, 0, outer_bottom + 0.045, 0.17, 0.035);
  const double groove = bump(x, y, 0, 0.40, 0.028, 0.06);
  t.light *= static_cast<float>((1 - 0.35 * corner) * (1 - 0.20 * below) * (1 - 0.10 * groove));
  t.gloss += static_cast<float>(0.5 * t.lip * bump(x, y, 0, 0.69, 0.12, 0.025));
}

void draw_nose(Texel& t, double x, double y) {
  const double side = std::abs(x);
  const double nostril = bump(side, y, 0.095, 0.262, 0.042, 0.020);
  const double wing = std::exp(-0.5 * std::pow((length(side - 0.125, y - 0.205) - 0.082) / 0.016, 2)) *
                      rise(side, 0.13, 0.19) * rise(y, 0.10, 0.18);
  const double under = bump(x, y, 0, 0.315, 0.12, 0.030);
  const double fold =
      std::exp(-0.5 *
               std::pow((side - 0.25 - 0.55 * (y - 0.24) + 0.5 * (y - 0.24) * (y - 0.24)) / 0.035, 2)) *
      rise(y, 0.20, 0.34) * (1 - rise(y, 0.42, 0.62));
  t.light *=
      static_cast<float>((1 - 0.75 * nostril) * (1 - 0.35 * wing) * (1 - 0.22 * under) * (1 - 0.11 * fold));
  t.gloss += static_cast<float>(0.8 * bump(x, y, 0, 0.13, 0.06, 0.06));
}

// All but the face: neck, ears, hair if wanted, shoulders. face: the opacity of the face here.
void draw_rest(Texel& t, double x, double y, double face, bool with_hair) {
  const double side = std::abs(x), outline = outline_towards(x, y), r = length(x, y);
  const double neck_half = 0.60 + 0.25 * rise(y, 1.2, 1.9);
  const double neck = inside(neck_half - side) * rise(y, 0.2, 0.3);
  const double ear = inside(0.05 - length((side - 1.02) / 2.0, (y + 0.16) / 5.0)) * (1 - face);
  const double collar =
      1.62 + 0.42 * rise(side, 0.4, 1.5) + 0.5 * rise(side, 1.3, 2.3) - 0.10 * rise(side, 0.0, 0.55) + 0.10;
  const double cloth = rise(y - collar, -0.02, 0.02) * inside(2.25 - side);
  const double crown = outline * (1 + 0.13 * rise(-y, -0.1, 0.9));
  const double forehead = length(x / 0.95, (y + 0.30) / (0.84 - 0.04 * std::cos(7 * x)));
  const double hair =
      with_hair ? rise(crown - r, -0.03, 0.03) * rise(forehead, 0.985, 1.05) * rise(-y, 0.24, 0.46) : 0;

  // Neck and ears are cylinders; the jaw casts a shadow on the neck.
  const double turn = std::clamp(x / (neck_half + 0.1), -0.95, 0.95);
  const double shadow = 0.27 + 0.42 * rise(r - outline, 0.0, 0.75);
  cover(t, 1 - face, turn / std::sqrt(1 - turn * turn), 0, y > 0.2 ? shadow : 0.62);
  const double round = std::min(0.9, r / (1.15 * outline)), steep = round / std::sqrt(1 - round * round);
  cover(t, hair, steep * x / std::max(r, 0.1), steep * y / std::max(r, 0.1), 1);
  cover(t, cloth, 0.35 * x, -0.35, 0.9);
  t.hair = static_cast<float>(hair * (1 - cloth));
  t.cloth = static_cast<float>(cloth);
  t.cover = static_cast<float>(1 - (1 - face) * (1 - neck) * (1 - ear) * (1 - hair) * (1 - cloth));
  if (hair > 0) {
    const double angle = std::atan2(x, -y + 0.2);
    const double strands = smooth_noise(angle * 38, r * 4, 11) + 0.6 * smooth_noise(angle * 80, r * 7, 12);
    t.grain += static_cast<float>(hair * (strands - t.grain));
    t.gloss *= static_cast<float>(1 - 0.7 * hair);
  }
}

Texel draw(double x, double y, double slope_x, double slope_y, bool hair) {
  Texel t;
  const double side = std::abs(x), r = length(x, y), outline = outline_towards(x, y);
  const double face = inside(outline - r);
  set_normal(t, slope_x, slope_y);
  t.grain = static_cast<float>(0.6 * smooth_noise(x * 34, y * 34, 1) + 0.4 * smooth_noise(x * 13, y * 13, 2));
  t.gloss = static_cast<float>(0.30 + 0.25 * bump(x, y, 0, -0.95, 0.4, 0.2) +
                               0.2 * bump(side, y, 0.58, -0.08, 0.14, 0.1));
  t.blush = static_cast<float>(bump(side, y, 0.58, 0.12, 0.2, 0.17) + 0.7 * bump(x, y, 0, 0.15, 0.1, 0.1));
  t.beard = static_cast<float>(rise(y + 0.25 * side, 0.45, 0.78));
  draw_nose(t, x, y);
  draw_mouth(t, x, y);
  draw_eye(t, -side, y);
  draw_brow(t, -side, y);
  draw_rest(t, x, y, face, hair);
  return t;
}

}  // namespace

double smooth_noise(double x, double y, std::uint32_t seed) {
  const double fx = std::floor(x), fy = std::floor(y), u = rise(x - fx, 0, 1), v = rise(y - fy, 0, 1);
  const auto ix = static_cast<std::uint32_t>(static_cast<std::int64_t>(fx));
  const auto iy = static_cast<std::uint32_t>(static_cast<std::int64_t>(fy));
  const double above = hash(ix, iy, seed) * (1 - u) + hash(ix + 1, iy, seed) * u;
  const double below = hash(ix, iy + 1, seed) * (1 - u) + hash(ix + 1, iy + 1, seed) * u;
  return above * (1 - v) + below * v;
}

Maps::Maps(bool hair) : texels_(static_cast<std::size_t>(width_) * height_) {
  constexpr double step_x = (right - left) / (width_ - 1), step_y = (bottom - top) / (height_ - 1);
  std::vector<double> heights(static_cast<std::size_t>(width_) * height_);
  const auto place = [](std::int64_t x, std::int64_t y) { return static_cast<std::size_t>(y * width_ + x); };
  parallel_for(0, height_, 0, [&](std::int64_t j) {
    for (std::int64_t i = 0; i < width_; ++i) {
      heights[place(i, j)] =
          lit_height(left + static_cast<double>(i) * step_x, top + static_cast<double>(j) * step_y);
    }
  });
  parallel_for(0, height_, 0, [&](std::int64_t j) {
    const std::int64_t above = std::max<std::int64_t>(j - 1, 0),
                       below = std::min<std::int64_t>(j + 1, height_ - 1);
    for (std::int64_t i = 0; i < width_; ++i) {
      const std::int64_t before = std::max<std::int64_t>(i - 1, 0),
                         after = std::min<std::int64_t>(i + 1, width_ - 1);
      const double slope_x = (heights[place(after, j)] - heights[place(before, j)]) /
                             (static_cast<double>(after - before) * step_x);
      const double slope_y = (heights[place(i, below)] - heights[place(i, above)]) /
                             (static_cast<double>(below - above) * step_y);
      texels_[place(i, j)] = draw(left + static_cast<double>(i) * step_x,
                                  top + static_cast<double>(j) * step_y, slope_x, slope_y, hair);
    }
  });
}

Texel Maps::at(double x, double y) const {
  static_assert(sizeof(Texel) == 16 * sizeof(float));
  const double px = std::clamp((x - left) * ((width_ - 1) / (right - left)), 0.0, width_ - 1.001);
  const double py = std::clamp((y - top) * ((height_ - 1) / (bottom - top)), 0.0, height_ - 1.001);
  const auto ix = static_cast<std::size_t>(px), iy = static_cast<std::size_t>(py);
  const auto u = static_cast<float>(px - static_cast<double>(ix)),
             v = static_cast<float>(py - static_cast<double>(iy));
  const auto* a = reinterpret_cast<const float*>(&texels_[iy * width_ + ix]);
  const float* b = a + 16;
  const auto* c = reinterpret_cast<const float*>(&texels_[(iy + 1) * width_ + ix]);
  const float* d = c + 16;
  Texel out;
  auto* to = reinterpret_cast<float*>(&out);
  for (int i = 0; i < 16; ++i) {
    to[i] = (a[i] * (1 - u) + b[i] * u) * (1 - v) + (c[i] * (1 - u) + d[i] * u) * v;
  }
  return out;
}

const Maps& maps() {
  static const Maps made(true);
  return made;
}
const Maps& maps_without_hair() {
  static const Maps made(false);
  return made;
}

}  // namespace triptych::aam_fit::face
