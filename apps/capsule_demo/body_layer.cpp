#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "body_layer.hpp"

namespace triptych::capsule_demo {

using capsule_likelihood::Capsule;

namespace {

constexpr int samples = 2;  // rays a pixel, each way
constexpr float nearest_m = 0.05F;
constexpr float blend_m = 0.012F;  // creases between capsules closer than this are shaded softly
constexpr float infinite = std::numeric_limits<float>::infinity();

// A capsule, prepared for the rays of one eye.
struct Solid {
  Vec a, axis, from_a, from_b;  // axis: from a to b; from_a: from a to the eye
  float radius, axis2, along, rest;
  Vec tint;
  cv::Rect box;  // of its picture
};

// Of the two balls at its ends; the capsule's picture lies in their convex hull.
cv::Rect box_of(const View& view, const Capsule& capsule) {
  float left = infinite, top = infinite, right = -infinite, bottom = -infinite;
  for (const Vec& end : {vec(capsule.a), vec(capsule.b)}) {
    const float depth = view.depth(end);
    if (depth - capsule.radius_m < nearest_m) return {};
    const cv::Point2f middle = view.position(end);
    // A ball off the axis is drawn longer than on it, by less than its obliqueness.
    const cv::Point2f off = middle - view.middle();
    const float oblique = 1 + (off.dot(off)) / (view.focal_px * view.focal_px);
    const float reach = oblique * view.focal_px * capsule.radius_m / (depth - capsule.radius_m) + 2;
    left = std::min(left, middle.x - reach);
    right = std::max(right, middle.x + reach);
    top = std::min(top, middle.y - reach);
    bottom = std::max(bottom, middle.y + reach);
  }
  const cv::Rect2f box(cv::Point2f(left, top), cv::Point2f(right, bottom));
  const cv::Rect2f all(0, 0, static_cast<float>(view.size.width), static_cast<float>(view.size.height));
  return cv::Rect(box & all);
}

Solid prepare(const View& view, const Capsule& capsule, const Vec& tint) {
  Solid s;
  s.a = vec(capsule.a);
  s.axis = vec(capsule.b) - s.a;
  s.from_a = view.eye - s.a;
  s.from_b = view.eye - vec(capsule.b);
  s.radius = capsule.radius_m;
  s.axis2 = s.axis.dot(s.axis);
  s.along = s.axis.dot(s.from_a);
  s.rest = s.axis2 * (s.from_a.dot(s.from_a) - s.radius * s.radius) - s.along * s.along;
  s.tint = tint;
  s.box = box_of(view, capsule);
  return s;
}

// Intersects a ray of a row with a capsule.
struct Hit {
  int x, k;
  float t;
};

// Where the ray eye + t * ray enters the capsule; negative when it does not.
float entry(const Solid& s, const Vec& ray, float ray2) {
  const float across = s.axis.dot(ray);
  const float toward = ray.dot(s.from_a);
  const float a = s.axis2 * ray2 - across * across;
  float y = s.along;
  if (a > 1e-9F * s.axis2 * ray2) {
    const float b = s.axis2 * toward - s.along * across;
    const float h = b * b - a * s.rest;
    if (h < 0) return -1;
    const float t = (-b - std::sqrt(h)) / a;
    y = s.along + t * across;
    if (y > 0 && y < s.axis2) return t;
  }
  const Vec& from = y <= 0 ? s.from_a : s.from_b;
  const float b = ray.dot(from);
  const float h = b * b - ray2 * (from.dot(from) - s.radius * s.radius);
  return h < 0 ? -1 : (-b - std::sqrt(h)) / ray2;
}

Vec normal_at(const Solid& s, const Vec& at) {
  const float along = s.axis2 > 0 ? std::clamp(s.axis.dot(at - s.a) / s.axis2, 0.0F, 1.0F) : 0.0F;
  return (at - (s.a + along * s.axis)) * (1 / s.radius);
}

struct Lights {
  Vec key, fill;
};

// The colour of a surface, BGR, and how much of what is behind it shows.
Vec shade(const Vec& tint, const Vec& normal, const Vec& to_eye, const Lights& lights, float& cover) {
  const float facing = std::clamp(normal.dot(to_eye), 0.0F, 1.0F);
  const float key = std::max(0.0F, 0.12F + 0.88F * normal.dot(lights.key));
  const float fill = std::max(0.0F, normal.dot(lights.fill));
  const float sky = 0.5F + 0.5F * normal[1];
  const Vec half = unit(lights.key + to_eye);
  const float glance = std::max(0.0F, normal.dot(half));
  const float glance4 = glance * glance * glance * glance;
  const float shine = glance4 * glance4 * glance4 * glance4 * glance4 * glance4 * glance4 * glance4 *
                      glance4 * glance4 * glance4 * glance4;
  const float edge = (1 - facing) * (1 - facing) * (1 - facing);
  const Vec light = Vec(0.17F, 0.13F, 0.11F) + sky * Vec(0.24F, 0.19F, 0.16F) +
                    key * Vec(0.60F, 0.66F, 0.70F) + fill * Vec(0.16F, 0.11F, 0.07F);
  Vec colour = tint.mul(light) + shine * Vec(0.30F, 0.32F, 0.34F) + edge * Vec(0.40F, 0.33F, 0.27F);
  for (int c = 0; c < 3; ++c) colour[c] = std::clamp(colour[c], 0.0F, 1.0F);
  cover = 0.62F + 0.33F * edge;
  return colour;
}

}  // namespace

BodyLayer draw_body(const View& view, std::span<const Capsule> body, std::span<const Vec> tints) {
  const View fine = view.magnified(samples);
  BodyLayer layer;
  layer.colour = cv::Mat::zeros(view.size, CV_32FC3);
  layer.cover = cv::Mat::zeros(view.size, CV_32F);
  layer.depth = cv::Mat(view.size, CV_32F, cv::Scalar(infinite));
  std::vector<Solid> solids;
  cv::Rect all;
  for (std::size_t k = 0; k < body.size(); ++k) {
    Solid solid = prepare(fine, body[k], tints[k]);
    if (solid.box.empty() || !(solid.radius > 0)) continue;
    all |= solid.box;
    solids.push_back(solid);
  }
  if (solids.empty()) return layer;

  const Lights lights{unit(-0.45F * view.right + 0.75F * view.up - 0.75F * view.forward),
                      unit(0.9F * view.right - 0.1F * view.up + 0.1F * view.forward)};
  const int first = all.y / samples;
  const int last = std::min(view.size.height, (all.y + all.height + samples - 1) / samples);
  const int left = all.x / samples;
  const int right = std::min(view.size.width, (all.x + all.width + samples - 1) / samples);
  parallel_for(first, last, 0, [&](std::int64_t row) {
    const int y = static_cast<int>(row);
    const auto width = static_cast<std::size_t>(right - left) * samples;
    std::vector<float> depths(width);
    std::vector<int> who(width);
    std::vector<Vec> normals(width);
    std::vector<Hit> hits;
    for (int sub = 0; sub < samples; ++sub) {
      const int fine_y = y * samples + sub;
      std::fill(depths.begin(), depths.end(), infinite);
      std::fill(who.begin(), who.end(), -1);
      std::fill(normals.begin(), normals.end(), Vec(0, 0, 0));
      const auto offset = [&](int fine_x) { return static_cast<std::size_t>(fine_x - left * samples); };
      const auto ray_at = [&](int fine_x) {
        return fine.ray(static_cast<float>(fine_x) + 0.5F, static_cast<float>(fine_y) + 0.5F);
      };
      hits.clear();
      for (std::size_t k = 0; k < solids.size(); ++k) {
        const Solid& s = solids[k];
        if (fine_y < s.box.y || fine_y >= s.box.y + s.box.height) continue;
        for (int x = std::max(s.box.x, left * samples); x < std::min(s.box.x + s.box.width, right * samples);
             ++x) {
          const Vec ray = ray_at(x);
          const float t = entry(s, ray, ray.dot(ray));
          if (!(t > nearest_m)) continue;
          hits.push_back({x, static_cast<int>(k), t});
          if (t >= depths[offset(x)]) continue;
          depths[offset(x)] = t;
          who[offset(x)] = static_cast<int>(k);
        }
      }
      for (const Hit& hit : hits) {
        const float behind = (hit.t - depths[offset(hit.x)]) / blend_m;
        if (behind >= 4) continue;
        const Vec at = fine.eye + hit.t * ray_at(hit.x);
        normals[offset(hit.x)] += std::exp(-behind) * normal_at(solids[static_cast<std::size_t>(hit.k)], at);
      }
      constexpr float share = 1.0F / (samples * samples);
      auto* colours = layer.colour.ptr<Vec>(y);
      auto* covers = layer.cover.ptr<float>(y);
      auto* out_depths = layer.depth.ptr<float>(y);
      for (int x = left * samples; x < right * samples; ++x) {
        const int k = who[offset(x)];
        if (k < 0) continue;
        const Vec ray = ray_at(x);
        const Vec normal = unit(normals[offset(x)]);
        float cover = 0;
        const Vec colour = shade(solids[static_cast<std::size_t>(k)].tint, normal, unit(-ray), lights, cover);
        colours[x / samples] += share * cover * colour;
        covers[x / samples] += share * cover;
        out_depths[x / samples] = std::min(out_depths[x / samples], depths[offset(x)]);
      }
    }
  });
  return layer;
}

}  // namespace triptych::capsule_demo
