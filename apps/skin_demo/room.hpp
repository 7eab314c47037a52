// Head-coupled perspective to look at: a small room behind the screen with targets that float in it and in
// front of it, drawn for where the eye is.
#pragma once

#include <triptych/skin_tracker/perspective.hpp>

#include <opencv2/core/mat.hpp>

namespace triptych::skin_demo {

// The screen is a window into the room: 0.40 m wide, as high as the picture's shape makes it.
cv::Mat draw_room(const skin_tracker::Eye& eye, cv::Size size);

// Where the eye is when the head is there in a frame of that size; kept in front of the screen.
skin_tracker::Eye eye_before_screen(double x_px, double y_px, double distance_m, cv::Size frame);

}  // namespace triptych::skin_demo
