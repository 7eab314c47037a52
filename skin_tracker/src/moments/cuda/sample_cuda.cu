#include <triptych/core/cuda.cuh>

#include "moments/cuda/sample_cuda.hpp"
#include "moments/sample_math.hpp"

namespace triptych::skin_tracker {

namespace {

struct SampleGrid {
  const std::uint8_t* data;
  const std::uint8_t* chroma;
  std::int64_t pitch, chroma_pitch;
  int x, y, step, columns, count;  // x, y: the first sampled pixel
};

// A thread owns one sample: there are few, far apart.
template <FrameFormat format, class Weights>
__global__ void __launch_bounds__(256)
    sample_kernel(SampleGrid grid, Weights weights, std::uint16_t* samples) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (i >= grid.count) return;
  const int row = i / grid.columns;
  const int y = grid.y + row * grid.step;
  const int x = grid.x + (i - row * grid.columns) * grid.step;
  const std::uint8_t* uv = format == FrameFormat::nv12 ? grid.chroma + y / 2 * grid.chroma_pitch : nullptr;
  samples[i] = sample_of<format>(weights, read_pixel<format>(grid.data + y * grid.pitch, uv, x));
}

template <class Weights>
void sample(const DeviceFrame& frame, const PixelBox& region, int step, const Weights& weights,
            std::uint16_t* samples, StreamRef stream) {
  check_region(region, frame.width(), frame.height());
  require(step >= 1, "samples cannot be ", step, " pixels apart");
  const int columns = region.width / step;
  const int count = columns * (region.height / step);
  if (count == 0) return;
  require(samples != nullptr, "samples need a place on the device (null pointer)");
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
    launch(kernel, {static_cast<unsigned>((count + 255) / 256), 256}, stream, grid, weights, samples);
  };
  by_format(frame.format(), [&](auto format) { run(sample_kernel<format(), Weights>); });
}

}  // namespace

void sample_cuda(const DeviceFrame& frame, const PixelBox& region, int step, const FixedFilter& filter,
                 std::uint16_t* samples_on_device, StreamRef stream) {
  sample(frame, region, step, filter, samples_on_device, stream);
}

void sample_cuda(const DeviceFrame& frame, const PixelBox& region, int step, const CellWeights& weights,
                 std::uint16_t* samples_on_device, StreamRef stream) {
  sample(frame, region, step, weights, samples_on_device, stream);
}

}  // namespace triptych::skin_tracker
