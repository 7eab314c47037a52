#include <triptych/core/parallel.hpp>

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

#include "stage.hpp"

namespace triptych::capsule_demo {

using capsule_likelihood::Capsule;

namespace {

constexpr float grid_m = 0.5F;
constexpr float shadow_half_m = 1.6F;  // half the side of the map of the shadow
constexpr int shadow_px = 192;

// Seen from above, about middle: how much light each point of the floor loses.
cv::Mat shadow_map(std::span<const Capsule> body, float floor_y, const Vec& middle) {
  cv::Mat map = cv::Mat::zeros(shadow_px, shadow_px, CV_32F);
  constexpr float scale = shadow_px / (2 * shadow_half_m);
  constexpr int shift = 4;
  const auto position = [&](const capsule_likelihood::Vec3& p) {
    const auto fixed = [](float v) { return static_cast<int>(std::lround(std::clamp(v, -1e4F, 1e4F) * 16)); };
    return cv::Point(fixed((p.x - middle[0] + shadow_half_m) * scale),
                     fixed((p.z - middle[2] + shadow_half_m) * scale));
  };
  cv::Mat one = cv::Mat::zeros(map.size(), CV_8U);
  cv::Mat low = one.clone();
  for (const Capsule& c : body) {
    const int thick = std::max(1, static_cast<int>(std::lround(2 * c.radius_m * scale)));
    cv::line(one, position(c.a), position(c.b), cv::Scalar(255), thick, cv::LINE_AA, shift);
    // What is near the floor has a darker, sharper shadow.
    if (std::min(c.a.y, c.b.y) - c.radius_m < floor_y + 0.25F)
      cv::line(low, position(c.a), position(c.b), cv::Scalar(255), thick, cv::LINE_AA, shift);
  }
  cv::Mat wide, tight;
  cv::GaussianBlur(one, wide, {}, 0.10 * scale);
  cv::GaussianBlur(low, tight, {}, 0.025 * scale);
  for (int i = 0; i < map.rows * map.cols; ++i) {
    const float dim = 0.55F * static_cast<float>(wide.data[i]) / 255;
    const float dark = 0.55F * static_cast<float>(tight.data[i]) / 255;
    map.ptr<float>()[i] = 1 - (1 - dim) * (1 - dark);
  }
  return map;
}

float sample(const cv::Mat& map, float x, float y) {
  const int ix = static_cast<int>(std::floor(x));
  const int iy = static_cast<int>(std::floor(y));
  if (ix < 0 || iy < 0 || ix + 1 >= map.cols || iy + 1 >= map.rows) return 0;
  const float fx = x - static_cast<float>(ix);
  const float fy = y - static_cast<float>(iy);
  const auto at = [&](int dx, int dy) { return map.at<float>(iy + dy, ix + dx); };
  return (at(0, 0) * (1 - fx) + at(1, 0) * fx) * (1 - fy) + (at(0, 1) * (1 - fx) + at(1, 1) * fx) * fy;
}

// How much of a pixel that spans this much of the floor a line of the grid covers.
float line_cover(float v, float span) {
  constexpr float half_width = 0.004F;
  const float away = std::abs(v - grid_m * std::round(v / grid_m));
  return std::clamp((half_width + span / 2 - away) / std::max(span, 1e-6F), 0.0F, 1.0F) *
         std::clamp(0.25F * grid_m / std::max(span, 1e-6F), 0.0F, 1.0F);
}

}  // namespace

cv::Mat draw_stage(const View& view, std::span<const Capsule> body, float floor_y, const Vec& middle) {
  const cv::Mat shadow = shadow_map(body, floor_y, middle);
  constexpr float scale = shadow_px / (2 * shadow_half_m);
  cv::Mat stage(view.size, CV_8UC3);
  parallel_for(0, view.size.height, 0, [&](std::int64_t row) {
    auto* out = stage.ptr<cv::Vec3b>(static_cast<int>(row));
    const float v = (static_cast<float>(row) + 0.5F) / static_cast<float>(view.size.height);
    for (int x = 0; x < view.size.width; ++x) {
      const float u = (static_cast<float>(x) + 0.5F) / static_cast<float>(view.size.width);
      // A light wall behind, darker towards the corners.
      const float off = (u - 0.5F) * (u - 0.5F) + (v - 0.42F) * (v - 0.42F);
      const float glow = 1 / ((1 + 2.6F * off) * (1 + 2.6F * off));
      Vec colour = Vec(27, 21, 18) + glow * Vec(27, 21, 17);
      const Vec ray = view.ray(static_cast<float>(x) + 0.5F, static_cast<float>(row) + 0.5F);
      const float t = ray[1] < -1e-4F ? (floor_y - view.eye[1]) / ray[1] : -1;
      if (t > 0) {
        const Vec at = view.eye + t * ray;
        const float away2 =
            (at[0] - middle[0]) * (at[0] - middle[0]) + (at[2] - middle[2]) * (at[2] - middle[2]);
        const float fade = 1 / (1 + away2 / 5);
        const float bright = fade * fade;
        const float span_x = t / view.focal_px;
        const float span_z = t / (view.focal_px * std::max(0.02F, -ray[1] / std::sqrt(ray.dot(ray))));
        const float line =
            std::max(line_cover(at[0], span_x + 0.5F * (span_z - span_x) * std::abs(view.forward[0])),
                     line_cover(at[2], span_z));
        const float lost = sample(shadow, (at[0] - middle[0] + shadow_half_m) * scale,
                                  (at[2] - middle[2] + shadow_half_m) * scale);
        colour += bright * (Vec(30, 25, 21) + line * Vec(58, 50, 42));
        colour *= 1 - lost;
      }
      for (int c = 0; c < 3; ++c) out[x][c] = cv::saturate_cast<std::uint8_t>(colour[c]);
    }
  });
  return stage;
}

}  // namespace triptych::capsule_demo
