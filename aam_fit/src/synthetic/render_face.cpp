// Shading: from the surface point of a pixel to its grey value.
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

#include "synthetic/face_geometry.hpp"
#include "synthetic/face_maps.hpp"
#include "synthetic/face_mesh.hpp"
#include "synthetic/varied_painter.hpp"

namespace triptych::aam_fit {

namespace {

using face::rise;

// Random appearance of a person, besides the shape.
struct Person {
  explicit Person(std::uint64_t seed) : noise(static_cast<std::uint32_t>(seed ^ seed >> 32)) {
    PhiloxStream random(seed, 7);
    const auto between = [&](double low, double high) {
      return low + (high - low) * static_cast<double>(random.next_uniform());
    };
    hair = between(0.04, 0.30);
    brows = between(0.55, 0.9);
    lips = between(0.60, 0.80);
    beard = std::max(0.0, between(-0.25, 0.3));
    blush = between(0.0, 0.10);
    iris = between(0.10, 0.34);
    cloth = between(0.05, 0.5);
    back_level = between(0.12, 0.5);
    back_slope_x = between(-0.12, 0.12);
    back_slope_y = between(-0.12, 0.12);
  }
  std::uint32_t noise;
  double hair, brows, lips, beard, blush, iris, cloth, back_level, back_slope_x, back_slope_y;
};

struct Eye {
  Point middle;  // of its corners, after identity and expression
};

class Painter {
 public:
  Painter(const FaceParameters& face, const face::Mesh& mesh)
      : face_(face), person_(face.seed), rotation_(face::rotation(face)) {
    const double length = std::sqrt(face.light_x * face.light_x + face.light_y * face.light_y + 1);
    light_[0] = face.light_x / length;
    light_[1] = face.light_y / length;
    light_[2] = 1 / length;
    for (int side = 0; side < 2; ++side) {
      const Point a = moved(mesh, side == 0 ? 36 : 42), b = moved(mesh, side == 0 ? 39 : 45);
      eyes_[side].middle = {(a.x + b.x) / 2, (a.y + b.y) / 2 - 0.012};
    }
    opening_ = 0.053 + 0.185 * face::opening(face.expression[1]);
  }

  double background(double x, double y) const {  // of the image, -1..1
    const double blobs = 0.5 * face::smooth_noise(2.2 * x + 7, 2.2 * y + 7, person_.noise) +
                         0.25 * face::smooth_noise(5 * x, 5 * y, person_.noise + 1);
    return person_.back_level + person_.back_slope_x * x + person_.back_slope_y * y + 0.14 * blobs;
  }

  // Intensity 0..1 of a surface point.
  double head(const face::SurfacePoint& s, const face::Texel& t) const {
    const double nz = std::sqrt(std::max(0.0, 1.0 - t.nx * t.nx - t.ny * t.ny));
    double n[3];
    for (int i = 0; i < 3; ++i) {
      n[i] = rotation_.m[i][0] * t.nx + rotation_.m[i][1] * t.ny + rotation_.m[i][2] * nz;
    }
    const double facing = n[0] * light_[0] + n[1] * light_[1] + n[2] * light_[2];
    const double wrapped =
        std::max(0.0, (facing + 0.25) / 1.25);  // wrapped diffuse lighting, for subsurface scattering
    const double diffuse = (0.26 + 1.02 * wrapped) * t.light;
    // Blinn-Phong: the half vector; the exponent of 20 is computed by products.
    const double half_length = std::sqrt(2 + 2 * light_[2]);
    const double shine =
        std::max(0.0, (n[0] * light_[0] + n[1] * light_[1] + n[2] * (light_[2] + 1)) / half_length);
    const double shine4 = shine * shine * shine * shine, shine16 = shine4 * shine4 * shine4 * shine4;

    double skin = (0.30 + 0.55 * face_.skin) * (1 + 0.035 * t.grain - person_.blush * t.blush);
    skin *= 1 + 0.045 * face::smooth_noise(s.x * 2.3 + 3, s.y * 2.3, person_.noise + 2);
    skin *= 1 - person_.beard * t.beard * (1 - t.lip);
    double colour = mix(skin, skin * person_.lips, t.lip);
    colour =
        mix(colour, person_.hair * (1 + 0.35 * t.grain), std::max<double>(t.hair, person_.brows * t.brow));
    colour = mix(colour, person_.cloth * (1 + 0.1 * t.grain), t.cloth);
    double value = colour * diffuse + 0.16 * t.gloss * shine16 * shine4 * (1 - t.cloth);
    if (t.eye > 0) value = mix(value, eye(s) * (0.45 + 0.55 * diffuse), t.eye);
    if (t.lid > 0) value *= 1 - 0.70 * t.lid;
    if (t.mouth > 0) value = mix(value, inner_mouth(s, t) * (0.3 + 0.7 * diffuse), t.mouth);
    return value;
  }

