// moments(), locate() and moments_batch(): where the frame lies.
#include <triptych/core/device_guard.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <list>
#include <vector>

#include "../compute.hpp"
#include "frames.hpp"
#include "skin.hpp"
#include "weights.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

// What the functions need on a GPU.
struct GpuScratch {
  int ordinal;
  Stream stream;
  Event ready{Timing::off};
  Workspace workspace;
  DeviceBuffer<Moments> moments;
  PinnedBuffer<Moments> result;
};

// Those of this thread, one for each GPU. To be called with that GPU as the current one.
GpuScratch& scratch_on(int ordinal) {
  thread_local std::list<GpuScratch> entries;
  for (GpuScratch& entry : entries)
    if (entry.ordinal == ordinal) return entry;
  return entries.emplace_back(GpuScratch{ordinal, Stream(), Event(Timing::off), {}, {}, {}});
}

// enqueue(scratch) writes count moments to scratch.moments, after the arrays have been written.
template <class Enqueue>
std::vector<Moments> on_gpu(const std::vector<Array>& arrays, std::size_t count, Enqueue&& enqueue) {
  const DeviceGuard guard(arrays[0].ordinal());
  GpuScratch& scratch = scratch_on(arrays[0].ordinal());
  for (const Array& array : arrays) {
    array.record_ready(scratch.ready);
    scratch.stream.wait(scratch.ready);
  }
  return compute([&] {
    const auto wanted = static_cast<std::int64_t>(count);
    if (scratch.moments.size() < wanted) {
      scratch.moments = DeviceBuffer<Moments>(wanted);
      scratch.result = PinnedBuffer<Moments>(wanted);
    }
    enqueue(scratch);
    const std::span<Moments> result = scratch.result.span().first(count);
    copy_to_host(scratch.moments.span().first(wanted), result, scratch.stream);
    scratch.stream.synchronize();
    return std::vector<Moments>(result.begin(), result.end());
  });
}

struct Measured {
  Moments moments;
  int width, height;
};

Measured measure(nb::handle frame, nb::handle classifier, nb::handle region, nb::handle format, int threads,
                 nb::handle stream) {
  std::vector<Array> arrays;
  const Array& array = arrays.emplace_back(frame, "frame", stream);
  const FrameLayout layout = layout_of(array, format_of(format));
  const int width = static_cast<int>(layout.width), height = static_cast<int>(layout.height);
  const PixelBox box = region.is_none() ? PixelBox{0, 0, width, height} : pixel_box_of(region, "region");
  require(box.x >= 0 && box.y >= 0 && box.width >= 0 && box.height >= 0 && box.width <= width - box.x &&
              box.height <= height - box.y,
          "region: a box of ", box.width, " x ", box.height, " at (", box.x, ", ", box.y,
          ") lies outside a frame of ", width, " x ", height);
  const PixelWeightsArgument weights(classifier, threads);
  if (!array.on_gpu()) {
    const Frame view = frame_of<Space::host>(array, layout);
    return {weights.visit([&](auto& by) {
              return compute([&] {
                if constexpr (std::is_same_v<decltype(by), ColourTable&>)
                  return moments_cpu(view, box, by.host(), threads);
                else
                  return moments_cpu(view, box, by, threads);
              });
            }),
            width, height};
  }
  const DeviceFrame view = frame_of<Space::device>(array, layout);
  const auto moments = on_gpu(arrays, 1, [&](GpuScratch& s) {
    weights.visit([&](auto& by) {
      if constexpr (std::is_same_v<decltype(by), ColourTable&>)
        moments_cuda(view, box, by.device(s.ordinal), s.moments.data(), {}, s.workspace, s.stream);
      else
        moments_cuda(view, box, by, s.moments.data(), {}, s.workspace, s.stream);
    });
  });
  return {moments[0], width, height};
}

// The frames of a batch: one array whose first axis counts them, or a sequence of arrays.
struct Batch {
  std::vector<Array> arrays;  // keeps the memory
  std::vector<FrameLayout> layouts;
  std::vector<const std::uint8_t*> data;

  Batch(nb::handle frames, OptionalFormat format, nb::handle stream) {
    if (nb::isinstance<nb::list>(frames) || nb::isinstance<nb::tuple>(frames)) {
      for (const nb::handle frame : frames) {
        const Array& array = arrays.emplace_back(frame, "frames", stream);
        layouts.push_back(layout_of(array, format));
        data.push_back(static_cast<const std::uint8_t*>(array.data()));
        require(array.ordinal() == arrays[0].ordinal(),
                "frames: all must be in the same memory: ", arrays[0].describe(), " and ", array.describe());
      }
      return;
    }
    const Array& array = arrays.emplace_back(frames, "frames", stream);
    const bool any = array.ndim() > 0 && array.shape(0) > 0;
    const std::int64_t count = any ? array.shape(0) : 0;
    const FrameLayout layout = layout_of(array, format, true);
    for (std::int64_t i = 0; i < count; ++i) {
      layouts.push_back(layout);
      data.push_back(static_cast<const std::uint8_t*>(array.data()) + (count == 1 ? 0 : i * array.stride(0)));
    }
  }

