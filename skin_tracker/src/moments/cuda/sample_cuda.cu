#include "moments/cuda/sample_cuda.hpp"

#include <triptych/core/cuda.cuh>

#include "moments/cuda/pixel_weights.cuh"

namespace triptych::skin_tracker {

namespace {

// The weight of one pixel's bytes, for samples.
struct FilterSamples {
  FixedFilter filter;
  template <FrameFormat format>
  __device__ std::uint16_t of(const PixelBytes& p) const {
    return static_cast<std::uint16_t>(filter.weight(p.v0, p.v1, p.v2));
  }
};
struct TableSamples {
  const std::uint16_t* table;
  template <FrameFormat format>
  __device__ std::uint16_t of(const PixelBytes& p) const {
    return table[WeightTable<std::uint16_t>::index(colour_of<format>(p))];
  }
};

struct SampleGrid {
  const std::uint8_t* data;
  const std::uint8_t* chroma;
  std::int64_t pitch, chroma_pitch;
  int x, y, step, columns, count;  // x, y: the first sampled pixel
};

// A thread owns one sample: there are few, far apart.
template <FrameFormat format, class Samples>
__global__ void __launch_bounds__(256)
    sample_kernel(SampleGrid grid, Samples samples, std::uint16_t* weights) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (i >= grid.count) return;
  const int row = i / grid.columns;
  const int y = grid.y + row * grid.step;
  const int x = grid.x + (i - row * grid.columns) * grid.step;
  const std::uint8_t* uv = format == FrameFormat::nv12 ? grid.chroma + y / 2 * grid.chroma_pitch : nullptr;
  weights[i] = samples.template of<format>(read_pixel<format>(grid.data + y * grid.pitch, uv, x));
}

template <class Samples>
void sample(const DeviceFrame& frame, const Region& region, int step, const Samples& samples,
            std::uint16_t* weights, StreamRef stream) {
  check_region(region, frame.width(), frame.height());
  require(step >= 1, "samples cannot be ", step, " pixels apart");
  const int columns = region.width / step;
  const int count = columns * (region.height / step);
  if (count == 0) return;
  require(weights != nullptr, "samples need a place on the device (null pointer)");
  const SampleGrid grid{frame.data(),
                        frame.chroma(),
                        frame.pitch_bytes(),
                        frame.chroma_pitch_bytes(),
                        region.x + step / 2,
                        region.y + step / 2,
                        step,
                        columns,
                        count};
  const auto run = [&](auto kernel) {
    launch(kernel, {static_cast<unsigned>((count + 255) / 256), 256}, stream, grid, samples, weights);
  };
  by_format(frame.format(), [&](auto format) { run(sample_kernel<format(), Samples>); });
}

}  // namespace

void sample_cuda(const DeviceFrame& frame, const Region& region, int step, const LinearFilter& filter,
                 std::uint16_t* weights_on_device, StreamRef stream) {
  sample(frame, region, step, FilterSamples{fix(filter, channels_of(frame.format()))}, weights_on_device,
         stream);
}

void sample_cuda(const DeviceFrame& frame, const Region& region, int step,
                 DeviceSpan<const std::uint16_t> table, std::uint16_t* weights_on_device, StreamRef stream) {
  sample(frame, region, step, TableSamples{TableWeights(table, frame.format()).table}, weights_on_device,
         stream);
}

}  // namespace triptych::skin_tracker
