#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/tile.cuh>
#include <triptych/reduction/transform_reduce_libraries.cuh>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "moments/cuda/frame_tiles.cuh"
#include "moments/cuda/moments_cuda.hpp"
#include "moments/cuda/pixel_groups.cuh"
#include "moments/cuda/pixel_weights.cuh"

namespace triptych::skin_tracker {

namespace {

struct Call {
  const DeviceFrame& frame;
  const PixelBox& region;
  MomentWords* result;
  const reduction::Options& options;
  Workspace& workspace;
  StreamRef stream;
};

// Every strategy of the reduction module: for the format and the weights by which they are compared.
void moments_by_any(const Call& call, const DotWeights& weights) {
  const PixelGroups<Rgba4, DotWeights> pixels(call.frame, call.region, weights);
  reduction::transform_reduce_cuda(pixels, pixels.elements(), AddMoments{}, call.result, call.options,
                                   call.workspace, call.stream, reduction::WithLibraries{});
}

void check_strategy(reduction::Strategy strategy) {
  require(strategy == reduction::Strategy::automatic || strategy == reduction::Strategy::single_pass,
          "the strategy ", to_string(strategy),
          " is there for rgba and bgra frames with a linear filter alone; use automatic or single_pass");
}

// One frame, for sum_tiles_cuda. A 1080p frame has 2025 tiles of 8 rows: one for each warp of a wave.
template <class Layout, class Weights>
struct OneFrame {
  static constexpr int words = 6;
  static constexpr int threads = 512;
  static constexpr int blocks_per_multiprocessor = 1;
  using Tiles = FrameTiles<Layout, Weights, 2, Reading::kept>;
  Tiles tiles;

  __device__ const Tiles& item(int) const { return tiles; }
};

// As many as fit a kernel's parameters.
constexpr int frames_per_launch = 192;

struct FramePlanes {
  const std::uint8_t* data[frames_per_launch];
  const std::uint8_t* chroma[frames_per_launch];
};

// Frames of one size, of which `tiles` describes the first.
template <class Layout, class Weights>
struct ManyFrames {
  static constexpr int words = 6;
  static constexpr int threads = 256;
  // As many as the registers of two steps allow; a table's addresses take more.
  static constexpr int blocks_per_multiprocessor =
      (Layout::words > 2 ? 3 : 4) - (std::is_same_v<Weights, TableWeights> ? 1 : 0);
  using Tiles = FrameTiles<Layout, Weights, 4, Reading::once>;
  Tiles tiles;
  FramePlanes planes;

