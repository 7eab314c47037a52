#include <triptych/core/parallel.hpp>

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cloud_layer.hpp"

namespace triptych::capsule_demo {

using capsule_likelihood::Capsule;
using capsule_likelihood::Vec3;

namespace {

struct Dot {
  cv::Point2f position;
  float depth;
  std::size_t point;
};

// A soft disc: full inside, a pixel of edge.
void blend_dot(cv::Mat& picture, cv::Point2f position, float radius, const cv::Vec3b& colour,
               float strength) {
  const int left = std::max(0, static_cast<int>(std::floor(position.x - radius - 0.5F)));
  const int right = std::min(picture.cols - 1, static_cast<int>(std::ceil(position.x + radius + 0.5F)));
  const int top = std::max(0, static_cast<int>(std::floor(position.y - radius - 0.5F)));
  const int bottom = std::min(picture.rows - 1, static_cast<int>(std::ceil(position.y + radius + 0.5F)));
  for (int y = top; y <= bottom; ++y) {
    auto* row = picture.ptr<cv::Vec3b>(y);
    for (int x = left; x <= right; ++x) {
      const float away =
          std::hypot(static_cast<float>(x) + 0.5F - position.x, static_cast<float>(y) + 0.5F - position.y);
      const float share = strength * std::clamp(radius + 0.5F - away, 0.0F, 1.0F);
      if (share <= 0) continue;
      for (int c = 0; c < 3; ++c) {
        const float mixed =
            static_cast<float>(row[x][c]) * (1 - share) + static_cast<float>(colour[c]) * share;
        row[x][c] = static_cast<std::uint8_t>(mixed + 0.5F);
      }
    }
  }
}

void blend_body(cv::Mat& picture, const BodyLayer& body) {
  parallel_for(0, picture.rows, 0, [&](std::int64_t y) {
    auto* out = picture.ptr<cv::Vec3b>(static_cast<int>(y));
    const auto* colour = body.colour.ptr<Vec>(static_cast<int>(y));
    const auto* cover = body.cover.ptr<float>(static_cast<int>(y));
    for (int x = 0; x < picture.cols; ++x) {
      if (cover[x] <= 0) continue;
      for (int c = 0; c < 3; ++c) {
        const float mixed = static_cast<float>(out[x][c]) * (1 - cover[x]) + 255 * colour[x][c];
        out[x][c] = cv::saturate_cast<std::uint8_t>(mixed);
      }
    }
  });
}

float distance_from(const Capsule& c, const Vec& p) {
  const Vec a = vec(c.a);
  const Vec axis = vec(c.b) - a;
  const float axis2 = axis.dot(axis);
  const float along = axis2 > 0 ? std::clamp(axis.dot(p - a) / axis2, 0.0F, 1.0F) : 0.0F;
  const Vec off = p - (a + along * axis);
  return std::sqrt(off.dot(off)) - c.radius_m;
}

}  // namespace

ColourScale ColourScale::distance() {
  cv::Mat ramp(1, 256, CV_8U);
  for (int i = 0; i < 256; ++i) ramp.at<std::uint8_t>(0, i) = static_cast<std::uint8_t>(218 - 186 * i / 255);
  cv::Mat colours;
  cv::applyColorMap(ramp, colours, cv::COLORMAP_TURBO);
  return ColourScale(colours);
}

ColourScale ColourScale::residual() {
  // Mint on the skin, over sand to a red that recedes.
  const cv::Vec3f stops[] = {{190, 255, 120}, {120, 235, 215}, {90, 170, 255}, {80, 80, 235}, {70, 50, 150}};
  cv::Mat colours(1, 256, CV_8UC3);
  for (int i = 0; i < 256; ++i) {
    const float at = 4.0F * static_cast<float>(i) / 255;
    const int k = std::min(3, static_cast<int>(at));
    const float share = at - static_cast<float>(k);
    const cv::Vec3f mixed = stops[k] * (1 - share) + stops[k + 1] * share;
    colours.at<cv::Vec3b>(0, i) =
        cv::Vec3b(cv::saturate_cast<std::uint8_t>(mixed[0]), cv::saturate_cast<std::uint8_t>(mixed[1]),
                  cv::saturate_cast<std::uint8_t>(mixed[2]));
  }
  return ColourScale(colours);
}

cv::Vec3b ColourScale::at(float share) const {
  return table_.at<cv::Vec3b>(0, static_cast<int>(std::lround(255 * std::clamp(share, 0.0F, 1.0F))));
}

void draw_cloud_and_body(cv::Mat& picture, const View& view, std::span<const Vec3> points,
                         std::span<const cv::Vec3b> colours, const BodyLayer& body, float dot_px) {
  std::vector<Dot> dots;
  dots.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec p = vec(points[i]);
    const float depth = view.depth(p);
    if (!(depth > 0.05F)) continue;
    const cv::Point2f position = view.position(p);
    if (position.x < -4 || position.y < -4 || position.x > static_cast<float>(view.size.width + 4) ||
        position.y > static_cast<float>(view.size.height + 4))
      continue;
    dots.push_back({position, depth, i});
  }
  std::sort(dots.begin(), dots.end(), [](const Dot& a, const Dot& b) {
    return a.depth != b.depth ? a.depth > b.depth : a.point < b.point;
  });
  const auto is_before = [&](const Dot& dot) {
    const int x = std::clamp(static_cast<int>(dot.position.x), 0, view.size.width - 1);
    const int y = std::clamp(static_cast<int>(dot.position.y), 0, view.size.height - 1);
    return dot.depth <= body.depth.at<float>(y, x);
  };
  const auto draw = [&](bool before) {
    for (const Dot& dot : dots) {
      if (is_before(dot) == before)
        blend_dot(picture, dot.position, dot_px, colours[dot.point], before ? 0.8F : 1.0F);
    }
  };
  draw(false);
  blend_body(picture, body);
  draw(true);
}

std::vector<float> distances_from_skin(std::span<const Vec3> points, std::span<const Capsule> body) {
  std::vector<float> distances(points.size());
  parallel_for(0, static_cast<std::int64_t>(points.size()), 0, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    float least = std::numeric_limits<float>::infinity();
    for (const Capsule& c : body) least = std::min(least, distance_from(c, vec(points[at])));
    distances[at] = std::abs(least);
  });
  return distances;
}

}  // namespace triptych::capsule_demo
