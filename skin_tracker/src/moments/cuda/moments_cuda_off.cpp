// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/device.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include "moments/cuda/sample_cuda.hpp"

namespace triptych::skin_tracker {

void moments_cuda(const DeviceFrame&, const PixelBox&, const LinearFilter&, Moments*,
                  const reduction::Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("moments_cuda");
}

void moments_cuda(const DeviceFrame&, const PixelBox&, DeviceSpan<const std::uint16_t>, Moments*,
                  const reduction::Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("moments_cuda");
}

void moments_batch_cuda(std::span<const DeviceFrame>, const LinearFilter&, Moments*, Workspace&, StreamRef) {
  throw_cuda_unavailable("moments_batch_cuda");
}

void moments_batch_cuda(std::span<const DeviceFrame>, DeviceSpan<const std::uint16_t>, Moments*, Workspace&,
                        StreamRef) {
  throw_cuda_unavailable("moments_batch_cuda");
}

void sample_cuda(const DeviceFrame&, const PixelBox&, int, const FixedFilter&, std::uint16_t*, StreamRef) {
  throw_cuda_unavailable("sample_cuda");
}

void sample_cuda(const DeviceFrame&, const PixelBox&, int, const CellWeights&, std::uint16_t*, StreamRef) {
  throw_cuda_unavailable("sample_cuda");
}

}  // namespace triptych::skin_tracker
