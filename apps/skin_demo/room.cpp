#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "room.hpp"

namespace triptych::skin_demo {

using skin_tracker::Eye;
using skin_tracker::Frustum;

namespace {

using Vec = cv::Vec3f;

constexpr double screen_width_m = 0.40;
constexpr float room_depth = 0.55F;
constexpr float grid = 0.05F;
constexpr float rod_radius = 0.0022F;
constexpr int samples = 2;  // rays a side of a pixel on an edge

// Facing the viewer; the nearest first, so that the first one hit is the one seen.
struct Target {
  float x, y, z, radius;
};
constexpr std::array<Target, 7> targets{{{-0.085F, -0.045F, 0.045F, 0.026F},
                                         {0.105F, 0.055F, -0.02F, 0.028F},
                                         {0.02F, -0.075F, -0.09F, 0.03F},
                                         {-0.12F, 0.07F, -0.16F, 0.032F},
                                         {0.13F, -0.06F, -0.24F, 0.034F},
                                         {-0.02F, 0.045F, -0.33F, 0.036F},
                                         {-0.10F, -0.06F, -0.42F, 0.036F}}};

float smooth_step(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

// How much of the lamp's light reaches a point: targets cast soft shadows.
float light_at(const Vec& p, const Vec& lamp) {
  float light = 1;
  for (const Target& t : targets) {
    const float way = lamp[2] - p[2];
    const float along = std::abs(way) < 1e-6F ? -1.0F : (t.z - p[2]) / way;
    if (along <= 1e-3F || along >= 1) continue;
    const float dx = p[0] + along * (lamp[0] - p[0]) - t.x;
    const float dy = p[1] + along * (lamp[1] - p[1]) - t.y;
    const float off = (dx * dx + dy * dy) / (t.radius * t.radius);
    if (off < 1.5F) light *= 0.3F + 0.7F * smooth_step(0.55F, 1.5F, off);
  }
  return light;
}

// Colours are BGR, 0 .. 1.
Vec shade_wall(const Vec& p, const Vec& normal, const Vec& lamp, const Vec& base) {
  const Vec to_lamp = lamp - p;
  const float distance = std::sqrt(to_lamp.dot(to_lamp));
  const float facing = std::max(0.0F, normal.dot(to_lamp) / distance);
  const float lambert = 1.5F * facing / (1 + 22 * distance * distance);
  const float fog = std::exp(1.1F * p[2]);
  const float glow = (0.20F + lambert * light_at(p, lamp)) * fog;
  // Lines of the grid, on the two axes that lie in the wall.
  float line = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (normal[axis] != 0) continue;
    const float off = std::abs(p[axis] - grid * std::round(p[axis] / grid));
    line = std::max(line, 1 - smooth_step(0.0005F, 0.0014F, off));
  }
  return base * glow + Vec(0.30F, 0.27F, 0.24F) * (line * (0.35F + lambert) * fog);
}

// A bull's eye, slightly domed; u and v are places on it in radii.
Vec shade_target(float u, float v, float z, const Vec& lamp, const Target& t) {
  const float r = std::sqrt(u * u + v * v);
  const bool red = static_cast<int>(r * 5) % 2 == 0;
  const Vec paint = red ? Vec(0.03F, 0.03F, 0.62F) : Vec(0.80F, 0.84F, 0.86F);
  Vec normal(0.55F * u, 0.55F * v, 1);
  normal /= std::sqrt(normal.dot(normal));
  Vec to_lamp = lamp - Vec(t.x + u * t.radius, t.y + v * t.radius, z);
  to_lamp[2] = std::max(to_lamp[2], 0.0F) + 0.25F;  // some light comes from the viewer's room
  to_lamp /= std::sqrt(to_lamp.dot(to_lamp));
  const float diffuse = std::max(0.0F, normal.dot(to_lamp));
  const Vec half_way = (to_lamp + Vec(0, 0, 1)) / 2;
  const float shine =
      std::pow(std::max(0.0F, normal.dot(half_way / std::sqrt(half_way.dot(half_way)))), 60.0F);
  const float rim = 1 - 0.45F * smooth_step(0.93F, 1.0F, r);
  const float fog = std::exp(1.3F * std::min(z, 0.0F));
  return (paint * (0.10F + 0.85F * diffuse * diffuse) * rim + Vec(1, 1, 1) * (0.22F * shine)) * fog;
}

// Where the ray first meets the rod that holds a target, as a share of the direction; infinity when it does
// not.
float meet_rod(const Vec& eye, const Vec& d, const Target& t) {
  const float ex = eye[0] - t.x;
  const float ey = eye[1] - t.y;
  const float a = d[0] * d[0] + d[1] * d[1];
  const float b = ex * d[0] + ey * d[1];
  const float c = ex * ex + ey * ey - rod_radius * rod_radius;
  const float root = b * b - a * c;
  if (a <= 0 || root < 0) return INFINITY;
  const float s = (-b - std::sqrt(root)) / a;
  const float z = eye[2] + s * d[2];
  return s > 0 && z < t.z && z > -room_depth ? s : INFINITY;
}

Vec trace(const Vec& eye, const Vec& d, float half_width, float half_height, const Vec& lamp) {
  float nearest_rod = INFINITY;
  for (const Target& t : targets) nearest_rod = std::min(nearest_rod, meet_rod(eye, d, t));
  for (const Target& t : targets) {
    const float s = (t.z - eye[2]) / d[2];
    if (s <= 0) continue;
    if (s > nearest_rod) break;
    const float u = (eye[0] + s * d[0] - t.x) / t.radius;
    const float v = (eye[1] + s * d[1] - t.y) / t.radius;
    if (u * u + v * v <= 1) return shade_target(u, v, t.z, lamp, t);
  }
  if (nearest_rod < INFINITY) {
    const float z = eye[2] + nearest_rod * d[2];
    return Vec(0.42F, 0.44F, 0.46F) * std::exp(2.2F * std::min(z, 0.0F));
  }
  // The box's walls: the ray leaves through the one it meets first.
  const float to_back = (-room_depth - eye[2]) / d[2];
  const float to_side = d[0] == 0 ? INFINITY : (std::copysign(half_width, d[0]) - eye[0]) / d[0];
  const float to_floor = d[1] == 0 ? INFINITY : (std::copysign(half_height, d[1]) - eye[1]) / d[1];
  if (to_back <= to_side && to_back <= to_floor) {
    return shade_wall(eye + to_back * d, Vec(0, 0, 1), lamp, Vec(0.62F, 0.56F, 0.46F));
  }
  if (to_side <= to_floor) {
    return shade_wall(eye + to_side * d, Vec(d[0] > 0 ? -1.0F : 1.0F, 0, 0), lamp, Vec(0.66F, 0.52F, 0.38F));
  }
  const bool ceiling = d[1] > 0;
  return shade_wall(eye + to_floor * d, Vec(0, ceiling ? -1.0F : 1.0F, 0), lamp,
                    ceiling ? Vec(0.58F, 0.56F, 0.54F) : Vec(0.34F, 0.46F, 0.60F));
}

cv::Vec3b displayed(const Vec& colour) {
  cv::Vec3b bytes;
  for (int c = 0; c < 3; ++c) {
    bytes[c] =
        static_cast<std::uint8_t>(255 * std::sqrt(std::clamp(colour[c], 0.0F, 1.0F)) + 0.5F);  // gamma of 2
  }
  return bytes;
}

bool is_edge(const cv::Mat& picture, int x, int y) {
  constexpr int contrast = 14;
  const cv::Vec3b& here = picture.at<cv::Vec3b>(y, x);
  for (const cv::Vec3b& there : {picture.at<cv::Vec3b>(y, x - 1), picture.at<cv::Vec3b>(y, x + 1),
                                 picture.at<cv::Vec3b>(y - 1, x), picture.at<cv::Vec3b>(y + 1, x)}) {
    if (std::abs(here[1] - there[1]) > contrast || std::abs(here[2] - there[2]) > contrast) return true;
  }
  return false;
}

}  // namespace

Eye eye_before_screen(double x_px, double y_px, double distance_m, cv::Size frame) {
  const skin_tracker::Camera camera{frame.width, frame.height};
  const double distance = std::isfinite(distance_m) ? std::clamp(distance_m, 0.2, 3.0) : 0.6;
  return skin_tracker::eye_of(x_px, y_px, distance, camera);
}

cv::Mat draw_room(const Eye& eye, cv::Size size) {
  const double screen_height_m = screen_width_m * size.height / size.width;
  const Frustum f = skin_tracker::off_axis_frustum(eye, screen_width_m, screen_height_m, 0.05, 10);
  const Vec from(static_cast<float>(eye.x_m), static_cast<float>(eye.y_m), static_cast<float>(eye.z_m));
  const float half_width = static_cast<float>(screen_width_m / 2);
  const float half_height = static_cast<float>(screen_height_m / 2);
  const Vec lamp(0.03F, half_height - 0.02F, -0.14F);
  // The colour at a place of the picture, in pixels from its upper left corner.
  const auto look = [&](double x, double y) {
    const double u = x / size.width;
    const double v = 1 - y / size.height;
    const Vec through(static_cast<float>(f.left + u * (f.right - f.left)),
                      static_cast<float>(f.bottom + v * (f.top - f.bottom)), static_cast<float>(-f.near));
    return trace(from, through, half_width, half_height, lamp);
  };
  cv::Mat once(size, CV_8UC3);
  parallel_for(0, size.height, 0, [&](std::int64_t row) {
    auto* out = once.ptr<cv::Vec3b>(static_cast<int>(row));
    for (int x = 0; x < size.width; ++x) out[x] = displayed(look(x + 0.5, static_cast<double>(row) + 0.5));
  });
  // Where neighbours differ there is an edge: the mean of more rays smooths it.
  cv::Mat picture = once.clone();
  parallel_for(1, size.height - 1, 0, [&](std::int64_t row) {
    const int y = static_cast<int>(row);
    for (int x = 1; x + 1 < size.width; ++x) {
      if (!is_edge(once, x, y)) continue;
      Vec sum(0, 0, 0);
      for (int i = 0; i < samples * samples; ++i) {
        const int across = i % samples;
        const int down = i / samples;
        const Vec colour = look(x + (across + 0.5) / samples, y + (down + 0.5) / samples);
        for (int c = 0; c < 3; ++c) sum[c] += std::clamp(colour[c], 0.0F, 1.0F);
      }
      picture.at<cv::Vec3b>(y, x) = displayed(sum / static_cast<float>(samples * samples));
    }
  });
  return picture;
}

}  // namespace triptych::skin_demo
