#include <common/draw.hpp>
#include <common/text.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "picture.hpp"
#include "room.hpp"
#include "skin_model.hpp"

namespace triptych::skin_demo {

using namespace apps;
using skin_tracker::TrackedHead;

namespace {

constexpr int min_height = 480;
constexpr int max_height = 1080;
constexpr std::size_t trail_length = 45;
constexpr std::size_t curve_length = 240;

int even(double v) { return 2 * std::max(1, static_cast<int>(std::lround(v / 2))); }
int whole(double v) { return static_cast<int>(std::lround(v)); }

// Of the second moments where they are known, else a circle of as much skin.
skin_tracker::HeadEllipse outline(const skin_tracker::Head& head) {
  if (std::isfinite(head.xx_px2) && std::isfinite(head.xy_px2) && std::isfinite(head.yy_px2)) {
    return skin_tracker::ellipse_of(head);
  }
  const double radius = std::sqrt(std::max(head.weight_px, 0.0) / CV_PI);
  return {radius, radius, 0};
}

cv::Mat resized(const cv::Mat& picture, cv::Size size) {
  if (picture.size() == size) return picture.clone();
  cv::Mat out;
  cv::resize(picture, out, size, 0, 0, size.width < picture.cols ? cv::INTER_AREA : cv::INTER_CUBIC);
  return out;
}

}  // namespace

Painter::Painter(cv::Size frame, const skin_tracker::Classifier& classifier, bool hcp, bool gate)
    : classifier_(classifier), source_(frame), hcp_(hcp), gate_(gate) {
  if (frame.height < min_height) scale_ = std::ceil(1.0 * min_height / frame.height);
  if (frame.height > max_height) scale_ = 1.0 * max_height / frame.height;
  frame_ = {even(frame.width * scale_), even(frame.height * scale_)};
  unit_ = frame_.height / 720.0;
  side_ = {even((hcp ? 640 : 360) * unit_), frame_.height};
}

cv::Point2d Painter::place(double x_px, double y_px) const {
  return {(x_px + 0.5) * frame_.width / source_.width - 0.5,
          (y_px + 0.5) * frame_.height / source_.height - 0.5};
}

void Painter::annotate(cv::Mat& frame, const Scene& scene) {
  const TrackedHead& head = scene.head;
  const int thick = std::max(1, whole(2.4 * unit_));
  const cv::Point2d at = place(head.x_px, head.y_px);
  if (head.found()) trail_.push_back(at);
  while (trail_.size() > trail_length || (!head.found() && !trail_.empty())) trail_.pop_front();

  const auto& w = head.window;
  if (gate_ && (w.width < source_.width || w.height < source_.height)) {
    const cv::Point2d corner = place(w.x - 0.5, w.y - 0.5);
    const cv::Rect2d box(corner, place(w.x + w.width - 0.5, w.y + w.height - 0.5));
    draw_corners(frame, box, 22 * unit_, colours::cool, thick);
  }
  const std::vector<cv::Point2d> trail(trail_.begin(), trail_.end());
  draw_trail(frame, trail, colours::cool, thick);
  if (!head.found()) return;
  const skin_tracker::HeadEllipse e = outline(head.raw);
  const cv::Size2d axes(e.semi_major_px * scale_, e.semi_minor_px * scale_);
  const cv::Point2d middle = place(head.raw.x_px, head.raw.y_px);
  draw_ellipse(frame, middle, axes, e.angle_rad, colours::background, thick + 2);
  draw_ellipse(frame, middle, axes, e.angle_rad, colours::accent, thick);
  draw_cross(frame, at, 11 * unit_, colours::accent, thick);
}

void Painter::paint_weights(cv::Mat& picture, const cv::Rect& box, const cv::Mat& bgr) const {
  cv::Mat heat = heat_colours(weights_of(resized(bgr, box.size()), classifier_));
  heat.copyTo(picture(box));
}

void Painter::paint_panel(cv::Mat& picture, const cv::Rect& box, const Scene& scene) const {
  const TrackedHead& head = scene.head;
  std::vector<std::pair<std::string, std::string>> lines{
      {"confidence", text("%.2f", head.confidence)},
      {"position", head.found() ? text("%.1f, %.1f px", head.x_px, head.y_px) : "-"},
      {"distance", head.found() ? text("%.2f m", head.distance_m) : "-"},
      {"skin", text("%.1f %% of frame", 100 * head.area)},
      {"tracker",
       head.latency_us < 9950 ? text("%.0f us", head.latency_us) : text("%.1f ms", 1e-3 * head.latency_us)},
      {"total", scene.stages.ms_per_frame() > 0 ? text("%.0f ms, mostly %s", scene.stages.ms_per_frame(),
                                                       std::string(name_of(scene.stages.largest())).c_str())
                                                : "-"}};
  if (scene.truth) {
    const double off = std::hypot(head.x_px - scene.truth->x_px, head.y_px - scene.truth->y_px);
    lines.emplace_back("error", head.found() ? text("%.2f px", off) : "-");
  }
  const double height = std::max(7.0, 11.5 * unit_);
  const double step = 2.35 * height;
  double y = box.y + 1.3 * height;
  const cv::Scalar& state = head.found() ? colours::good : colours::bad;
  cv::circle(picture, {whole(box.x + 0.5 * height), whole(y - 0.5 * height)}, whole(0.5 * height), state,
             cv::FILLED, cv::LINE_AA);
  draw_text(picture, head.found() ? "following" : "lost", {box.x + 1.7 * height, y}, height, state);
  const std::string number = "frame " + std::to_string(head.frame);
  draw_text(picture, number, {box.x + box.width - text_width(number, height), y}, height, colours::faint);
  for (const auto& [label, value] : lines) {
    y += step;
    draw_text(picture, label, {static_cast<double>(box.x), y}, height, colours::faint);
    draw_text(picture, value, {box.x + box.width - text_width(value, height), y}, height, colours::ink);
  }
}

cv::Mat Painter::paint(const Scene& scene) {
  cv::Mat picture(size(), CV_8UC3, colours::background);
  cv::Mat frame = resized(scene.bgr, frame_);
  annotate(frame, scene);
  frame.copyTo(picture(cv::Rect({0, 0}, frame_)));
  distances_.push_back(scene.head.found() ? scene.head.distance_m : NAN);
  if (distances_.size() > curve_length) distances_.erase(distances_.begin());

  const int left = frame_.width;
  const int gap = whole(22 * unit_);
  const double small = std::max(6.0, 9.5 * unit_);
  const double shape = 1.0 * source_.height / source_.width;
  if (hcp_) {
    const cv::Rect window(left, 0, side_.width, whole(side_.width * 0.75));
    const skin_tracker::Eye eye =
        scene.head.frame >= 0 && std::isfinite(scene.head.x_px)
            ? eye_before_screen(scene.head.x_px, scene.head.y_px, scene.head.distance_m, source_)
            : skin_tracker::Eye{0, 0, 0.6};
    draw_room(eye, window.size()).copyTo(picture(window));
    const int top = window.height + gap;
    const int room = side_.height - top - gap;
    const int captions = whole(3.4 * small);
    int width = side_.width * 9 / 20 - gap;
    int height = whole(width * shape);
    if (height > room - captions) {
      height = room - captions;
      width = whole(height / shape);
    }
    const cv::Rect map(left + gap, top, width, height);
    paint_weights(picture, map, scene.bgr);
    draw_heat_scale(picture, {map.x, map.y + map.height + whole(1.2 * small), map.width, whole(small)},
                    small);
    const int from = std::max(map.x + map.width + gap, left + side_.width * 9 / 20 + gap);
    paint_panel(picture, {from, top, left + side_.width - gap - from, room}, scene);
    return picture;
  }
  int width = side_.width - 2 * gap;
  int height = whole(width * shape);
  const int most = whole(0.42 * side_.height);
  if (height > most) {
    height = most;
    width = whole(height / shape);
  }
  int y = gap + whole(small);
  draw_text(picture, "skin weight", {static_cast<double>(left + gap), static_cast<double>(y)}, small,
            colours::faint);
  y += whole(small);
  const cv::Rect map(left + gap, y, width, height);
  paint_weights(picture, map, scene.bgr);
  y += height + whole(1.2 * small);
  draw_heat_scale(picture, {map.x, y, side_.width - 2 * gap, whole(small)}, small);
  y += whole(4.2 * small);
  const cv::Rect panel(left + gap, y, side_.width - 2 * gap, whole(217 * unit_));
  paint_panel(picture, panel, scene);
  y += panel.height + whole(30 * unit_);
  if (distances_.size() > 1 && y + whole(60 * unit_) < side_.height - gap) {
    draw_text(picture, "distance over time", {static_cast<double>(left + gap), static_cast<double>(y)}, small,
              colours::faint);
    y += whole(small);
    const cv::Rect curve(left + gap, y, side_.width - 2 * gap, side_.height - gap - y);
    draw_box(picture, curve, colours::raised);
    draw_curve(picture, curve, distances_, colours::accent);
  }
  return picture;
}

cv::Mat Painter::heat_map(const cv::Mat& bgr) const {
  const int gap = whole(16 * unit_);
  const double height = std::max(7.0, 11.5 * unit_);
  const int foot = whole(3.2 * height);
  cv::Mat picture(frame_.height + foot, 2 * frame_.width + gap, CV_8UC3, colours::background);
  const cv::Rect right(frame_.width + gap, 0, frame_.width, frame_.height);
  resized(bgr, frame_).copyTo(picture(cv::Rect({0, 0}, frame_)));
  resized(heat_colours(weights_of(bgr, classifier_)), frame_).copyTo(picture(right));
  const double baseline = frame_.height + (foot + height) / 2;
  draw_text(picture, "frame", {height, baseline}, height, colours::faint);
  const std::string title = "skin weight of every pixel";
  draw_text(picture, title, {right.x + height, baseline}, height, colours::faint);
  const int from = right.x + whole(text_width(title, height) + 3 * height);
  const cv::Rect scale(from, whole(frame_.height + (foot - height) / 2), picture.cols - from - whole(height),
                       whole(height));
  draw_heat_scale(picture, scale, height);
  return picture;
}

}  // namespace triptych::skin_demo
