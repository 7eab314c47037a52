#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engine/joint/gpu_bands.hpp"
#include "moments/cuda/bands_cuda.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr int moment_words = sizeof(Moments) / sizeof(std::uint64_t);
static_assert(std::is_trivially_copyable_v<Moments>);

// Enough bytes in flight keep the bus busy while the CPU reads the same memory; more would leave more bands
// unfinished at the boundary. On an H200 six bands of 1920 pixels of four bytes were best.
int lanes_for(FrameFormat format, int width) {
  constexpr std::int64_t bytes_in_flight = 6 * 4 * 1920 * 4;
  const std::int64_t row = std::int64_t{width} * bytes_per_pixel(format);
  const std::int64_t band = band_rows * (format == FrameFormat::nv12 ? row + row / 2 : row);
  return static_cast<int>(std::clamp<std::int64_t>(bytes_in_flight / std::max<std::int64_t>(1, band), 4, 16));
}

}  // namespace

GpuBands::GpuBands(const FixedFilter& filter, FrameFormat format, int width, int height, const Device& device,
                   double persistent_us)
    : filter_(filter),
      device_(activated(device)),
      mailbox_(height / band_rows + 2, moment_words, lanes_for(format, width), persistent_us) {}

void GpuBands::plan(const PixelBox& region, int rows) {
  mailbox_.next_call();
  region_ = {region.x, region.y, region.width, rows};
  const int first = region.y / 2 * 2;
  count_ = (region.y + rows - first + band_rows - 1) / band_rows;
}

PixelBox GpuBands::band(int i) const {
  const int first = region_.y / 2 * 2 + i * band_rows;
  const int top = std::max(first, region_.y);
  return {region_.x, top, region_.width, std::min(first + band_rows, region_.y + region_.height) - top};
}

void GpuBands::start(const DeviceFrame& frame) {
  start_bands_cuda(frame, region_, filter_, device_, mailbox_);
}

Moments GpuBands::moments(int i) const {
  std::uint64_t words[moment_words];
  for (int k = 0; k < moment_words; ++k) words[k] = mailbox_.word(i, k);
  Moments moments;
  std::memcpy(static_cast<void*>(&moments), words, sizeof moments);
  return moments;
}

}  // namespace triptych::skin_tracker
