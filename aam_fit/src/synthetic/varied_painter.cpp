#include <triptych/core/length.hpp>
#include <triptych/core/parallel.hpp>

#include <cmath>

#include "synthetic/face_geometry.hpp"
#include "synthetic/face_maps.hpp"
#include "synthetic/varied_image.hpp"
#include "synthetic/varied_painter.hpp"

namespace triptych::aam_fit::face {

namespace {

constexpr double brow_below_landmarks = 0.035;  // annotators follow the upper edge

double mix(double a, double b, double share) { return a + (b - a) * share; }
double line(double off, double half_width) {
  return std::exp(-0.5 * (off / half_width) * (off / half_width));
}

// relief() on a grid, for the search of what stands in the light.
class Heights {
 public:
  Heights() : heights_(side_ * side_) {
    for (std::size_t j = 0; j < side_; ++j)
      for (std::size_t i = 0; i < side_; ++i)
        heights_[j * side_ + i] = static_cast<float>(
            relief(-extent_ + static_cast<double>(i) * step_, -extent_ + static_cast<double>(j) * step_));
  }
  double at(double x, double y) const {
    const auto index = [](double v) {
      return static_cast<std::size_t>(std::clamp((v + extent_) / step_ + 0.5, 0.0, side_ - 1.0));
    };
    return static_cast<double>(heights_[index(y) * side_ + index(x)]);
  }

 private:
  static constexpr std::size_t side_ = 401;
  static constexpr double extent_ = 1.6, step_ = 2 * extent_ / (side_ - 1);
  std::vector<float> heights_;
};

class VariedPainter {
 public:
  VariedPainter(const FaceParameters& face, const Mesh& mesh)
      : face_(face),
        detail_(*face.detail),
        rotation_(rotation(face)),
        noise_(static_cast<std::uint32_t>(face.seed ^ face.seed >> 32)) {
    const double size = std::sqrt(face.light_x * face.light_x + face.light_y * face.light_y + 1);
    const double light[3] = {face.light_x / size, face.light_y / size, 1 / size};
    for (int i = 0; i < 3; ++i) {
      light_[i] = light[i];
      for (int j = 0; j < 3; ++j) own_light_[i] += rotation_.m[j][i] * light[j];
    }
    const auto at = [&](std::size_t i) { return mesh.moved(landmarks()[i].x, landmarks()[i].y); };
    for (int side = 0; side < 2; ++side) {
      const Point a = at(side == 0 ? 36 : 42);
      const Point b = at(side == 0 ? 39 : 45);
      eyes_[side] = {(a.x + b.x) / 2 + gaze_x(), (a.y + b.y) / 2 - 0.012};
    }
    opening_ = 0.053 + 0.185 * opening(face.expression[1]);
  }

  // Intensity 0..1 of a surface point; behind() is what lies behind it.
  template <class Behind>
  double head(const SurfacePoint& s, const Behind& behind) const {
    const Texel t = maps_without_hair().at(s.x, s.y);
    const double hair = detail_.hair_cover > 0 ? detail_.hair_cover * hair_share(s.x, s.y) : 0;
    if (t.cover <= 0 && hair <= 0) return behind();
    const double lit = light(s, t);
    double value = skin(s, t, lit);
    if (t.cover < 1) value = mix(behind(), value, t.cover);
    value = mix(value, hair_colour(s) * (0.35 + 0.65 * lit), hair * (1 - t.cloth));
    return detail_.glasses > 0 ? glasses(s, value) : value;
  }

 private:
  double gaze_x() const { return 0.04 * smooth_noise(face_.yaw * 40, 3, noise_ + 5); }

  double light(const SurfacePoint& s, const Texel& t) const {
    const double nz = std::sqrt(std::max(0.0, 1.0 - t.nx * t.nx - t.ny * t.ny));
    const double facing = t.nx * own_light_[0] + t.ny * own_light_[1] + nz * own_light_[2];
    const double soften = 0.5 * (1 - detail_.hardness);
    const double wrapped = std::max(0.0, (facing + soften) / (1 + soften));
    return detail_.ambient + (1.28 - detail_.ambient) * wrapped * (1 - detail_.hardness * shadow(s));
  }

