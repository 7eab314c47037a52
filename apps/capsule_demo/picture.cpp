#include <common/draw.hpp>
#include <common/text.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "body_layer.hpp"
#include "picture.hpp"
#include "sides.hpp"
#include "stage.hpp"

namespace triptych::capsule_demo {

using namespace apps;
using capsule_likelihood::Capsule;
using capsule_likelihood::Vec3;

namespace {

constexpr int view_width = 630, view_gap = 4, legend_width = 1600 - 2 * view_width - 2 * view_gap;
constexpr float residual_span_m = 0.1F;
constexpr float on_skin_m = 0.03F;      // points nearer than this are explained
constexpr std::size_t max_dots = 8000;  // drawn: more would hide the body
constexpr std::size_t curve_length = 300;
constexpr std::size_t floor_memory = 90;  // frames
const cv::Scalar estimate_colour(90, 215, 255);
const cv::Scalar truth_colour(255, 255, 255);

bool is_known(const Vec3& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

Vec tint_of(Side side) {
  switch (side) {
    case Side::left:
      return {0.42F, 0.62F, 0.98F};  // coral
    case Side::right:
      return {0.95F, 0.74F, 0.40F};  // sky
    default:
      return {0.86F, 0.83F, 0.80F};  // porcelain
  }
}

// At most so many of the numbers below count: one from each of equal runs, not at equal steps, since points
// of a kind may come at equal steps.
std::vector<std::size_t> chosen(std::size_t count, std::size_t most) {
  const std::size_t runs = std::min(count, most);
  std::vector<std::size_t> numbers;
  for (std::size_t r = 0; r < runs; ++r) {
    const std::size_t begin = r * count / runs;
    const std::size_t length = (r + 1) * count / runs - begin;
    numbers.push_back(begin + (r * 2654435761U >> 13U) % length);
  }
  return numbers;
}

void draw_scale(cv::Mat& picture, const cv::Rect& box, const ColourScale& scale) {
  for (int x = 0; x < box.width; ++x) {
    const cv::Vec3b c = scale.at(static_cast<float>(x) / static_cast<float>(box.width - 1));
    cv::line(picture, {box.x + x, box.y}, {box.x + x, box.y + box.height - 1}, cv::Scalar(c[0], c[1], c[2]));
  }
}

}  // namespace

Painter::Painter(const capsule_likelihood::Skeleton& skeleton, const Reference& reference, Caption caption)
    : caption_(std::move(caption)), reference_(reference) {
  for (const auto& joint : skeleton.joints()) parents_.push_back(joint.parent);
  for (const auto& body_capsule : skeleton.body_capsules())
    tints_.push_back(tint_of(side_of(skeleton.joints()[static_cast<std::size_t>(body_capsule.joint)].name)));
  // Where points show their distance by colour, the body keeps to grey.
  for (const Vec& tint : tints_) pale_tints_.push_back(0.30F * tint + 0.70F * Vec(0.72F, 0.68F, 0.65F));
}

void Painter::follow(const Scene& scene, std::span<const float> away) {
  Vec low(1e9F, 1e9F, 1e9F);
  Vec high = -low;
  for (const Capsule& c : scene.body) {
    for (const Vec& end : {vec(c.a), vec(c.b)}) {
      for (int i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], end[i] - c.radius_m);
        high[i] = std::max(high[i], end[i] + c.radius_m);
      }
    }
  }
  const Vec middle = 0.5F * (low + high);
  const float radius = std::max(0.5F * (high[1] - low[1]), 0.2F);
  if (!begun_) {
    target_ = middle;
    radius_m_ = radius;
    floor_y_ = low[1];
  }
  constexpr float pace = 0.12F;
  target_ += pace * (middle - target_);
  radius_m_ += pace * (radius - radius_m_);
  // The floor is at the usual height of the lowest point of the body.
  lowest_.push_back(low[1]);
  if (lowest_.size() > floor_memory) lowest_.erase(lowest_.begin());
  std::vector<float> sorted = lowest_;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  floor_y_ += pace * (sorted[sorted.size() / 2] - floor_y_);
  // The colours of distance span what is seen of the body.
  std::vector<float> seen;
  for (std::size_t i = 0; i < away.size(); ++i) {
    if (away[i] <= on_skin_m) seen.push_back(scene.points[i].z);
  }
  if (seen.size() >= 20) {
    std::sort(seen.begin(), seen.end());
    const float near = seen[seen.size() / 50];
    const float far = std::max(seen[seen.size() - 1 - seen.size() / 50], near + 0.05F);
    near_m_ += (begun_ ? pace : 1) * (near - near_m_);
    far_m_ += (begun_ ? pace : 1) * (far - far_m_);
  }
  begun_ = true;
}

