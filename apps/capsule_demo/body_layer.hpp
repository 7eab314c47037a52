// A body of capsules as a picture: cast by rays, shaded, translucent.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <opencv2/core/mat.hpp>

#include <span>
#include <vector>

#include "view.hpp"

namespace triptych::capsule_demo {

struct BodyLayer {
  cv::Mat colour;  // CV_32FC3, BGR, 0 .. 1, already multiplied by the cover
  cv::Mat cover;   // CV_32F, 0 .. 1
  cv::Mat depth;   // CV_32F, along the view's forward; infinity where there is no body
};

// tints: the colour of each capsule, BGR, 0 .. 1.
BodyLayer draw_body(const View& view, std::span<const capsule_likelihood::Capsule> body,
                    std::span<const Vec> tints);

}  // namespace triptych::capsule_demo