  // The share of the light that the face itself blocks.
  double shadow(const SurfacePoint& s) const {
    if (detail_.hardness < 0.3 || own_light_[2] < 0.1) return 0;
    static const Heights heights;
    const double here = heights.at(s.x, s.y);
    double blocked = 0;
    constexpr double step = 0.05;
    for (int i = 1; i <= 10; ++i) {
      const double above = here + step * i * own_light_[2] * 1.6;
      const double high = heights.at(s.x + step * i * own_light_[0], s.y + step * i * own_light_[1]);
      blocked = std::max(blocked, rise(high - above, 0.0, 0.05));
    }
    return 0.8 * blocked;
  }

  double skin(const SurfacePoint& s, const Texel& t, double lit) const {
    // Below 1 the map holds creases of the face, and outside of it the jaw's shadow on the neck.
    const bool on_face = length(s.x, s.y) < outline_towards(s.x, s.y);
    const double shallow = 0.7 * (bump(s.x, s.y, 0, 0.37, 0.2, 0.06) + bump(s.x, s.y, 0, 0.83, 0.25, 0.06));
    const double creases = std::pow(std::max(0.02, static_cast<double>(t.light)),
                                    on_face ? detail_.creases * (1 - shallow) : detail_.neck_shadow);
    double skin = (0.12 + 0.75 * face_.skin) * (1 + detail_.skin_noise * 0.05 * t.grain);
    skin *= 1 + 0.08 * detail_.skin_noise * smooth_noise(s.x * 2.3 + 3, s.y * 2.3, noise_ + 2);
    skin *= (1 - wrinkles(s)) * (1 - socket(s));
    skin *= 1 - beard(s) * (1 - t.lip);
    // The upper lip faces down, the lower one up.
    const double lips = detail_.lips * mix(0.66, 1.12, rise(s.y, 0.56, 0.64));
    double colour = mix(skin, skin * lips, t.lip);
    const Texel above = maps_without_hair().at(s.x, s.y - brow_below_landmarks);
    const double brow = std::pow(static_cast<double>(above.brow), 1 / detail_.brow_thickness);
    const double hairs = 1 + 0.5 * smooth_noise(60 * s.x + 40 * s.y, 15 * s.y, noise_ + 6);
    colour = mix(colour, detail_.hair * 0.8 * hairs, detail_.brows * brow);
    colour = mix(colour, cloth(s) * (1 + 0.1 * t.grain), t.cloth);
    double value = colour * lit * creases + highlight(t) * (1 - t.cloth);
    if (t.eye > 0) value = mix(value, eye(s) * (0.35 + 0.65 * lit), t.eye);
    if (t.lid > 0) value *= 1 - std::min(0.95, 0.70 * detail_.lashes * t.lid);
    if (t.mouth > 0) value = mix(value, inner_mouth(s, t) * (0.3 + 0.7 * lit), t.mouth);
    return value;
  }

  double highlight(const Texel& t) const {
    const double nz = std::sqrt(std::max(0.0, 1.0 - t.nx * t.nx - t.ny * t.ny));
    double n[3];
    for (int i = 0; i < 3; ++i)
      n[i] = rotation_.m[i][0] * t.nx + rotation_.m[i][1] * t.ny + rotation_.m[i][2] * nz;
    const double shine = std::max(
        0.0, (n[0] * light_[0] + n[1] * light_[1] + n[2] * (light_[2] + 1)) / std::sqrt(2 + 2 * light_[2]));
    return 0.16 * detail_.gloss * t.gloss * std::pow(shine, 20);
  }

  // The shade between brow, eye and the bridge of the nose.
  double socket(const SurfacePoint& s) const {
    const double side = std::abs(s.x);
    const double shade =
        bump(side, s.y, 0.42, -0.51, 0.27, 0.10) + 0.8 * bump(side, s.y, 0.2, -0.44, 0.08, 0.13);
    return std::min(0.8, detail_.sockets * shade);
  }

