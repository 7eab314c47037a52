#include <triptych/core/error.hpp>

#include <cstddef>

#include "moments/sample_cpu.hpp"
#include "moments/sample_math.hpp"

namespace triptych::skin_tracker {

namespace {

template <FrameFormat format, class Weights>
void sample_by(const Frame& frame, const PixelBox& region, int step, const Weights& weights,
               std::uint16_t* out) {
  const int columns = region.width / step, rows = region.height / step;
  for (int row = 0; row < rows; ++row) {
    const std::int64_t y = region.y + row * step + step / 2;
    const std::uint8_t* pixels = frame.data() + y * frame.pitch_bytes();
    const std::uint8_t* chroma =
        format == FrameFormat::nv12 ? frame.chroma() + y / 2 * frame.chroma_pitch_bytes() : nullptr;
    for (int column = 0; column < columns; ++column)
      *out++ =
          sample_of<format>(weights, read_pixel<format>(pixels, chroma, region.x + column * step + step / 2));
  }
}

template <class Weights>
void sample(const Frame& frame, const PixelBox& region, int step, const Weights& weights,
            std::span<std::uint16_t> samples) {
  check_region(region, frame.width(), frame.height());
  require(step >= 1, "cannot sample every ", step, " pixels");
  const auto wanted =
      static_cast<std::size_t>(region.width / step) * static_cast<std::size_t>(region.height / step);
  require(samples.size() == wanted, wanted, " samples do not fit into room for ", samples.size());
  by_format(frame.format(),
            [&](auto format) { sample_by<format()>(frame, region, step, weights, samples.data()); });
}

}  // namespace

void sample_cpu(const Frame& frame, const PixelBox& region, int step, const FixedFilter& filter,
                std::span<std::uint16_t> samples) {
  sample(frame, region, step, filter, samples);
}

void sample_cpu(const Frame& frame, const PixelBox& region, int step, const CellWeights& weights,
                std::span<std::uint16_t> samples) {
  sample(frame, region, step, weights, samples);
}

}  // namespace triptych::skin_tracker
