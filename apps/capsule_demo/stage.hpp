// What the body stands on: a dark room with a grid of half metres on the floor, and the body's soft shadow.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <opencv2/core/mat.hpp>

#include <span>

#include "view.hpp"

namespace triptych::capsule_demo {

// CV_8UC3. middle: where the floor is brightest.
cv::Mat draw_stage(const View& view, std::span<const capsule_likelihood::Capsule> body, float floor_y,
                   const Vec& middle);

}  // namespace triptych::capsule_demo