  bool on_gpu() const { return !arrays.empty() && arrays[0].on_gpu(); }
  template <Space space>
  std::vector<BasicFrame<space>> frames() const {
    std::vector<BasicFrame<space>> frames;
    frames.reserve(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) frames.push_back(frame_at<space>(data[i], layouts[i]));
    return frames;
  }
};

std::vector<Moments> measure_batch(nb::handle frames, nb::handle classifier, nb::handle format,
                                   Whole<"threads"> threads, nb::handle stream) {
  const Batch batch(frames, format_of(format), stream);
  const PixelWeightsArgument weights(classifier, threads);
  if (batch.data.empty()) return {};
  if (!batch.on_gpu()) {
    const std::vector<Frame> views = batch.frames<Space::host>();
    std::vector<Moments> moments(views.size());
    weights.visit([&](auto& by) {
      compute([&] {
        if constexpr (std::is_same_v<decltype(by), ColourTable&>)
          moments_batch_cpu(views, by.host(), moments, threads);
        else
          moments_batch_cpu(views, by, moments, threads);
      });
    });
    return moments;
  }
  const std::vector<DeviceFrame> views = batch.frames<Space::device>();
  return on_gpu(batch.arrays, views.size(), [&](GpuScratch& s) {
    weights.visit([&](auto& by) {
      if constexpr (std::is_same_v<decltype(by), ColourTable&>)
        moments_batch_cuda(views, by.device(s.ordinal), s.moments.data(), s.workspace, s.stream);
      else
        moments_batch_cuda(views, by, s.moments.data(), s.workspace, s.stream);
    });
  });
}

}  // namespace

void bind_moments(nb::module_& m) {
  bind_weight_table(m);
  m.def(
      "moments",
      [](nb::handle frame, nb::handle classifier, nb::handle region, nb::handle format,
         Whole<"threads"> threads,
         nb::handle stream) { return measure(frame, classifier, region, format, threads, stream).moments; },
      nb::arg("frame").none(), nb::arg("classifier").none(), nb::kw_only(), nb::arg("region") = nb::none(),
      nb::arg("format") = nb::none(), nb::arg("threads") = 0, nb::arg("stream") = nb::none(),
      nb::sig("def moments(frame: numpy.typing.ArrayLike, classifier: Classifier | Calibration | "
              "WeightTable, *, region: collections.abc.Sequence[int] | numpy.ndarray | None = None, format: "
              "str | None = None, threads: int = 0, stream: object | None = None) -> Moments"),
      "The moments of the skin weights in a frame, computed where it lies: the same integers on CPU and "
      "GPU.\n\n"
      "frame: uint8 (height, width, 3 or 4), on the host or a GPU; rows may lie apart, as in a region of an "
      "image. See Tracker for\n"
      "other formats.\n"
      "classifier: make a WeightTable of one that is no LinearFilter when it is used more than once.\n"
      "region: (x, y, width, height), the pixels that count; their coordinates remain those of the frame.\n"
      "threads: of the CPU; 0 means all cores. stream: the CUDA stream on which a frame on a GPU is written; "
      "without it the array's\n"
      "library is asked.");
  m.def(
      "locate",
      [](nb::handle frame, nb::handle classifier, nb::handle format, Whole<"threads"> threads,
         nb::handle stream) {
        const Measured measured = measure(frame, classifier, nb::none(), format, threads, stream);
        return head_of(measured.moments, measured.width, measured.height);
      },
      nb::arg("frame").none(), nb::arg("classifier").none(), nb::kw_only(), nb::arg("format") = nb::none(),
      nb::arg("threads") = 0, nb::arg("stream") = nb::none(),
      nb::sig("def locate(frame: numpy.typing.ArrayLike, classifier: Classifier | Calibration | WeightTable, "
              "*, format: str | None = None, threads: int = 0, stream: object | None = None) -> Head"),
      "The Head in a whole frame; see moments() for the arguments.");
  m.def(
      "moments_batch", &measure_batch, nb::arg("frames").none(), nb::arg("classifier").none(), nb::kw_only(),
      nb::arg("format") = nb::none(), nb::arg("threads") = 0, nb::arg("stream") = nb::none(),
      nb::sig("def moments_batch(frames: numpy.typing.ArrayLike | "
              "collections.abc.Sequence[numpy.typing.ArrayLike], classifier: Classifier | Calibration | "
              "WeightTable, *, format: str | None = None, threads: int = 0, stream: object | None = None) -> "
              "list[Moments]"),
      "The moments of several frames, such as those of several cameras.\n\n"
      "frames: an array (n, height, width, 3 or 4), or a list of frames, all on the host or all on one GPU. "
      "On a GPU they must have\n"
      "one size and pitch, and 192 of them take one launch. See moments() for the other arguments.");
}

}  // namespace triptych::python
