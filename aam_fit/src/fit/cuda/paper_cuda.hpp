// The fit in the form of the paper: ten kernels per evaluation, one after the other. The reference for the
// one-pass form on the GPU, and its baseline.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/rows.hpp>

#include "fit/cuda/level_cuda.hpp"

namespace triptych::aam_fit {

// What one evaluation leaves for the next; on the device. Kernels of a fit that has stopped do nothing.
struct PaperState {
  FitState<double> fit;
  double alpha, beta, spread;
  std::int32_t outside, still;
};

class PaperFitCuda {
 public:
  // Picks the plan of the wide product by measuring it. Synchronises.
  PaperFitCuda(const LevelOnDevice& level, const FitRules& rules, StreamRef stream);
  void fit(const PlanesOnDevice& planes, float* parameters, DeviceLevelFit* result, float* errors,
           StreamRef stream);
  const reduction::RowPlan& plan() const { return plan_; }

 private:
  LevelOnDevice level_;
  FitRules rules_;
  int blocks_;
  Workspace workspace_;
  reduction::RowPlan plan_;
  DeviceBuffer<PaperState> state_;
  DeviceBuffer<float> trial_, step_, product_;  // modes + 4
  DeviceBuffer<float> points_;                  // of the trial, then of the fit: 2 x 2 points
  DeviceBuffer<float> texture_, model_;         // samples
  DeviceBuffer<double> partial_;                // 4 x blocks
};

}  // namespace triptych::aam_fit
