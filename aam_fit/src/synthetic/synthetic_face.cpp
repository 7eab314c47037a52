// Random parameters of synthetic faces, and of a face in motion.
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>

#include <cmath>
#include <numbers>

namespace triptych::aam_fit {

namespace {

// Triangular distribution on -1..1.
double around_zero(PhiloxStream& random) {
  return static_cast<double>(random.next_uniform()) + static_cast<double>(random.next_uniform()) - 1;
}

}  // namespace

FaceParameters random_face(std::uint64_t seed, std::int64_t number) {
  PhiloxStream random(seed, static_cast<std::uint64_t>(number));
  FaceParameters face;
  for (double& p : face.identity) p = around_zero(random);
  const auto share = [&](double most) { return most * static_cast<double>(random.next_uniform()); };
  face.expression = {share(1), share(1), share(1), share(0.5)};
  face.yaw = 0.22 * around_zero(random);
  face.pitch = 0.15 * around_zero(random);
  face.roll = 0.2 * around_zero(random);
  face.x_px = 128 + 8 * around_zero(random);
  face.y_px = 128 + 8 * around_zero(random);
  face.size_px = 122 + 10 * around_zero(random);
  face.light_x = 0.9 * around_zero(random);
  face.light_y = -0.35 + 0.5 * around_zero(random);
  face.skin = 0.6 + 0.3 * around_zero(random);
  face.contrast = 1 + 0.2 * around_zero(random);
  face.seed = static_cast<std::uint64_t>(random.next()) << 32 | random.next();
  return face;
}

FaceParameters face_in_motion(std::uint64_t seed, double seconds) {
  require(std::isfinite(seconds), "a face in motion has no frame at ", seconds, " seconds");
  FaceParameters face = random_face(seed, 0);
  const auto wave = [&](double period, double phase) {
    return std::sin(2 * std::numbers::pi * (seconds / period + phase));
  };
  face.yaw = 0.17 * wave(5.3, 0);
  face.pitch = 0.09 * wave(4.1, 0.2);
  face.roll = 0.10 * wave(6.7, 0.1);
  face.x_px = 128 + 13 * wave(6.1, 0.05);
  face.y_px = 126 + 6 * wave(4.7, 0.4);
  face.size_px = 122 + 6 * wave(7.9, 0.3);
  face.light_x = 0.5 * wave(9.7, 0.15);
  const double talk = 0.5 + 0.5 * wave(3.1, 0.7);
  face.expression[0] = 0.5 + 0.45 * wave(4.9, 0.75);
  face.expression[1] = talk * (0.35 + 0.35 * wave(0.6, 0));
  face.expression[2] = 0.4 + 0.4 * wave(3.7, 0.5);
  const double since_blink = std::fmod(seconds + 1.2, 2.6);
  face.expression[3] = 0.1 + 0.55 * std::exp(-std::pow((since_blink - 0.3) / 0.11, 2));
  return face;
}

std::vector<int> mirror_of_68() {
  std::vector<int> mirror(68);
  const auto swap = [&](int a, int b) {
    mirror[static_cast<std::size_t>(a)] = b;
    mirror[static_cast<std::size_t>(b)] = a;
  };
  for (int i = 0; i <= 8; ++i) swap(i, 16 - i);     // jaw
  for (int i = 17; i <= 21; ++i) swap(i, 43 - i);   // brows
  for (int i = 27; i <= 30; ++i) swap(i, i);        // ridge of the nose
  for (int i = 31; i <= 33; ++i) swap(i, 66 - i);   // its base
  for (int i = 36; i <= 39; ++i) swap(i, 81 - i);   // eyes, upper lids
  for (int i = 40; i <= 41; ++i) swap(i, 87 - i);   // lower lids
  for (int i = 48; i <= 51; ++i) swap(i, 102 - i);  // outer upper lip
  for (int i = 57; i <= 59; ++i) swap(i, 114 - i);  // outer lower lip
  for (int i = 60; i <= 62; ++i) swap(i, 124 - i);  // inner upper lip
  for (int i = 66; i <= 67; ++i) swap(i, 132 - i);  // inner lower lip
  return mirror;
}

}  // namespace triptych::aam_fit
