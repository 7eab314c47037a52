// Head-coupled perspective: the view frustum of an eye that looks at a screen as through a window.
#pragma once

#include <array>

namespace triptych::skin_tracker {

// The eye in metres, from the middle of the screen: x to the right, y up, z towards the viewer.
struct Eye {
  double x_m, y_m, z_m;
};

// Extents at the near plane, as glFrustum takes them.
struct Frustum {
  double left, right, bottom, top, near, far;
};

// All results are finite; what would not be is refused.
//
// InvalidArgument unless the screen has a size, the eye is in front of it and 0 < near < far.
Frustum off_axis_frustum(const Eye& eye, double screen_width_m, double screen_height_m, double near_m,
                         double far_m);
// Column-major 4 x 4, clip from eye space (z from -1 to 1). InvalidArgument unless left < right, bottom < top
// and 0 < near < far.
std::array<double, 16> projection_matrix(const Frustum& frustum);

// Where a head at this place of the frame and this distance (along z) is: the camera sits in the plane of the
// screen, that much above its middle, looks along z at the viewer and has that horizontal angle of view.
// mirrored: the frame shows the user as a mirror does. InvalidArgument for a camera that cannot be, a
// position that is not finite, or a distance that is not above 0.
struct Camera {
  int width_px, height_px;
  double angle_of_view_rad = 1.047;
  double above_screen_middle_m = 0.0;
  bool mirrored = false;
};
Eye eye_of(double x_px, double y_px, double distance_m, const Camera& camera);

}  // namespace triptych::skin_tracker
