// skin_tracker_bench on a GPU: the columns of the paper's table, formats and batches.
#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <functional>
#include <memory>
#include <optional>

#include "skin_tracker/setup/frames.hpp"
#include "skin_tracker/setup/gpu_frames.hpp"
#include "support/limits.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using reduction::Determinism;
using reduction::Options;
using reduction::Strategy;
using skin_tracker::DeviceFrame;
using skin_tracker::FloatMoments;
using skin_tracker::Frame;
using skin_tracker::FrameFormat;
using skin_tracker::Moments;
using skin_tracker::Variant;

// One call between two events.
template <class Call>
Timing time_by_events(StreamRef stream, int trials, Call&& call) {
  Event begin, end;
  std::vector<double> us;
  for (int r = -3; r < trials; ++r) {
    begin.record(stream);
    call(r < 0 ? 0 : r);
    end.record(stream);
    end.synchronize();
    if (r >= 0) us.push_back(1e3 * Event::elapsed_ms(begin, end));
  }
  return summarize(std::move(us));
}

// A column of the paper's table on the GPU. R: FloatMoments or Moments; enqueue(frame, result, workspace,
// stream).
template <class R>
using Enqueue = std::function<void(const GpuFrames&, int, R*, Workspace&, StreamRef)>;

template <class R>
void check(const R& sums, const Frame& frame) {
  if constexpr (std::is_same_v<R, Moments>) {
    if (!(sums == skin_tracker::moments_cpu(frame, frame.whole(), skin_filter)))
      throw std::runtime_error("wrong moments");
  } else {
    check_head(skin_tracker::head_of(sums, skin_width, skin_height),
               skin_tracker::locate_cpu(frame, skin_filter));
  }
}

template <class R>
struct Column {
  explicit Column(bool quick) : frames(GpuFrames::instance(quick)), result(1), host(1) {}

  R run(const Enqueue<R>& enqueue, int k) {
    enqueue(frames, k, result.data(), workspace, stream);
    copy_to_host(DeviceSpan<const R>(result.span()), host.span(), stream);
    stream.synchronize();
    return host.data()[0];
  }

  GpuFrames& frames;
  Stream stream;
  Workspace workspace;
  DeviceBuffer<R> result;
  PinnedBuffer<R> host;
};

template <class R>
void add_column(Variant variant, bool quick, Enqueue<R> enqueue) {
  const std::string name = to_string(variant);
  const int trials = quick ? 20 : 100;
  const auto bytes = static_cast<double>(skin_bytes);
  add(skin_name(name, "transfer"), [=] {
    auto& frames = GpuFrames::instance(quick);
    Stream stream;
    const Timing timing = time_trials(trials, [&](int k) {
      frames.upload(k, skin_bytes, stream);
      stream.synchronize();
    });
    skin_table()[name].transfer = timing.us;
    return Measurement{timing, bytes, copy_limit(quick).bytes_per_us()};
  });
  add(skin_name(name, "calculation"), [=] {
    Column<R> column(quick);
    check(column.run(enqueue, 0), column.frames.host(0));
    const Timing timing = time_by_events(column.stream, trials, [&](int k) {
      enqueue(column.frames, k, column.result.data(), column.workspace, column.stream);
    });
    skin_table()[name].calculation = timing.us;
    return Measurement{timing, bytes, gpu_read_limit().bytes_per_us()};
  });
  add(skin_name(name, "total"), [=] {
    Column<R> column(quick);
    check(column.run(enqueue, 1), column.frames.host(1));
    const Timing timing = time_trials(trials, [&](int k) {
      column.frames.upload(k, skin_bytes, column.stream);
      column.run(enqueue, k);
    });
    skin_table()[name].total = timing.us;
    return Measurement{timing, bytes, copy_limit(quick).bytes_per_us()};
  });
  if (variant == Variant::thrust) return;  // cannot be captured
  for (const bool rotating : {false, true}) {
    add(skin_name(name, rotating ? "rotating" : "resident"), [=] {
      Column<R> column(quick);
      check(column.run(enqueue, 0), column.frames.host(0));
      const int calls = variant == Variant::gpu1 ? 4 : 64;
      const Timing timing = time_in_graph(column.stream, calls, 21, [&](int k) {
        enqueue(column.frames, rotating ? k : 0, column.result.data(), column.workspace, column.stream);
      });
      return Measurement{timing, bytes, gpu_limit_of(bytes, !rotating).bytes_per_us()};
    });
  }
}