  __device__ Tiles item(int frame) const {
    Tiles of_frame = tiles;
    of_frame.data = planes.data[frame];
    of_frame.chroma = planes.chroma[frame];
    return of_frame;
  }
};

std::uint64_t* words_of(MomentWords* sums) { return reinterpret_cast<std::uint64_t*>(sums); }

// By tiles, the fastest way. The other strategies exist for one layout only: each would be one more kernel.
template <class Layout, class Weights>
void moments_by_tiles(const Call& call, const Weights& weights) {
  const OneFrame<Layout, Weights> source{{call.frame, call.region, weights}};
  const int tiles = source.tiles.tiles();
  reduction::detail::check_reduce(tiles, call.result, call.options, AddMoments::exact);
  check_strategy(call.options.strategy);
  reduction::sum_tiles_cuda(source, tiles, 1, words_of(call.result), call.options.max_blocks, call.workspace,
                            call.stream);
}

void check_batch(std::span<const DeviceFrame> frames, const Moments* moments) {
  require(moments != nullptr, "the moments of a batch need a place on the device (null pointer)");
  for (const DeviceFrame& frame : frames)
    require(frame.format() == frames[0].format() && frame.width() == frames[0].width() &&
                frame.height() == frames[0].height() && frame.pitch_bytes() == frames[0].pitch_bytes() &&
                frame.chroma_pitch_bytes() == frames[0].chroma_pitch_bytes(),
            "the frames of a batch must have one size, format and pitch; one is ", frame.width(), " x ",
            frame.height(), " ", to_string(frame.format()), " with a pitch of ", frame.pitch_bytes(),
            ", the first ", frames[0].width(), " x ", frames[0].height(), " ", to_string(frames[0].format()),
            " with ", frames[0].pitch_bytes());
}

template <class Layout, class Weights>
void batch_of_layout(std::span<const DeviceFrame> frames, const Weights& weights, MomentWords* result,
                     Workspace& workspace, StreamRef stream) {
  ManyFrames<Layout, Weights> source{{frames[0], frames[0].whole(), weights}, {}};
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const FramePixels<Layout> pixels(frames[k], frames[k].whole());
    source.tiles.aligned_loads = source.tiles.aligned_loads && pixels.aligned_loads;
    source.tiles.aligned_words = source.tiles.aligned_words && pixels.aligned_words;
    source.planes.data[k] = pixels.data;
    source.planes.chroma[k] = pixels.chroma;
  }
  source.tiles.find_whole();
  reduction::sum_tiles_cuda(source, source.tiles.tiles(), static_cast<int>(frames.size()), words_of(result),
                            0, workspace, stream);
}

MomentWords* trivial(Moments* moments) { return reinterpret_cast<MomentWords*>(moments); }

// weights_of(format): what the pixels of that format are weighted by.
template <class WeightsOf>
void batch(std::span<const DeviceFrame> frames, const WeightsOf& weights_of, Moments* moments,
           Workspace& workspace, StreamRef stream) {
  if (frames.empty()) return;
  check_batch(frames, moments);
  const FrameFormat format = frames[0].format();
  const auto weights = weights_of(format);
  MomentWords* result = trivial(moments);
  while (!frames.empty()) {
    const auto some = frames.first(std::min<std::size_t>(frames.size(), frames_per_launch));
    by_layout(format, [&](auto layout) {
      batch_of_layout<decltype(layout)>(some, weights, result, workspace, stream);
    });
    frames = frames.subspan(some.size());
    result += some.size();
  }
}

}  // namespace

void moments_cuda(const DeviceFrame& frame, const PixelBox& region, const FixedFilter& filter,
                  Moments* moments_on_device, const reduction::Options& options, Workspace& workspace,
                  StreamRef stream) {
  check_region(region, frame.width(), frame.height());
  const DotWeights weights(filter, frame.format());
  const Call call{frame, region, trivial(moments_on_device), options, workspace, stream};
  by_layout(frame.format(), [&](auto layout) {
    using Layout = decltype(layout);
    if (std::is_same_v<Layout, Rgba4> && options.strategy != reduction::Strategy::automatic)
      return moments_by_any(call, weights);
    moments_by_tiles<Layout>(call, weights);
  });
}

void moments_cuda(const DeviceFrame& frame, const PixelBox& region, const LinearFilter& filter,
                  Moments* moments_on_device, const reduction::Options& options, Workspace& workspace,
                  StreamRef stream) {
  moments_cuda(frame, region, fix(filter, channels_of(frame.format())), moments_on_device, options, workspace,
               stream);
}

void moments_cuda(const DeviceFrame& frame, const PixelBox& region, DeviceSpan<const std::uint16_t> table,
                  Moments* moments_on_device, const reduction::Options& options, Workspace& workspace,
                  StreamRef stream) {
  check_region(region, frame.width(), frame.height());
  const TableWeights weights(table, frame.format());
  const Call call{frame, region, trivial(moments_on_device), options, workspace, stream};
  by_layout(frame.format(), [&](auto layout) { moments_by_tiles<decltype(layout)>(call, weights); });
}

void moments_batch_cuda(std::span<const DeviceFrame> frames, const LinearFilter& filter,
                        Moments* moments_on_device, Workspace& workspace, StreamRef stream) {
  const auto weights_of = [&](FrameFormat format) {
    return DotWeights(fix(filter, channels_of(format)), format);
  };
  batch(frames, weights_of, moments_on_device, workspace, stream);
}

void moments_batch_cuda(std::span<const DeviceFrame> frames, DeviceSpan<const std::uint16_t> table,
                        Moments* moments_on_device, Workspace& workspace, StreamRef stream) {
  const auto weights_of = [&](FrameFormat format) { return TableWeights(table, format); };
  batch(frames, weights_of, moments_on_device, workspace, stream);
}

}  // namespace triptych::skin_tracker