 private:
  static double mix(double a, double b, double share) { return a + (b - a) * share; }
  static Point moved(const face::Mesh& mesh, int landmark) {
    const Point p = face::landmarks()[static_cast<std::size_t>(landmark)];
    return mesh.moved(p.x, p.y);
  }

  double eye(const face::SurfacePoint& s) const {
    const Point m = eyes_[s.x < 0 ? 0 : 1].middle;
    const double dx = s.moved_x - m.x, dy = s.moved_y - m.y, r = std::sqrt(dx * dx + dy * dy);
    const double white = 0.86 - 0.9 * std::max(0.0, std::abs(dx) - 0.06);
    const double spokes = 0.05 * face::smooth_noise(std::atan2(dy, dx) * 6, r * 30, person_.noise + 3);
    const double iris = person_.iris + spokes + 0.10 * rise(r, 0.02, 0.08) - 0.2 * rise(r, 0.075, 0.095);
    double value = mix(iris, white, rise(r, 0.083, 0.107));
    value = mix(0.03, value, rise(r, 0.028, 0.048));
    const double cx = dx - 0.035 * std::clamp(2 * light_[0], -1.0, 1.0), cy = dy + 0.035;
    return mix(1.0, value, rise(std::sqrt(cx * cx + cy * cy), 0.012, 0.034));
  }

  double inner_mouth(const face::SurfacePoint& s, const face::Texel& t) const {
    const double below_lip = t.between * std::max(0.0, opening_) * face::open_across(s.x);
    const double teeth = (1 - rise(below_lip, 0.050, 0.075)) * rise(below_lip, 0.0, 0.02) *
                         (1 - rise(std::abs(s.x), 0.17, 0.24));
    const double gap = 1 - 0.25 * std::pow(std::cos(s.x * 52), 8);
    return mix(0.07 + 0.10 * rise(t.between, 0.6, 1.0), 0.78 * gap, teeth * rise(opening_, 0.02, 0.08));
  }

