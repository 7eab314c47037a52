#include <common/draw.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

namespace triptych::apps {

namespace {

constexpr int font = cv::FONT_HERSHEY_SIMPLEX;
constexpr double capital_height = 21;  // of that font at scale 1, in pixels
constexpr int fraction_bits = 4;       // of places given to OpenCV

cv::Point fixed(cv::Point2d p) {
  constexpr double limit = 1e6;
  const auto whole = [&](double v) {
    return static_cast<int>(std::lround(std::clamp(v, -limit, limit) * 16));
  };
  return {whole(p.x), whole(p.y)};
}

int thickness_of(double height) { return std::max(1, static_cast<int>(std::lround(height / 9))); }

const cv::Scalar rim(20, 16, 14);

}  // namespace

void draw_text(cv::Mat& picture, const std::string& text, cv::Point2d place, double height,
               const cv::Scalar& colour) {
  cv::putText(picture, text, {static_cast<int>(std::lround(place.x)), static_cast<int>(std::lround(place.y))},
              font, height / capital_height, colour, thickness_of(height), cv::LINE_AA);
}

double text_width(const std::string& text, double height) {
  int baseline = 0;
  return cv::getTextSize(text, font, height / capital_height, thickness_of(height), &baseline).width;
}

void draw_line(cv::Mat& picture, cv::Point2d a, cv::Point2d b, const cv::Scalar& colour, int thickness) {
  cv::line(picture, fixed(a), fixed(b), colour, thickness, cv::LINE_AA, fraction_bits);
}

void draw_cross(cv::Mat& picture, cv::Point2d middle, double arm, const cv::Scalar& colour, int thickness) {
  const cv::Point2d across(arm, 0);
  const cv::Point2d down(0, arm);
  for (const bool dark : {true, false}) {
    const cv::Scalar& c = dark ? rim : colour;
    const int t = dark ? thickness + 2 : thickness;
    draw_line(picture, middle - across, middle + across, c, t);
    draw_line(picture, middle - down, middle + down, c, t);
  }
}

void draw_ellipse(cv::Mat& picture, cv::Point2d middle, cv::Size2d semi_axes, double angle_rad,
                  const cv::Scalar& colour, int thickness) {
  const cv::Point axes = fixed({semi_axes.width, semi_axes.height});
  cv::ellipse(picture, fixed(middle), cv::Size(axes.x, axes.y), angle_rad * 180 / CV_PI, 0, 360, colour,
              thickness, cv::LINE_AA, fraction_bits);
}

void draw_corners(cv::Mat& picture, const cv::Rect2d& box, double arm, const cv::Scalar& colour,
                  int thickness) {
  for (const double sx : {0.0, 1.0}) {
    for (const double sy : {0.0, 1.0}) {
      const cv::Point2d corner(box.x + sx * box.width, box.y + sy * box.height);
      draw_line(picture, corner, corner + cv::Point2d(sx > 0 ? -arm : arm, 0), colour, thickness);
      draw_line(picture, corner, corner + cv::Point2d(0, sy > 0 ? -arm : arm), colour, thickness);
    }
  }
}

void draw_trail(cv::Mat& picture, std::span<const cv::Point2d> points, const cv::Scalar& colour,
                int thickness) {
  if (points.size() < 2) return;
  // Drawn solid on copies of the touched part and mixed in, brighter towards the end.
  constexpr int steps = 5;
  cv::Rect2d around(points[0], cv::Size2d(0, 0));
  for (const cv::Point2d& p : points)
    around |= cv::Rect2d(p.x - thickness, p.y - thickness, 2.0 * thickness, 2.0 * thickness);
  const cv::Rect touched = cv::Rect(static_cast<int>(around.x) - 2, static_cast<int>(around.y) - 2,
                                    static_cast<int>(around.width) + 5, static_cast<int>(around.height) + 5) &
                           cv::Rect(0, 0, picture.cols, picture.rows);
  if (touched.empty()) return;
  cv::Mat part = picture(touched);
  const cv::Point2d origin(touched.x, touched.y);
  for (int step = 0; step < steps; ++step) {
    const std::size_t first = (points.size() - 1) * static_cast<std::size_t>(step) / steps;
    const std::size_t last = (points.size() - 1) * static_cast<std::size_t>(step + 1) / steps;
    if (first == last) continue;
    cv::Mat solid = part.clone();
    std::vector<cv::Point> line;
    for (std::size_t i = first; i <= last; ++i) line.push_back(fixed(points[i] - origin));
    cv::polylines(solid, line, false, colour, thickness, cv::LINE_AA, fraction_bits);
    const double share = 0.15 + 0.7 * (step + 1) / steps;
    cv::addWeighted(solid, share, part, 1 - share, 0, part);
  }
}

void draw_box(cv::Mat& picture, const cv::Rect& box, const cv::Scalar& colour) {
  cv::rectangle(picture, box, colour, cv::FILLED);
}

void draw_curve(cv::Mat& picture, const cv::Rect& box, std::span<const double> values,
                const cv::Scalar& colour) {
  double lowest = INFINITY;
  double highest = -INFINITY;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    lowest = std::min(lowest, v);
    highest = std::max(highest, v);
  }
  if (!(lowest <= highest)) return;
  const double room = std::max(highest - lowest, 0.02 * std::max(std::abs(highest), 1e-9));
  const double middle = (highest + lowest) / 2;
  const auto place = [&](std::size_t i) {
    const double along =
        values.size() < 2 ? 1 : static_cast<double>(i) / static_cast<double>(values.size() - 1);
    const double up = 0.5 + (values[i] - middle) / (1.15 * room);
    return cv::Point2d(box.x + along * box.width, box.y + (1 - up) * box.height);
  };
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::isfinite(values[i - 1]) && std::isfinite(values[i])) {
      draw_line(picture, place(i - 1), place(i), colour, std::max(1, box.height / 40));
    }
  }
}

cv::Mat heat_colours(const cv::Mat& grey) {
  cv::Mat coloured;
  cv::applyColorMap(grey, coloured, cv::COLORMAP_INFERNO);
  return coloured;
}

void draw_heat_scale(cv::Mat& picture, const cv::Rect& box, double text_height) {
  const int gap = static_cast<int>(std::lround(text_height));
  const int left = box.x + static_cast<int>(text_width("0", text_height)) + gap / 2;
  const int right = box.x + box.width - static_cast<int>(text_width("1", text_height)) - gap / 2;
  if (right <= left) return;
  cv::Mat ramp(1, right - left, CV_8U);
  for (int x = 0; x < ramp.cols; ++x)
    ramp.at<std::uint8_t>(0, x) = static_cast<std::uint8_t>(255 * x / ramp.cols);
  cv::Mat bar;
  cv::resize(heat_colours(ramp), bar, cv::Size(ramp.cols, box.height), 0, 0, cv::INTER_NEAREST);
  bar.copyTo(picture(cv::Rect(left, box.y, bar.cols, bar.rows)));
  const double baseline = box.y + (box.height + text_height) / 2;
  draw_text(picture, "0", {static_cast<double>(box.x), baseline}, text_height, colours::faint);
  draw_text(picture, "1", {right + gap / 2.0, baseline}, text_height, colours::faint);
}

}  // namespace triptych::apps