View Painter::framed(View view, const Scene& scene, float& focal_px) const {
  // The focal length at which every capsule stays within the margins.
  constexpr float margin_x = 0.90F, margin_y = 0.84F;
  float wanted = std::numeric_limits<float>::infinity();
  for (const Capsule& c : scene.body) {
    for (const Vec& end : {vec(c.a), vec(c.b)}) {
      const Vec d = end - view.eye;
      const float depth = std::max(d.dot(view.forward) - c.radius_m, 0.1F);
      const float x = (std::abs(d.dot(view.right)) + c.radius_m) / depth;
      const float y = (std::abs(d.dot(view.up)) + c.radius_m) / depth;
      wanted = std::min({wanted, margin_x * view.middle().x / x, margin_y * view.middle().y / y});
    }
  }
  if (!(focal_px > 0)) focal_px = wanted;
  focal_px += (wanted < focal_px ? 0.2F : 0.04F) * (wanted - focal_px);
  view.focal_px = focal_px;
  return view;
}

void Painter::paint_bones(cv::Mat& part, const View& view, std::span<const Vec3> joints,
                          const std::vector<int>& parents, const cv::Scalar& colour, double dot_px) const {
  const auto visible = [&](std::size_t j) {
    return is_known(joints[j]) && view.depth(vec(joints[j])) > 0.05F;
  };
  const auto position = [&](std::size_t j) { return cv::Point2d(view.position(vec(joints[j]))); };
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!visible(j)) continue;
    // Where a joint's parent is not known, the nearest known one above it.
    int parent = parents[j];
    while (parent >= 0 && !visible(static_cast<std::size_t>(parent)))
      parent = parents[static_cast<std::size_t>(parent)];
    if (parent >= 0) draw_line(part, position(static_cast<std::size_t>(parent)), position(j), colour, 1);
    cv::circle(part, cv::Point(position(j) * 16), static_cast<int>(dot_px * 16), colour, cv::FILLED,
               cv::LINE_AA, 4);
  }
}

void Painter::paint_view(cv::Mat& part, const View& view, const Scene& scene,
                         std::span<const cv::Vec3b> colours, std::span<const Vec> tints,
                         const std::string& title) const {
  const bool found = scene.reason.empty();
  const std::span<const Capsule> body = found ? scene.body : std::span<const Capsule>();
  draw_stage(view, body, floor_y_, target_).copyTo(part);
  std::vector<Vec3> points;
  std::vector<cv::Vec3b> inks;
  for (const std::size_t i : chosen(scene.points.size(), max_dots)) {
    points.push_back(scene.points[i]);
    inks.push_back(colours[i]);
  }
  const float many = static_cast<float>(std::max<std::size_t>(1, points.size()));
  const float dot = std::clamp(1.05F * std::sqrt(6000 / many), 0.9F, 1.8F);
  draw_cloud_and_body(part, view, points, inks, draw_body(view, body, tints), dot);
  if (found) paint_bones(part, view, scene.joints, parents_, estimate_colour, 2.0);
  if (!scene.truth.empty()) paint_bones(part, view, scene.truth, reference_.parents, truth_colour, 2.0);
  draw_text(part, title, {20, 34}, 11, colours::ink);
}

