// The piecewise affine warp on the CPU.
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <limits>

#include "warp/warp.hpp"
#include "warp/warp_math.hpp"

namespace triptych::aam_fit {

std::int64_t warp_cpu(PlanesView planes, const ReferenceFrame& frame, std::span<const float> shape,
                      std::span<float> texture) {
  require(planes.channels >= 1, "cannot sample planes of ", planes.channels, " channels");
  const std::int64_t width = planes.width(), height = planes.height(), count = frame.size();
  const std::int64_t pitch = planes.stacked.pitch_bytes() / static_cast<std::int64_t>(sizeof(float));
  require(width >= 1 && height >= 1, "cannot sample planes of ", width, " x ", height, " pixels and ",
          planes.channels, " channels");
  require(height * pitch <= std::numeric_limits<std::int32_t>::max(), "planes of ", width, " x ", height,
          " pixels are too large to be sampled");
  require(static_cast<std::int64_t>(texture.size()) == planes.channels * count, "a texture of ", count,
          " pixels and ", planes.channels, " channels does not have ", texture.size(), " samples");

  // In blocks whose taps stay in the first-level cache while the channels are read one after the other.
  constexpr std::int64_t block = 256;
  std::array<Tap, block> taps;
  const WarpPixel* pixels = frame.pixels.data();
  std::int64_t outside = 0;
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t size = std::min(block, count - first);
    for (std::int64_t i = 0; i < size; ++i) {
      const WarpPoint at = warp_point(pixels[first + i], shape.data());
      Tap& tap = taps[static_cast<std::size_t>(i)];
      tap = tap_at(at.x, at.y, static_cast<std::int32_t>(width), static_cast<std::int32_t>(height),
                   static_cast<std::int32_t>(pitch));
      outside += tap.outside ? 1 : 0;
    }
    for (int c = 0; c < planes.channels; ++c) {
      const float* plane = planes.stacked.data() + c * height * pitch;
      float* out = texture.data() + c * count + first;
      for (std::int64_t i = 0; i < size; ++i) out[i] = sample(plane, taps[static_cast<std::size_t>(i)]);
    }
  }
  return outside;
}

}  // namespace triptych::aam_fit
