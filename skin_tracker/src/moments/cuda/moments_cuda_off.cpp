// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/device.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include "moments/cuda/sample_cuda.hpp"

namespace triptych::skin_tracker {

void sum_cuda(const DeviceFrame&, const Region&, const LinearFilter&, Sums*, const reduction::Options&,
              Workspace&, StreamRef) {
  throw_cuda_unavailable("sum_cuda");
}

void sum_cuda(const DeviceFrame&, const Region&, DeviceSpan<const std::uint16_t>, Sums*,
              const reduction::Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("sum_cuda");
}

void sum_batch_cuda(std::span<const DeviceFrame>, const LinearFilter&, Sums*, Workspace&, StreamRef) {
  throw_cuda_unavailable("sum_batch_cuda");
}

void sample_cuda(const DeviceFrame&, const Region&, int, const FixedFilter&, std::uint16_t*, StreamRef) {
  throw_cuda_unavailable("sample_cuda");
}

void sample_cuda(const DeviceFrame&, const Region&, int, const CellWeights&, std::uint16_t*, StreamRef) {
  throw_cuda_unavailable("sample_cuda");
}

}  // namespace triptych::skin_tracker
