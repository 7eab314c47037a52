#include <triptych/core/cuda.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include "engine/pinned_frame.hpp"

namespace triptych::skin_tracker {

namespace {

cudaPointerAttributes attributes_of(const std::uint8_t* data) {
  cudaPointerAttributes attributes{};
  TRIPTYCH_CUDA_CHECK(cudaPointerGetAttributes(&attributes, data));
  return attributes;
}

}  // namespace

PinnedFrameInfo pinned_frame_info(const Frame& frame) {
  const cudaPointerAttributes pixels = attributes_of(frame.data());
  if (pixels.type == cudaMemoryTypeUnregistered) return {};
  const auto* const data = static_cast<const std::uint8_t*>(pixels.devicePointer);
  const std::uint8_t* chroma = nullptr;
  if (frame.chroma() != nullptr) {
    const cudaPointerAttributes uv = attributes_of(frame.chroma());
    if (uv.type == cudaMemoryTypeUnregistered) return {};
    chroma = static_cast<const std::uint8_t*>(uv.devicePointer);
  }
  if (data == nullptr || (frame.chroma() != nullptr && chroma == nullptr)) return {true, {}};
  return {true, DeviceFrame(frame.format(), data, frame.width(), frame.height(), frame.pitch_bytes(), chroma,
                            frame.chroma_pitch_bytes())};
}

}  // namespace triptych::skin_tracker