  // Folds from the nose to the corners of the mouth, lines below the eyes, on the forehead and beside the
  // eyes.
  double wrinkles(const SurfacePoint& s) const {
    const double side = std::abs(s.x), y = s.y;
    const double smile = std::max(0.0, face_.expression[0]);
    const double fold =
        line(side - 0.24 - 0.42 * (y - 0.2), 0.03) * rise(y, 0.12, 0.25) * (1 - rise(y, 0.5, 0.68));
    const double bag =
        line(y + 0.25 + 0.35 * (side - 0.42) * (side - 0.42), 0.025) * bump(side, 0, 0.42, 0, 0.13, 1);
    const double forehead =
        std::max(0.0, smooth_noise(1.5 * s.x, 16 * y, noise_ + 7)) * bump(s.x, y, 0, -0.98, 0.5, 0.14);
    const double frown = line(side - 0.06, 0.018) * bump(0, y, 0, -0.68, 1, 0.1);
    const double crow = std::max(0.0, smooth_noise(9 * (y + 0.4) * 2, 2 * side, noise_ + 8)) *
                        bump(side, y, 0.74, -0.38, 0.07, 0.1);
    const double w = detail_.wrinkles;
    return std::min(0.7, (0.06 + 0.15 * smile) * (0.3 + w) * fold +
                             0.3 * w * (bag + 0.6 * forehead + 0.6 * frown + 0.7 * crow));
  }

  double beard(const SurfacePoint& s) const {
    const double side = std::abs(s.x), y = s.y;
    const double hairs = 1 + 0.4 * smooth_noise(s.x * 45, y * 30, noise_ + 9);
    const double jaw =
        rise(y + 0.35 * side * side - 0.12 * smooth_noise(4 * s.x, 1, noise_ + 10), 0.42, 0.66) *
        (1 - 0.7 * bump(s.x, y, 0, 0.8, 0.12, 0.05)) * (1 - rise(y, 1.04, 1.2));
    const double lip = bump(s.x, 0, 0, 0, 0.24, 1) * rise(y, 0.30, 0.38) * (1 - rise(y, 0.54, 0.60));
    return std::min(0.9, hairs * std::max(detail_.beard * jaw, detail_.moustache * lip));
  }

  double cloth(const SurfacePoint& s) const {
    // A bright shirt between the lapels of a jacket.
    const double inner = 1 - rise(std::abs(s.x) - 0.75 + 0.5 * (s.y - 1.6), -0.02, 0.02);
    return mix(detail_.cloth, detail_.collar > 0.5 ? 0.8 : detail_.cloth, inner);
  }

  // The share of hair over the surface or beside it: on the crown, over the forehead, down the sides.
  double hair_share(double x, double y) const {
    const double r = length(x, y), outline = outline_towards(x, y), side = std::abs(x);
    const double wave = 0.05 * smooth_noise(5 * x + 3, 3 * y, noise_ + 11);
    const double crown = outline * (1 + detail_.hair_volume * rise(-y, -0.3, 0.9)) + 0.6 * wave;
    const double height = 0.88 - 0.42 * detail_.fringe + detail_.parting * 0.15 * x;
    const double forehead = length(x / (0.93 * detail_.hair_inner), (y + 0.30) / std::max(0.2, height)) +
                            wave + 0.03 * smooth_noise(14 * x, 2 * y, noise_ + 12);
    const double top = rise(crown - r, -0.03, 0.03) * rise(forehead, 0.98, 1.04) * rise(-y, 0.1, 0.4);
    const double inner = 0.96 * detail_.hair_inner + wave + 0.12 * detail_.parting * (x < 0 ? 1 : -1);
    const double outer = 1.05 + 1.3 * detail_.hair_volume + 2 * wave;
    const double down = rise(side - inner, -0.02, 0.03) * (1 - rise(side - outer, -0.03, 0.03)) *
                        (1 - rise(y - detail_.hair_bottom, -0.15, 0.05)) * rise(y, -0.9, -0.6);
    return std::max(top, down);
  }