  const FaceParameters& face_;
  Person person_;
  face::Rotation rotation_;
  double light_[3] = {};
  Eye eyes_[2];
  double opening_;
};

// A stream of noise that depends on the parameters: the frames of a video have independent noise.
std::uint64_t noise_stream(const FaceParameters& face) {
  std::uint64_t stream = 11;
  for (const double value : {face.x_px, face.y_px, face.yaw, face.roll, face.expression[1]}) {
    stream = (stream ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
  }
  return stream;
}

void check_magnitude(double value, double most, const char* what) {
  require(std::abs(value) <= most, what, " of a synthetic face cannot be ", value, ": ", most,
          " is the largest magnitude");
}

void check_detail(const FaceDetail& d) {
  for (const double value : d.shape) check_magnitude(value, 10, "shape");
  check_magnitude(d.depth, 10, "depth");
  for (const double value : {d.hardness, d.ambient, d.creases, d.gloss, d.sockets, d.neck_shadow})
    check_magnitude(value, 100, "the light");
  for (const double value :
       {d.wrinkles, d.skin_noise, d.brows, d.lashes, d.lips,        d.iris,        d.eye_white,
        d.beard,    d.moustache,  d.hair,  d.fringe, d.hair_volume, d.hair_bottom, d.hair_inner,
        d.parting,  d.glasses,    d.tint,  d.cloth,  d.collar,      d.background})
    check_magnitude(value, 100, "the appearance");
  check_magnitude(d.clutter, 4, "clutter");
  const auto positive = [](double value, double most, const char* what) {
    check_magnitude(value, most, what);
    require(value > 0, what, " of a synthetic face must be positive, not ", value);
  };
  positive(d.brow_thickness, 100, "brow_thickness");
  positive(d.glasses_width, 100, "glasses_width");
  positive(d.gamma, 10, "gamma");
  check_magnitude(d.blur_px, 50, "blur_px");
  check_magnitude(d.quantisation, 1000, "quantisation");
}

}  // namespace

Example render_face(const FaceParameters& face, int width, int height) {
  require(width >= 16 && height >= 16 && width <= 8192 && height <= 8192,
          "a synthetic face needs an image of 16 x 16 to 8192 x 8192 pixels, not ", width, " x ", height);
  require(face.size_px > 0 && face.size_px < 1e5, "a face cannot be ", face.size_px,
          " pixels large (size_px)");
  for (const double value : face.identity) check_magnitude(value, 10, "identity");
  for (const double value : face.expression) check_magnitude(value, 10, "expression");
  check_magnitude(face.yaw, 10, "yaw");
  check_magnitude(face.pitch, 10, "pitch");
  check_magnitude(face.roll, 10, "roll");
  check_magnitude(face.x_px, 1e6, "x_px");
  check_magnitude(face.y_px, 1e6, "y_px");
  check_magnitude(face.light_x, 1000, "light_x");
  check_magnitude(face.light_y, 1000, "light_y");
  check_magnitude(face.skin, 100, "skin");
  check_magnitude(face.contrast, 100, "contrast");
  check_magnitude(face.noise, 1000, "noise");
  if (face.detail) check_detail(*face.detail);
  const face::Mesh mesh(face);
  if (face.detail) return {face::paint_varied(face, mesh, width, height), mesh.landmarks(), {}};
  const std::vector<face::SurfacePoint> seen = mesh.rasterise(width, height);
  const Painter painter(face, mesh);
  const face::Maps& maps = face::maps();
  const PhiloxStream random(face.seed, noise_stream(face));

  Example out;
  out.image = Image<Grey8>(width, height);
  parallel_for(0, height, 0, [&](std::int64_t y) {
    NormalPair noise{};
    for (std::int64_t x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y * width + x);
      const face::SurfacePoint& s = seen[i];
      const face::Texel t = s.hit ? maps.at(s.x, s.y) : face::Texel{};
      double value = 0;
      if (t.cover < 1) {
        value = painter.background(2.0 * static_cast<double>(x) / width - 1,
                                   2.0 * static_cast<double>(y) / height - 1);
      }
      if (t.cover > 0) value += t.cover * (painter.head(s, t) - value);
      if (i % 2 == 0) {
        const Philox4x32 words = random.block(i / 2);
        noise = normal_pair(words.words[0], words.words[1]);
      }
      // Highlights are compressed, not clipped.
      const double soft = value < 0.7 ? value : 1 - 0.3 * std::exp(-(value - 0.7) / 0.3);
      const double grey = 128 + face.contrast * (250 * soft - 128);
      out.image.pixels[i] = {static_cast<std::uint8_t>(
          std::clamp(grey + face.noise * static_cast<double>(i % 2 == 0 ? noise.first : noise.second), 0.0,
                     255.0) +
          0.5)};
    }
  });
  out.landmarks = mesh.landmarks();
  return out;
}

}  // namespace triptych::aam_fit
