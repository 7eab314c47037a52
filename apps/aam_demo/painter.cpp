#include <triptych/aam_fit/appearance.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>

#include <common/draw.hpp>
#include <common/text.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "faces.hpp"
#include "painter.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;
namespace colours = apps::colours;

namespace {

constexpr int height_wanted = 640;  // of a small frame; large ones are shown as they are, up to max_height
constexpr int max_height = 1080;

int even(double value) { return 2 * static_cast<int>(std::lround(value / 2)); }

void draw_dot(cv::Mat& picture, cv::Point2d middle, double radius, const cv::Scalar& colour) {
  apps::draw_ellipse(picture, middle, {radius, radius}, 0, colour, cv::FILLED);
}

}  // namespace

std::vector<std::array<std::size_t, 2>> edges_of(const std::vector<Triangle>& triangles) {
  std::set<std::array<std::size_t, 2>> edges;
  for (const Triangle& t : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto a = static_cast<std::size_t>(t[i]), b = static_cast<std::size_t>(t[(i + 1) % 3]);
      edges.insert({std::min(a, b), std::max(a, b)});
    }
  }
  return {edges.begin(), edges.end()};
}

std::optional<Axes> axes_of(const HeadPose& pose, const PinholeCamera& camera) {
  constexpr double length_m = 0.06;
  const Point3 nose = mean_face_68()[30];
  if (pose.z_m < 2 * length_m) return {};
  return Axes{project(pose, camera, nose), project(pose, camera, {nose.x + length_m, nose.y, nose.z}),
              project(pose, camera, {nose.x, nose.y + length_m, nose.z}),
              project(pose, camera, {nose.x, nose.y, nose.z - length_m})};
}

void add_pose_lines(std::vector<std::string>& lines, const HeadPose& pose) {
  constexpr double degrees = 180 / std::numbers::pi;
  const auto rounded = [](double radians) { return std::lround(degrees * radians); };
  lines.push_back(apps::text("yaw %+ld, pitch %+ld,", rounded(pose.yaw), rounded(pose.pitch)));
  lines.push_back(apps::text("roll %+ld degrees, %.2f m", rounded(pose.roll), pose.z_m));
}

std::string title_of_texture(const Model& model) {
  const bool grey = has_appearance(model) || model.levels.back().features.kind == FeatureKind::grey;
  return grey ? "the model's texture" : "the model's edges";
}

Painter::Painter(const Model& model, cv::Size frame)
    : frame_(frame),
      zoom_(std::clamp(static_cast<double>(height_wanted) / frame.height, 0.05, 5.0)),
      edges_(edges_of(model.triangles)) {
  if (zoom_ < 1) zoom_ = std::min(1.0, static_cast<double>(max_height) / frame.height);
  zoom_ = std::min(zoom_, 1920.0 / frame.width);
  const int height = std::max(240, even(zoom_ * frame.height));
  panel_ = even(0.42 * height);
  size_ = {std::max(2, even(zoom_ * frame.width)) + panel_, height};
}

// Pixel centres at integers, in the frame as in the picture.
cv::Point2d Painter::place(Point p) const { return {(p.x + 0.5) * zoom_ - 0.5, (p.y + 0.5) * zoom_ - 0.5}; }

void Painter::draw_shape(cv::Mat& picture, const Shape& shape, const cv::Scalar& mesh,
                         const cv::Scalar& point, double radius) const {
  for (const auto& [a, b] : edges_) apps::draw_line(picture, place(shape[a]), place(shape[b]), mesh);
  for (const Point p : shape) draw_dot(picture, place(p), radius, point);
}

void Painter::draw_axes(cv::Mat& picture, const Axes& axes) const {
  const int thickness = std::max(2, size_.height / 240);
  const std::pair<Point, cv::Scalar> ends[] = {
      {axes.x, colours::bad}, {axes.y, colours::good}, {axes.ahead, colours::cool}};
  for (const auto& [end, colour] : ends) {
    apps::draw_line(picture, place(axes.origin), place(end), colours::background, 2 * thickness);
    apps::draw_line(picture, place(axes.origin), place(end), colour, thickness);
  }
}

cv::Mat Painter::paint(const Scene& scene) {
  cv::Mat picture(size_, CV_8UC3, colours::background);
  cv::Mat left = picture(cv::Rect(0, 0, size_.width - panel_, size_.height));
  const cv::Size shown(left.cols, std::min(left.rows, static_cast<int>(std::lround(zoom_ * frame_.height))));
  cv::Mat inside = left(cv::Rect({0, 0}, shown));
  cv::resize(scene.bgr, inside, shown, 0, 0, zoom_ > 1 ? cv::INTER_CUBIC : cv::INTER_AREA);
  const cv::Mat plain = inside.clone();
  const double radius = std::max(1.2, size_.height / 320.0);
  if (scene.found && scene.start) draw_shape(inside, *scene.start, colours::bad, colours::bad, 0.6 * radius);
  if (scene.truth) {
    for (const Point p : *scene.truth) {
      draw_dot(inside, place(p), 1.5 * radius, colours::good);
    }
  }
  if (scene.found) draw_shape(inside, scene.landmarks, colours::cool, colours::accent, radius);
  for (const Shape& other : scene.others) draw_shape(inside, other, colours::cool, colours::accent, radius);
  cv::addWeighted(inside, 0.8, plain, 0.2, 0, inside);
  if (scene.found && scene.axes) draw_axes(inside, *scene.axes);

  const int margin = panel_ / 14;
  const double text_height = size_.height / 52.0;
  const int x = left.cols + margin;
  double y = margin + text_height;
  apps::draw_text(picture, scene.texture_title, {static_cast<double>(x), y}, text_height, colours::faint);
  y += text_height;
  if (!scene.texture.empty()) {
    const int wide = panel_ - 2 * margin;
    const cv::Mat texture = mat_view(scene.texture.view());
    const double scale =
        std::min(static_cast<double>(wide) / texture.cols, 0.5 * size_.height / texture.rows);
    const cv::Size size(std::max(1, static_cast<int>(scale * texture.cols)),
                        std::max(1, static_cast<int>(scale * texture.rows)));
    cv::Mat large, coloured;
    cv::resize(texture, large, size, 0, 0, cv::INTER_CUBIC);
    cv::cvtColor(large, coloured, cv::COLOR_GRAY2BGR);
    coloured.copyTo(
        picture(cv::Rect(x + (wide - size.width) / 2, static_cast<int>(y), size.width, size.height)));
    y += size.height + 2 * text_height;
  }
  for (const std::string& line : scene.lines) {
    y += 1.9 * text_height;
    if (y < size_.height - margin / 2.0) {
      apps::draw_text(picture, line, {static_cast<double>(x), y}, text_height, colours::ink);
    }
  }
  return picture;
}

cv::Mat sheet(const std::vector<cv::Mat>& pictures, int columns) {
  require(!pictures.empty() && columns > 0, "there is nothing to put on a sheet");
  const cv::Size one = pictures.front().size();
  const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
  cv::Mat all(rows * one.height, columns * one.width, pictures.front().type(), colours::background);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const int at = static_cast<int>(i);
    pictures[i].copyTo(all(cv::Rect({at % columns * one.width, at / columns * one.height}, one)));
  }
  return all;
}

}  // namespace triptych::aam_demo
