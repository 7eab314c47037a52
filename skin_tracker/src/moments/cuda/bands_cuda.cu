#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/tile_ranges.cuh>

#include "moments/cuda/bands_cuda.hpp"
#include "moments/cuda/frame_tiles.cuh"
#include "moments/cuda/pixel_weights.cuh"

namespace triptych::skin_tracker {

namespace {

// A row of tiles is a band. The host may write the next frame's pixels while the kernel is resident.
template <class Layout>
struct FrameBands {
  static constexpr int words = 6;
  static constexpr int threads = 512;
  static constexpr int blocks_per_multiprocessor = 1;
  using Tiles = FrameTiles<Layout, DotWeights, band_rows / 4, Reading::changing>;
  static_assert(Tiles::rows == band_rows);
  Tiles tiles;

  __device__ const Tiles& item(int) const { return tiles; }
};

}  // namespace

void start_bands_cuda(const DeviceFrame& frame, const PixelBox& region, const FixedFilter& filter,
                      const Device& device, reduction::HostMailbox& mailbox) {
  const DotWeights weights(filter, frame.format());
  by_layout(frame.format(), [&](auto layout) {
    const FrameBands<decltype(layout)> source{{frame, region, weights}};
    reduction::start_tile_ranges(source, static_cast<int>(source.tiles.tiles_per_row.divisor),
                                 source.tiles.tile_rows, mailbox, [&] { device.activate(); });
  });
}

}  // namespace triptych::skin_tracker
