#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace triptych::skin_tracker {

Head head_of(const Moments& moments, int width, int height) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (moments.weight == 0) return {nan, nan, 0, 0, nan, nan, nan, false};
  require(width > 0 && height > 0, "moments with weight cannot come from a frame of ", width, " x ", height,
          " pixels");
  const auto weight = static_cast<double>(moments.weight);
  const double x = static_cast<double>(moments.x) / weight;
  const double y = static_cast<double>(moments.y) / weight;
  Head head{};
  const int middle_x = width / 2, middle_y = height / 2;
  head.x_px = middle_x + x;
  head.y_px = middle_y + y;
  head.weight_px = weight / fixed_one;
  head.area = head.weight_px / (static_cast<double>(width) * height);
  head.xx_px2 = std::max(0.0, static_cast<double>(moments.xx) / weight - x * x);
  head.xy_px2 = static_cast<double>(moments.xy) / weight - x * y;
  head.yy_px2 = std::max(0.0, static_cast<double>(moments.yy) / weight - y * y);
  head.found = true;
  return head;
}

// A uniform ellipse has the variance semi^2 / 4 along each axis.
HeadEllipse ellipse_of(const Head& head) {
  const double mean = (head.xx_px2 + head.yy_px2) / 2;
  const double half_difference = (head.xx_px2 - head.yy_px2) / 2;
  const double spread = length(half_difference, head.xy_px2);
  HeadEllipse ellipse{};
  ellipse.semi_major_px = 2 * std::sqrt(mean + spread);
  ellipse.semi_minor_px = mean < spread ? 0 : 2 * std::sqrt(mean - spread);
  const double angle = std::atan2(head.xy_px2, half_difference) / 2;
  ellipse.angle_rad = angle <= -std::numbers::pi / 2 ? std::numbers::pi / 2 : angle;
  return ellipse;
}

// A solid ellipse has the area pi a b = 4 pi sqrt(det covariance), since its variances are a^2 / 4 and b^2
// / 4.
double score_of(const Head& head) {
  const double det = head.xx_px2 * head.yy_px2 - head.xy_px2 * head.xy_px2;
  if (!head.found || std::isnan(det)) return 0;
  const double ellipse_px = 4 * std::numbers::pi * std::sqrt(std::max(0.0, det));
  return head.weight_px < ellipse_px ? head.weight_px / ellipse_px : 1;
}

}  // namespace triptych::skin_tracker
