// Pictures of a model's modes.
#pragma once

#include <triptych/aam_fit/fitter.hpp>

#include <opencv2/core/mat.hpp>

namespace triptych::aam_demo {

// The model's face with parameter `mode` at `sigmas` standard deviations and the others at 0: its texture in
// its shape, in grey where the model has an appearance, with the mesh drawn over it.
cv::Mat draw_mode(const aam_fit::Fitter& fitter, int mode, double sigmas, int size_px);
// The first modes at -2, 0 and 2, one a row.
cv::Mat draw_mode_sheet(const aam_fit::Fitter& fitter, int modes, int size_px);

}  // namespace triptych::aam_demo
