#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/perspective.hpp>

#include <cmath>
#include <numbers>

namespace triptych::skin_tracker {

namespace {

template <class... Numbers>
bool all_finite(Numbers... numbers) {
  return (std::isfinite(numbers) && ...);
}

}  // namespace

Frustum off_axis_frustum(const Eye& eye, double screen_width_m, double screen_height_m, double near_m,
                         double far_m) {
  require(all_finite(screen_width_m, screen_height_m) && screen_width_m > 0 && screen_height_m > 0,
          "a screen cannot be ", screen_width_m, " x ", screen_height_m, " m");
  require(all_finite(eye.x_m, eye.y_m, eye.z_m) && eye.z_m > 0,
          "the eye must be in front of the screen, not at (", eye.x_m, ", ", eye.y_m, ", ", eye.z_m, ") m");
  require(std::isfinite(far_m) && 0 < near_m && near_m < far_m,
          "the near and far planes must satisfy 0 < near < far, not ", near_m, " and ", far_m, " m");
  // The screen's edges as seen from the eye, drawn along their rays from the screen's plane to the near one.
  const double scale = near_m / eye.z_m;
  const Frustum f{(-screen_width_m / 2 - eye.x_m) * scale,
                  (screen_width_m / 2 - eye.x_m) * scale,
                  (-screen_height_m / 2 - eye.y_m) * scale,
                  (screen_height_m / 2 - eye.y_m) * scale,
                  near_m,
                  far_m};
  require(all_finite(f.left, f.right, f.bottom, f.top), "an eye at (", eye.x_m, ", ", eye.y_m, ", ", eye.z_m,
          ") m has no finite frustum");
  return f;
}

std::array<double, 16> projection_matrix(const Frustum& f) {
  const double width = f.right - f.left;
  const double height = f.top - f.bottom;
  const double depth = f.far - f.near;
  require(width > 0 && height > 0 && depth > 0 && f.near > 0,
          "a frustum needs left < right, bottom < top and 0 < near < far");
  const double x_scale = 2 * f.near / width, y_scale = 2 * f.near / height;
  const double x_offset = (f.right + f.left) / width, y_offset = (f.top + f.bottom) / height;
  const double z_scale = -(f.far + f.near) / depth, z_offset = -2 * f.far * f.near / depth;
  require(all_finite(width, height, depth, x_scale, y_scale, x_offset, y_offset, z_scale, z_offset),
          "a frustum with these planes has no finite projection matrix");
  return {x_scale, 0, 0, 0, 0, y_scale, 0, 0, x_offset, y_offset, z_scale, -1, 0, 0, z_offset, 0};
}

Eye eye_of(double x_px, double y_px, double distance_m, const Camera& camera) {
  require(camera.width_px > 0 && camera.height_px > 0, "a camera's frame cannot be ", camera.width_px, " x ",
          camera.height_px, " pixels");
  require(camera.angle_of_view_rad > 0 && camera.angle_of_view_rad < std::numbers::pi,
          "a camera's angle of view must be between 0 and pi, not ", camera.angle_of_view_rad);
  require(all_finite(camera.above_screen_middle_m), "a camera cannot be ", camera.above_screen_middle_m,
          " m above the middle of the screen");
  require(all_finite(x_px, y_px), "a head cannot be at the position (", x_px, ", ", y_px, ") of a frame");
  require(all_finite(distance_m) && distance_m > 0, "the distance of a head must be above 0 m, not ",
          distance_m);
  const double focal_px = 0.5 * camera.width_px / std::tan(0.5 * camera.angle_of_view_rad);
  const double right_in_frame = (x_px - 0.5 * (camera.width_px - 1)) / focal_px * distance_m;
  const double down_in_frame = (y_px - 0.5 * (camera.height_px - 1)) / focal_px * distance_m;
  // The camera looks at the viewer: who moves to his right goes to the left of the frame.
  const Eye eye{camera.mirrored ? right_in_frame : -right_in_frame,
                camera.above_screen_middle_m - down_in_frame, distance_m};
  require(all_finite(eye.x_m, eye.y_m), "the position (", x_px, ", ", y_px, ") at ", distance_m,
          " m is too far away for an eye");
  return eye;
}

}  // namespace triptych::skin_tracker