void define_columns(bool quick) {
  for (const Variant variant : {Variant::gpu1, Variant::gpu2, Variant::gpu3, Variant::gpu4, Variant::gpu5,
                                Variant::gpu6, Variant::gpu7, Variant::gpu8}) {
    add_column<FloatMoments>(variant, quick,
                             [variant](const GpuFrames& frames, int k, FloatMoments* sums,
                                       Workspace& workspace, StreamRef stream) {
                               skin_tracker::moments_gpu_variant(variant, frames.image(k), skin_filter, sums,
                                                                 workspace, stream);
                             });
  }
  for (const auto& [variant, strategy] : {std::pair{Variant::fast, Strategy::automatic},
                                          {Variant::cub, Strategy::cub_device},
                                          {Variant::thrust, Strategy::thrust}}) {
    const Options options{strategy, Determinism::run_to_run, 0};
    add_column<Moments>(
        variant, quick,
        [options](const GpuFrames& frames, int k, Moments* sums, Workspace& workspace, StreamRef stream) {
          const DeviceFrame frame = frames.device(k);
          skin_tracker::moments_cuda(frame, frame.whole(), skin_filter, sums, options, workspace, stream);
        });
  }
}

// A frame of another format that lies on the GPU.
void add_format(FrameFormat format, bool rotating, bool quick) {
  add(skin_name("fast", rotating ? "rotating" : "resident", to_string(format)), [=] {
    Column<Moments> column(quick);
    const Enqueue<Moments> enqueue = [format](const GpuFrames& frames, int k, Moments* sums,
                                              Workspace& workspace, StreamRef stream) {
      const DeviceFrame frame = frames.device(k, format);
      skin_tracker::moments_cuda(frame, frame.whole(), skin_filter, sums, {}, workspace, stream);
    };
    check(column.run(enqueue, 0), column.frames.host(0, format));
    const Timing timing = time_in_graph(column.stream, 64, 21, [&](int k) {
      enqueue(column.frames, rotating ? k : 0, column.result.data(), column.workspace, column.stream);
    });
    return Measurement{timing, bytes_of(format), gpu_limit_of(bytes_of(format), !rotating).bytes_per_us()};
  });
}

// Many frames in one launch; the time is that of the launch.
void add_batch(FrameFormat format, bool quick) {
  add(skin_name("batch" + std::to_string(quick ? 16 : 64), "rotating", to_string(format)), [=] {
    auto& frames = GpuFrames::instance(quick);
    Stream stream;
    Workspace workspace;
    std::vector<DeviceFrame> batch;
    batch.reserve(static_cast<std::size_t>(frames.count()));
    for (int k = 0; k < frames.count(); ++k) batch.push_back(frames.device(k, format));
    DeviceBuffer<Moments> results(frames.count());
    PinnedBuffer<Moments> host(frames.count());
    const auto enqueue = [&](int) {
      skin_tracker::moments_batch_cuda(batch, skin_filter, results.data(), workspace, stream);
    };
    enqueue(0);
    copy_to_host(DeviceSpan<const Moments>(results.span()), host.span(), stream);
    stream.synchronize();
    for (int k = 0; k < frames.count(); ++k) check(host.data()[k], frames.host(k, format));
    const Timing timing = time_in_graph(stream, 4, 21, enqueue);
    return Measurement{timing, bytes_of(format) * frames.count(), gpu_read_limit().bytes_per_us()};
  });
}

}  // namespace

void define_gpu_skin(bool quick) {
  add("limit/read/gpu", [] { return to_measurement(gpu_read_limit()); });
  add("limit/read/gpu_cache", [] { return to_measurement(gpu_cache_read_limit()); });
  add("limit/launch/gpu", [] { return Measurement{gpu_launch_limit(), 0, 0}; });
  add("limit/copy/gpu", [quick] { return to_measurement(copy_limit(quick)); });
  define_columns(quick);
  define_paper_joint(quick);
  for (const FrameFormat format :
       {FrameFormat::rgba, FrameFormat::rgb, FrameFormat::nv12, FrameFormat::yuyv}) {
    if (format != FrameFormat::rgba) {
      add_format(format, false, quick);
      add_format(format, true, quick);
    }
    add_batch(format, quick);
  }
  define_gpu_trackers(quick);
}

}  // namespace triptych::bench