void Painter::paint_legend(cv::Mat& part, const Scene& scene, double explained) {
  const int left = 24;
  const int right = part.cols - 24;
  double y = 40;
  const auto line = [&](const std::string& label, const std::string& value,
                        const cv::Scalar& colour = colours::ink) {
    draw_text(part, label, {static_cast<double>(left), y}, 10, colours::faint);
    draw_text(part, value, {right - text_width(value, 10), y}, 10, colour);
    y += 27;
  };
  const auto rule = [&] {
    draw_line(part, {static_cast<double>(left), y - 8}, {static_cast<double>(right), y - 8}, colours::raised,
              1);
    y += 24;
  };
  double title_height = 15;
  while (title_height > 8 && text_width(caption_.title, title_height) > right - left) title_height -= 0.5;
  draw_text(part, caption_.title, {static_cast<double>(left), y}, title_height, colours::ink);
  y += 40;
  line("frame",
       scene.frames > 0 ? text("%d of %d", scene.frame + 1, scene.frames) : text("%d", scene.frame + 1));
  line("points", text("%zu", scene.points.size()));
  if (scene.error_mm) {
    line("error now", text("%.1f mm", *scene.error_mm), estimate_colour);
    if (scene.mean_error_mm) line("error so far", text("%.1f mm", *scene.mean_error_mm), estimate_colour);
  }
  line("on the skin", text("%.0f %%", 100 * explained));
  line("confidence", text("%.2f", scene.confidence), scene.reason.empty() ? colours::ink : colours::bad);
  line("samples", text("%d x %d", caption_.samples, caption_.layers));
  line("effective", text("%.0f", scene.effective_samples));
  line("filter", scene.frames_per_second >= 9.95 ? text("%.0f frames/s", scene.frames_per_second)
                 : scene.frames_per_second > 0   ? text("%.1f frames/s", scene.frames_per_second)
                                                 : std::string("-"));
  rule();

  const auto bar = [&](const std::string& label, const ColourScale& scale, const std::string& from,
                       const std::string& to) {
    draw_text(part, label, {static_cast<double>(left), y}, 9, colours::faint);
    y += 12;
    draw_scale(part, {left, static_cast<int>(y), right - left, 9}, scale);
    y += 26;
    draw_text(part, from, {static_cast<double>(left), y}, 8.5, colours::faint);
    draw_text(part, to, {right - text_width(to, 8.5), y}, 8.5, colours::faint);
    y += 32;
  };
  bar("left: distance from the camera", by_distance_, text("%.1f m", near_m_), text("%.1f m", far_m_));
  bar("right: distance from the skin", by_residual_, "0 cm", text("%.0f cm", 100 * residual_span_m));
  const auto key = [&](const cv::Scalar& colour, const std::string& label) {
    draw_line(part, {left + 0.0, y - 5}, {left + 34.0, y - 5}, colour, 2);
    cv::circle(part, cv::Point(left + 34, static_cast<int>(y) - 5), 4, colour, cv::FILLED, cv::LINE_AA);
    draw_text(part, label, {left + 50.0, y}, 9.5, colours::faint);
    y += 26;
  };
  key(estimate_colour, "estimate");
  if (!scene.truth.empty()) key(truth_colour, reference_.exact ? "truth" : "the sensor's own estimate");
  rule();

  const bool with_errors = scene.error_mm.has_value();
  if (with_errors) errors_.push_back(*scene.error_mm);
  explained_.push_back(100 * explained);
  for (auto* curve : {&errors_, &explained_}) {
    if (curve->size() > curve_length) curve->erase(curve->begin());
  }
  const int charts = with_errors ? 2 : 1;
  const int chart_height = std::clamp(static_cast<int>(part.rows - 44 - y) / charts - 42, 40, 170);
  const auto chart = [&](const std::string& label, const char* form, const std::vector<double>& values,
                         const cv::Scalar& colour) {
    draw_text(part, label, {static_cast<double>(left), y}, 9, colours::faint);
    y += 12;
    const cv::Rect box(left, static_cast<int>(y), right - left, chart_height);
    draw_box(part, box, colours::raised);
    if (values.size() > 1) draw_curve(part, box, values, colour);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::string range = text(form, *low, *high);
    draw_text(part, range, {right - text_width(range, 8.5), y - 12}, 8.5, colours::faint);
    y += box.height + 28;
  };
  if (with_errors) chart("error over time", "%.0f to %.0f mm", errors_, estimate_colour);
  chart("points on the skin", "%.0f to %.0f %%", explained_, colours::cool);
  double small = 8.5;
  while (small > 5 && text_width(caption_.device, small) > right - left) small -= 0.25;
  draw_text(part, caption_.device, {static_cast<double>(left), part.rows - 24.0}, small, colours::faint);
}

cv::Mat Painter::paint(const Scene& scene) {
  const std::vector<float> away = distances_from_skin(scene.points, scene.body);
  follow(scene, away);
  cv::Mat picture(size(), CV_8UC3, colours::background);
  const cv::Size view_size(view_width, size().height);

  std::vector<cv::Vec3b> colours(scene.points.size());
  const float span = std::max(far_m_ - near_m_, 0.1F);
  for (std::size_t i = 0; i < colours.size(); ++i)
    colours[i] = by_distance_.at((scene.points[i].z - near_m_) / span);
  const View camera = framed(View::look({0, 0, 0}, target_, view_size), scene, camera_focal_px_);
  cv::Mat left = picture(cv::Rect({0, 0}, view_size));
  paint_view(left, camera, scene, colours, pale_tints_, "camera");

  for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = by_residual_.at(away[i] / residual_span_m);
  constexpr float around = 1.05F, above = 0.30F;
  const float distance = std::max(4.0F * radius_m_, 1.0F);
  const Vec eye = target_ + distance * Vec(std::sin(around) * std::cos(above), std::sin(above),
                                           -std::cos(around) * std::cos(above));
  cv::Mat middle = picture(cv::Rect({view_width + view_gap, 0}, view_size));
  paint_view(middle, framed(View::look(eye, target_, view_size), scene, side_focal_px_), scene, colours,
             tints_, "from the side");

  cv::Mat legend = picture(cv::Rect(2 * (view_width + view_gap), 0, legend_width, size().height));
  const auto on_skin = std::count_if(away.begin(), away.end(), [](float d) { return d <= on_skin_m; });
  if (!scene.reason.empty()) {
    double height = 11;
    const std::string words = "not found: " + scene.reason;
    while (height > 5 && text_width(words, height) > 2 * view_width - 40) height -= 0.25;
    draw_text(picture, words, {20, size().height - 24.0}, height, colours::bad);
  }
  paint_legend(legend, scene,
               static_cast<double>(on_skin) / static_cast<double>(std::max<std::size_t>(1, away.size())));
  return picture;
}

}  // namespace triptych::capsule_demo
