// The table of weights built on the GPU.
//
// Bounds on an H200, for 16 bits: writing 32 MiB at 4 TB/s takes 8 us. A multiprocessor executes 64 double
// operations and 16 conversions of doubles per clock. With 132 multiprocessors at 1.98 GHz one operation per
// colour takes 1.0 us and one conversion 4.0 us. As compiled, a histogram has 2 operations and 1 conversion,
// a linear filter 8 and 2.4: both are near the memory bound. An ellipse has 31 operations, a pair of
// Gaussians 74 in rgb, 79 in crcb, 94 in rg and at most 167 in hsv; these are their times in microseconds.
//
// Rounding: without fused multiply-add all operations except exp, sin and cos have the same bits on host and
// device. exp differs by less than 2 units in the last place, and 1 / (1 + exp), with its two roundings, by a
// relative error below 2^-50. The float weight then differs by at most one unit in the last place, at most
// 2^-24, and a 16-bit weight by at most one step. In hsv cos and sin differ by less than 3 units in the last
// place, the point by less than 2^-49. For distances up to sqrt(5) and eigenvalues up to 2^20 the squared
// distance changes by less than 2^-26, its rounding adds less than 2^-25, and the exponent (half of both, for
// two distances) changes by less than 2^-24. The relative error of a weight is therefore below 2^-24: again
// at most one unit in the last place.
#include <triptych/core/buffer.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstddef>
#include <cstdint>
#include <variant>

#include "colour/table_math.hpp"

namespace triptych::skin_tracker {

namespace {

// A pair whose colour space is known when its kernel is compiled.
template <ColourSpace space>
struct PairIn {
  NormalNumbers skin, other;
};

template <ColourSpace space>
TRIPTYCH_INLINE_HD double weight_of(const PairIn<space>& pair, double r, double g, double b) {
  return weight_of(GaussianNumbers{space, pair.skin, pair.other}, r, g, b);
}

constexpr int block_threads = 256;

// A thread owns 16 bytes of the table, and a block block_threads times as much. The grid covers the table
// exactly.
template <class T, class Numbers>
__global__ void __launch_bounds__(block_threads) table_kernel(Numbers numbers, uint4* table) {
  const std::uint32_t i = blockIdx.x * block_threads + threadIdx.x;
  const TablePack<T> pack = table_pack<T>(numbers, i * TablePack<T>::colours);
  table[i] = make_uint4(pack.words[0], pack.words[1], pack.words[2], pack.words[3]);
}

template <class T, class Numbers>
void launch_table(const Numbers& numbers, DeviceSpan<T> weights, StreamRef stream) {
  constexpr std::size_t colours_per_block = std::size_t{block_threads} * TablePack<T>::colours;
  static_assert(WeightTable<T>::colours % colours_per_block == 0);
  constexpr auto blocks = static_cast<unsigned>(WeightTable<T>::colours / colours_per_block);
  launch(table_kernel<T, Numbers>, {blocks, block_threads}, stream, numbers,
         reinterpret_cast<uint4*>(weights.data()));
}

template <class T>
void build(const LinearFilter& filter, DeviceSpan<T> weights, StreamRef stream) {
  launch_table(numbers_of(filter), weights, stream);
}

template <class T>
void build(const ChrominanceEllipse& ellipse, DeviceSpan<T> weights, StreamRef stream) {
  launch_table(numbers_of(ellipse), weights, stream);
}

template <class T>
void build(const GaussianPair& pair, DeviceSpan<T> weights, StreamRef stream) {
  require_usable(pair);
  const GaussianNumbers n = numbers_of(pair);
  switch (n.space) {
    case ColourSpace::crcb:
      return launch_table(PairIn<ColourSpace::crcb>{n.skin, n.other}, weights, stream);
    case ColourSpace::rg:
      return launch_table(PairIn<ColourSpace::rg>{n.skin, n.other}, weights, stream);
    case ColourSpace::hsv:
      return launch_table(PairIn<ColourSpace::hsv>{n.skin, n.other}, weights, stream);
    default:
      return launch_table(PairIn<ColourSpace::rgb>{n.skin, n.other}, weights, stream);
  }
}

// The buffer of the cells must exist until the kernel has read them.
template <class T>
void build(const HistogramRatio& histogram, DeviceSpan<T> weights, StreamRef stream) {
  require_usable(histogram);
  require(!stream.is_capturing(),
          "the table of a histogram cannot be built while its stream is capturing: build it before");
  DeviceBuffer<float> cells(static_cast<std::int64_t>(histogram.share.size()));
  copy_to_device(histogram.share, cells.span(), stream);
  launch_table(HistogramNumbers{cells.data(), histogram.bits}, weights, stream);
  stream.synchronize();
}

}  // namespace

template <class T>
void build_table_cuda(const Classifier& classifier, DeviceSpan<T> weights_on_device, StreamRef stream) {
  constexpr auto colours = static_cast<std::int64_t>(WeightTable<T>::colours);
  require(weights_on_device.size() == colours, "a table of weights has ", colours, " entries, not ",
          weights_on_device.size());
  require(reinterpret_cast<std::uintptr_t>(weights_on_device.data()) % 16 == 0,
          "a table of weights is written 16 bytes at a time: its address must be a multiple of 16");
  std::visit([&](const auto& kind) { build(kind, weights_on_device, stream); }, classifier);
}

template void build_table_cuda(const Classifier&, DeviceSpan<std::uint8_t>, StreamRef);
template void build_table_cuda(const Classifier&, DeviceSpan<std::uint16_t>, StreamRef);
template void build_table_cuda(const Classifier&, DeviceSpan<float>, StreamRef);

}  // namespace triptych::skin_tracker
