#include "moments/sample_cpu.hpp"

#include <triptych/core/error.hpp>

#include "colour/table_math.hpp"
#include "frame/locate_math.hpp"

namespace triptych::skin_tracker {

namespace {

void check(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) {
  check_region(region, frame.width(), frame.height());
  require(step >= 1, "cannot sample every ", step, " pixels");
  const auto wanted =
      static_cast<std::size_t>(region.width / step) * static_cast<std::size_t>(region.height / step);
  require(weights.size() == wanted, wanted, " samples do not fit into room for ", weights.size());
}

template <FrameFormat format, class Weight>
void sample(const Frame& frame, const Region& region, int step, std::uint16_t* out, Weight weight) {
  const int columns = region.width / step, rows = region.height / step;
  for (int row = 0; row < rows; ++row) {
    const std::int64_t y = region.y + row * step + step / 2;
    const std::uint8_t* pixels = frame.data() + y * frame.pitch_bytes();
    const std::uint8_t* chroma =
        format == FrameFormat::nv12 ? frame.chroma() + y / 2 * frame.chroma_pitch_bytes() : nullptr;
    for (int column = 0; column < columns; ++column)
      *out++ = static_cast<std::uint16_t>(
          weight(read_pixel<format>(pixels, chroma, region.x + column * step + step / 2)));
  }
}

// Table: [colour] is its weight.
template <class Table>
void sample_by_colour(const Frame& frame, const Region& region, int step, const Table& table,
                      std::span<std::uint16_t> weights) {
  check(frame, region, step, weights);
  by_format(frame.format(), [&](auto format) {
    sample<format.value>(frame, region, step, weights.data(),
                         [&](const PixelBytes& p) { return table[colour_of<format.value>(p)]; });
  });
}

}  // namespace

void sample_cpu(const Frame& frame, const Region& region, int step, const LinearFilter& filter,
                std::span<std::uint16_t> weights) {
  check(frame, region, step, weights);
  const FixedFilter fixed = fix(filter, channels_of(frame.format()));
  by_format(frame.format(), [&](auto format) {
    sample<format.value>(frame, region, step, weights.data(),
                         [&](const PixelBytes& p) { return fixed.weight(p.v0, p.v1, p.v2); });
  });
}

void sample_cpu(const Frame& frame, const Region& region, int step, const WeightTable<std::uint16_t>& table,
                std::span<std::uint16_t> weights) {
  sample_by_colour(frame, region, step, table, weights);
}

HistogramWeights::HistogramWeights(const HistogramRatio& histogram) : bits_(histogram.bits) {
  require_usable(histogram);
  cells_.reserve(histogram.share.size());
  for (const float share : histogram.share) cells_.push_back(stored<std::uint16_t>(share));
}

void sample_cpu(const Frame& frame, const Region& region, int step, const HistogramWeights& histogram,
                std::span<std::uint16_t> weights) {
  sample_by_colour(frame, region, step, histogram, weights);
}

}  // namespace triptych::skin_tracker
