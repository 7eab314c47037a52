// 16-bit weights of the cells of a grid over RGB. Host and device.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/core/span.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>
#include <vector>

namespace triptych::skin_tracker {

// The cell of a colour in a grid of 2^bits cells per channel, for r, g, b in 0 .. 255.
TRIPTYCH_INLINE_HD int cell_of(int bits, int r, int g, int b) {
  const int drop = 8 - bits;
  return (((r >> drop) << bits | g >> drop) << bits) | b >> drop;
}

// A view of weights in host or device memory: of a histogram's cells, or of a table with a cell per colour.
struct CellWeights {
  const std::uint16_t* cells;
  std::int32_t bits = 8;

  CellWeights(const std::uint16_t* weights, int bits_per_channel) : cells(weights), bits(bits_per_channel) {}
  CellWeights(const WeightTable<std::uint16_t>& table) : cells(table.weights().data()) {}
  CellWeights(DeviceSpan<const std::uint16_t> table) : cells(table.data()) {}

  TRIPTYCH_HD std::uint16_t operator[](Rgb8 c) const { return cells[cell_of(bits, c.r, c.g, c.b)]; }
};

// The weights of a histogram's cells, equal to those of a WeightTable. InvalidArgument when it is not valid.
std::vector<std::uint16_t> cell_weights(const HistogramRatio& histogram);

}  // namespace triptych::skin_tracker
