// Moment engines made from a classifier.
#pragma once

#include <memory>

#include "engine/moment_engine.hpp"

namespace triptych::test {

inline std::unique_ptr<skin_tracker::MomentEngine> cuda_engine(const skin_tracker::Classifier& classifier,
                                                               skin_tracker::FrameFormat format, int width,
                                                               int height) {
  const auto weights =
      std::make_shared<const skin_tracker::PixelWeights>(classifier, format, 0, Device::cuda(0));
  return skin_tracker::make_cuda_engine(weights, format, width, height, 0);
}

// threads 0: all cores.
inline std::unique_ptr<skin_tracker::MomentEngine> joint_engine(const skin_tracker::Classifier& classifier,
                                                                skin_tracker::FrameFormat format, int width,
                                                                int height, int threads = 0) {
  const auto weights =
      std::make_shared<const skin_tracker::PixelWeights>(classifier, format, 0, Device::cuda(0));
  return skin_tracker::make_joint_engine(weights, format, width, height, threads);
}

}  // namespace triptych::test
