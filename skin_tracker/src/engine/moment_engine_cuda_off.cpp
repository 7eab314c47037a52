// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/device.hpp>

#include "engine/moment_engine.hpp"

namespace triptych::skin_tracker {

std::unique_ptr<MomentEngine> make_cuda_engine(const SharedWeights&, FrameFormat, int, int, int) {
  throw_cuda_unavailable("tracking on a GPU");
}

std::unique_ptr<MomentEngine> make_joint_engine(const SharedWeights&, FrameFormat, int, int, int) {
  throw_cuda_unavailable("tracking on CPU and GPU together");
}

}  // namespace triptych::skin_tracker