  double hair_colour(const SurfacePoint& s) const {
    const double angle = std::atan2(s.x, -s.y + 0.2), r = length(s.x, s.y);
    const double strands = s.y < -0.3 ? smooth_noise(angle * 30, r * 4, noise_ + 13) +
                                            0.6 * smooth_noise(angle * 80, r * 7, noise_ + 14)
                                      : smooth_noise(s.x * 30, s.y * 3, noise_ + 13) +
                                            0.6 * smooth_noise(s.x * 80, s.y * 5, noise_ + 14);
    return detail_.hair * (1 + 0.4 * strands);
  }

  double eye(const SurfacePoint& s) const {
    const Point m = eyes_[s.x < 0 ? 0 : 1];
    const double dx = s.moved_x - m.x, dy = s.moved_y - m.y, r = std::sqrt(dx * dx + dy * dy);
    const double white = detail_.eye_white - 1.1 * std::max(0.0, std::abs(dx) - 0.06);
    const double iris = detail_.iris + 0.10 * rise(r, 0.02, 0.08) - 0.2 * rise(r, 0.075, 0.095);
    double value = mix(iris, white, rise(r, 0.078, 0.102));
    value = mix(0.03, value, rise(r, 0.028, 0.048));
    const double cx = dx - 0.035 * std::clamp(2 * light_[0], -1.0, 1.0), cy = dy + 0.035;
    return mix(1.0, value, rise(std::sqrt(cx * cx + cy * cy), 0.010, 0.028));
  }

  double inner_mouth(const SurfacePoint& s, const Texel& t) const {
    const double below_lip = t.between * std::max(0.0, opening_) * open_across(s.x);
    const double teeth = (1 - rise(below_lip, 0.09, 0.12)) * (1 - rise(std::abs(s.x), 0.22, 0.28));
    const double gap = 1 - 0.25 * std::pow(std::cos(s.x * 52), 8);
    return mix(0.07 + 0.10 * rise(t.between, 0.6, 1.0), 0.80 * gap, teeth * rise(opening_, 0.02, 0.06));
  }

  // Frames around the eyes, a bridge, temples, and lenses that may be dark.
  double glasses(const SurfacePoint& s, double value) const {
    const double side = std::abs(s.x), width = 0.27 * detail_.glasses_width,
                 high = 0.19 * detail_.glasses_width;
    const double u = (side - 0.46) / width, v = (s.y + 0.38) / high;
    const double out = std::pow(u * u * u * u + v * v * v * v, 0.25);
    const double frame = line(out - 1, 0.09);
    const double bridge = line(s.y + 0.43, 0.02) * (1 - rise(side, 0.2, 0.26));
    const double temple = line(s.y + 0.45, 0.025) * rise(side, 0.7, 0.76);
    value = mix(value, 0.06 + 0.1 * rise(v, -1, 1), detail_.tint * (1 - rise(out, 0.97, 1.03)));
    return mix(value, 0.08, detail_.glasses * std::max({frame, bridge, temple}));
  }

  const FaceParameters& face_;
  const FaceDetail& detail_;
  Rotation rotation_;
  std::uint32_t noise_;
  double light_[3] = {}, own_light_[3] = {};  // in the image, and seen from the head
  Point eyes_[2];
  double opening_ = 0;
};

}  // namespace

Image<Grey8> paint_varied(const FaceParameters& face, const Mesh& mesh, int width, int height) {
  const std::vector<SurfacePoint> seen = mesh.rasterise(width, height);
  const VariedPainter painter(face, mesh);
  const Background background(*face.detail, face.seed);
  Image<float> picture(width, height);
  parallel_for(0, height, 0, [&](std::int64_t y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y * width + x);
      const auto behind = [&] {
        return background.at(2.0 * static_cast<double>(x) / width - 1,
                             2.0 * static_cast<double>(y) / height - 1);
      };
      picture.pixels[i] = static_cast<float>(seen[i].hit ? painter.head(seen[i], behind) : behind());
    }
  });
  return develop(face, std::move(picture));
}

}  // namespace triptych::aam_fit::face
