#include <triptych/core/length.hpp>

#include <numbers>

#include "synthetic/synthetic_person.hpp"

namespace triptych::skin_tracker::synthetic {

namespace {

constexpr Colour skin{228, 178, 148};
constexpr Colour dark_hair{32, 38, 56};
constexpr Colour brown{74, 50, 40};
constexpr Colour sweater{52, 84, 128};

constexpr double frames_per_second = 30;
constexpr double two_pi = 2 * std::numbers::pi;

// An approximation of sin(2 pi turns) by two parabolas, for cloth.
float wave(float turns) {
  const float t = turns - static_cast<float>(static_cast<int>(turns + 512) - 512);
  return t < 0.5f ? 16 * t * (0.5f - t) : -16 * (t - 0.5f) * (1 - t);
}

}  // namespace

Pose pose_at(int frame, const SyntheticOptions& options) {
  const double t = frame / frames_per_second;
  const double w = options.width, h = options.height;
  const double unit = std::min(w, h);
  const double start = two_pi * hash01(static_cast<int>(options.seed & 0x7FFFFFFF), 1, 81);
  const bool first_scene = options.seed == SyntheticOptions{}.seed;
  const double phase = first_scene ? 0 : start;
  const double face = 0.118 * unit * (1 + 0.28 * std::sin(two_pi * 0.11 * t + 1.7 * phase));
  const double x = 0.5 * w + 0.19 * w * std::sin(two_pi * 0.16 * t + phase);
  const double y = 0.45 * h + 0.05 * h * std::sin(two_pi * 0.23 * t + 0.4 + 2.3 * phase);
  const double tilt = 0.30 * std::sin(two_pi * 0.19 * t + 0.3 + 0.6 * phase);
  // The hand waves beside the head, approaches it and changes height. It never covers the head.
  const double beside = 2.75 + 0.55 * std::sin(two_pi * 0.31 * t + 0.5);
  const double wave = 0.5 * std::sin(two_pi * 0.9 * t);
  return {static_cast<float>(x),
          static_cast<float>(y),
          static_cast<float>(face),
          static_cast<float>(1.28 * face),
          static_cast<float>(tilt),
          static_cast<float>(x + beside * face),
          static_cast<float>(y + face * (0.5 + 0.9 * std::sin(two_pi * 0.21 * t + 2))),
          static_cast<float>(wave),
          options.distractor};
}

Person::Person(const Pose& pose)
    : pose_(pose),
      across_(1 / pose.face_width),
      down_(1 / pose.face_height),
      cos_(std::cos(pose.tilt)),
      sin_(std::sin(pose.tilt)),
      hand_cos_(std::cos(pose.hand_turn)),
      hand_sin_(std::sin(pose.hand_turn)) {}

Person::Columns Person::columns(int y, int width) const {
  const float up = pose_.y - static_cast<float>(y);
  const float reach = 4.2f * pose_.face_width;
  if (up > 2.2f * pose_.face_height) return {0, 0};
  const float left = pose_.x - reach, right = pose_.x + reach + (pose_.hand ? 2.0f * pose_.face_width : 0);
  const int first = std::clamp(static_cast<int>(left), 0, width);
  return {first, std::clamp(static_cast<int>(right) + 1, first, width)};
}

Colour Person::paint(float x, float y, const Colour& behind) const {
  // The soft shadow on the wall, to the right of and below the head and shoulders.
  const float u = (x - pose_.x) * across_, v = (y - pose_.y) * down_;
  const float hu = (u - 0.75f) * 0.74f, hv = (v - 0.35f) * 0.74f;
  const float tu = (u - 0.7f) * 0.38f, tv = (v - 3.6f) * 0.43f;
  const float shadow =
      smooth_step(2.1f, 0.45f, std::min(hu * hu + hv * hv, 0.8f * (tu * tu + tv * tv) + 0.3f));
  Colour out = (1 - 0.34f * shadow) * behind;
  out = paint_body(u, v, out);
  out = paint_head(x, y, out);
  return pose_.hand ? paint_hand(x, y, out) : out;
}

Colour Person::paint_body(float dx, float dy, Colour out) const {
  const float a = pose_.face_width;
  if (dy < 0.4f) return out;
  // The shoulders are the upper part of a wide ellipse; the arms are at its sides.
  const float shoulders = ellipse_distance(dx, dy - 3.0f, 2.35f, 1.72f);
  const float cloth = coverage(shoulders * a);
  if (cloth > 0) {
    const float fold = 0.93f + 0.07f * wave(0.8f * dx + 0.25f * wave(0.35f * dy));
    const float knit = 0.96f + 0.04f * wave(9 * dx) * wave(9 * dy);
    const float light = 0.70f + 0.34f * smooth_step(0.1f, -0.9f, shoulders) - 0.10f * dx;
    const float arm = 1 - 0.30f * smooth_step(0.10f, 0.0f, std::abs(std::abs(dx) - 1.45f - 0.1f * dy)) *
                              smooth_step(2.0f, 2.6f, dy);
    out = mix(out, (fold * knit * light * arm) * sweater, cloth);
  }
  // The collar covers the neck: only the face is skin.
  const float neck = std::max(std::abs(dx - 0.25f * sin_ * (1.5f - dy)) - (0.56f + 0.10f * (dy - 0.6f)),
                              std::max(0.55f - dy, dy - 1.52f + 0.12f * dx * dx));
  const float collar = coverage(neck * a);
  if (collar > 0) {
    const float rib = 0.90f + 0.10f * wave(4.8f * dx);
    const float chin = 1 - 0.45f * smooth_step(1.35f, 1.0f, dy);
    out = mix(out, (rib * chin * (1.0f - 0.35f * dx * dx - 0.12f * dx)) * sweater, collar);
  }
  return out;
}

Colour Person::paint_head(float x, float y, Colour out) const {
  const float a = pose_.face_width, b = pose_.face_height;
  const float dx = x - pose_.x, dy = y - pose_.y;
  const float across = cos_ * dx + sin_ * dy, down = -sin_ * dx + cos_ * dy;  // upright, in pixels
  if (std::abs(across) > 1.5f * a || std::abs(down) > 1.6f * b) return out;
  // Hair around the upper part of the head, down to the chin at the sides.
  const float crown = ellipse_distance(across, down + 0.16f * b, 1.24f * a, 1.20f * b);
  const float side = std::max(ellipse_distance(across, down - 0.10f * b, 1.27f * a, 1.12f * b),
                              down - 0.80f * b + 0.10f * std::abs(across));
  const float hair = std::min(crown, side);
  const float low = std::max(hair, down - 0.80f * b);
  const float covered = coverage(low);
  if (covered > 0) {
    const float angle = std::atan2(across, -(down - 0.3f * b));
    const float strands = 0.86f + 0.14f * std::sin(46 * angle + 3 * std::sin(7 * angle));
    const float gloss = smooth_step(0.34f, 0.0f, std::abs(length(across, down + 0.1f * b) / b - 1.10f)) *
                        smooth_step(0.9f, 0.1f, std::abs(angle + 0.45f));
    out = mix(out, strands * mix(dark_hair, {82, 94, 118}, 0.75f * gloss), covered);
  }
  const float face = coverage(ellipse_distance(across, down, a, b));
  return face > 0 ? mix(out, paint_face(across / a, down / b), face) : out;
}

// In units of the semi-axes. The first moment about the centre is 0 for every colour that is not skin (brows
// and eyes above, mouth and chin below), and the shading of skin is symmetric. The centroid is therefore the
// centre of the ellipse for every filter.
Colour Person::paint_face(float u, float v) const {
  const float a = pose_.face_width;
  const float r2 = u * u + v * v;
  const float au = std::abs(u);
  const auto soft = [&](float distance_in_a) { return coverage(distance_in_a * a); };
  Colour out = (1.03f - 0.25f * r2 * r2) * skin;

  // Round cheeks and, opposite them, the temples.
  const float cheek = length((au - 0.50f) / 0.30f, (std::abs(v) - 0.24f) / 0.24f);
  out = mix(out, {228, 160, 136}, 0.40f * smooth_step(1.0f, 0.1f, cheek));
  // The nose: a ridge with a soft flank on either side, and nostrils.
  const float ridge = std::abs(au - 0.11f - 0.04f * std::abs(v)) / 0.055f;
  out = (1 - 0.09f * smooth_step(1, 0, ridge) * smooth_step(0.27f, 0.12f, std::abs(v))) * out;
  out = mix(out, {150, 98, 84},
            0.8f * soft(ellipse_distance(au - 0.085f, (v - 0.215f) * 1.28f, 0.05f, 0.026f)));

  // Eyes: white, iris, pupil, a spark, the lid.
  const float eu = au - 0.40f, ev = (v + 0.13f) * 1.28f;
  const float lens = std::max(length(eu, ev - 0.155f) - 0.255f, length(eu, ev + 0.145f) - 0.245f);
  const float white = soft(lens);
  if (white > 0) {
    const float from_middle = length(eu, ev);
    Colour eye = {216, 228, 240};
    eye = mix(eye, {70, 108, 128}, soft(from_middle - 0.088f));
    eye = mix(eye, {28, 32, 40}, soft(from_middle - 0.044f));
    eye = mix(eye, {250, 250, 252}, soft(length(u - (u < 0 ? -0.40f : 0.40f) + 0.03f, ev + 0.03f) - 0.022f));
    out = mix(out, eye, white);
  }
  const float lid = std::abs(length(eu, ev - 0.155f) - 0.262f) - 0.016f;
  out = mix(out, brown, soft(std::max({lid, au < 0.40f ? 0.18f - au : au - 0.625f, ev - 0.01f})));
  // Brows.
  const float brow = std::abs(length(eu, ev - 0.29f) - 0.52f) - 0.036f * (1.15f - 1.4f * std::abs(eu));
  out = mix(out, brown, soft(std::max({brow, std::abs(eu - 0.01f) - 0.25f, ev})));

  // The mouth: the region between two arcs, with teeth in its upper part and lips around it.
  const float mv = (v - 0.50f) * 1.28f;
  const float below = length(u, mv + 0.30f) - 0.455f;  // inside the lower arc
  const float above = 0.88f - length(u, mv + 0.86f);   // outside the upper arc
  const float mouth = std::max(below, above);
  out = mix(out, {198, 148, 118}, soft(mouth - 0.035f));
  Colour inner = brown;
  inner = mix(inner, {216, 228, 240}, soft(std::max(length(u, mv + 0.86f) - 0.945f, au - 0.26f)));
  out = mix(out, inner, soft(mouth));
  return out;
}

Colour Person::paint_hand(float x, float y, Colour out) const {
  const float a = pose_.face_width;
  const float dx = (x - pose_.hand_x) / a, dy = (y - pose_.hand_y) / a;
  if (std::abs(dx) > 2.4f || dy < -1.8f) return out;
  const float u = hand_cos_ * dx + hand_sin_ * dy, v = -hand_sin_ * dx + hand_cos_ * dy;
  // The forearm with its sleeve extends from the wrist down towards the body.
  const float arm = capsule_distance(u, v, 0, 0.98f, -0.25f, 6.5f, 0.40f);
  float hand = ellipse_distance(u, v, 0.46f, 0.52f);
  for (int finger = 0; finger < 4; ++finger) {
    const float spread = (static_cast<float>(finger) - 1.5f);
    const float length = 0.98f - 0.09f * spread * spread;
    hand = std::min(hand, capsule_distance(u, v, 0.22f * spread, -0.30f, 0.34f * spread, -length, 0.115f));
  }
  hand = std::min(hand, capsule_distance(u, v, -0.28f, 0.15f, -0.72f, -0.24f, 0.125f));  // the thumb
  hand = std::min(hand, capsule_distance(u, v, 0, 0.3f, 0, 0.75f, 0.27f));               // the wrist
  const float skin_share = coverage(hand * a);
  if (skin_share > 0) out = mix(out, (1.0f - 0.22f * smooth_step(-0.12f, 0.02f, hand)) * skin, skin_share);
  const float cloth = coverage(std::max(arm, 0.60f - v) * a);
  if (cloth > 0) {
    const float round = 1.05f - 0.45f * smooth_step(-0.3f, 0.02f, arm);
    const float cuff = v < 0.80f ? 0.90f + 0.10f * wave(6.4f * u) : 1.0f;
    out = mix(out, (round * cuff) * sweater, cloth);
  }
  return out;
}

}  // namespace triptych::skin_tracker::synthetic
