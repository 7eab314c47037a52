// The piecewise affine warp on the CPU: the texture that a shape covers in an image.
#pragma once

#include <triptych/aam_fit/planes.hpp>
#include <triptych/aam_fit/reference_frame.hpp>

#include <cstdint>
#include <span>

namespace triptych::aam_fit {

// texture: channels * frame.size() samples, one channel after the other. shape: interleaved, in the planes'
// pixels, with every corner the frame names. Returns how many pixels of the frame (not samples) lay outside
// the planes; those are clamped to the border. Runs on the calling thread. InvalidArgument when the planes
// are empty or the texture has another size.
std::int64_t warp_cpu(PlanesView planes, const ReferenceFrame& frame, std::span<const float> shape,
                      std::span<float> texture);

}  // namespace triptych::aam_fit
