#include "skin_tracker_gpu_bench.hpp"

#include "support/limits.hpp"
#include "support/runner.hpp"

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/split.hpp>
#include <triptych/skin_tracker/tracker.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace triptych::bench {
namespace {

using reduction::Determinism;
using reduction::Options;
using reduction::Strategy;
using skin_tracker::DeviceFrame;
using skin_tracker::FloatSums;
using skin_tracker::Frame;
using skin_tracker::FrameFormat;
using skin_tracker::Sums;
using skin_tracker::Tracker;
using skin_tracker::TrackOn;
using skin_tracker::Variant;

// Random bytes in page-locked and in device memory, seen as frames of any format.
class GpuFrames {
 public:
  static GpuFrames& instance(bool quick) {
    static GpuFrames frames(quick ? 16 : 64);
    return frames;
  }

  int count() const { return count_; }
  Frame host(int k, FrameFormat format = FrameFormat::rgba) const {
    return view<Space::host>(host_.data() + offset(k), format);
  }
  DeviceFrame device(int k, FrameFormat format = FrameFormat::rgba) const {
    return view<Space::device>(device_.data() + offset(k), format);
  }
  DeviceImageView<const Rgba8> image(int k) const {
    return {reinterpret_cast<const Rgba8*>(device_.data() + offset(k)), skin_width, skin_height};
  }
  // From page-locked memory to where device(k) is: the first bytes of a frame.
  void upload(int k, std::size_t bytes, StreamRef stream) {
    const auto n = static_cast<std::int64_t>(bytes);
    copy_to_device(std::span<const std::uint8_t>(host_.data() + offset(k), bytes),
                   DeviceSpan<std::uint8_t>(device_.data() + offset(k), n), stream);
  }

 private:
  explicit GpuFrames(int count)
      : count_(count),
        host_(static_cast<std::int64_t>(skin_bytes) * count),
        device_(static_cast<std::int64_t>(skin_bytes) * count) {
    fill_frames(host_.span());
    Stream stream;
    copy_to_device(std::span<const std::uint8_t>(host_.span()), device_.span(), stream);
    stream.synchronize();
  }

  // Far apart, so that frames one after the other share no cache.
  std::size_t offset(int k) const { return static_cast<std::size_t>(k * 7 % count_) * skin_bytes; }

  template <Space space>
  static skin_tracker::BasicFrame<space> view(const std::uint8_t* data, FrameFormat format) {
    const bool nv12 = format == FrameFormat::nv12;
    const std::int64_t pitch = std::int64_t{skin_width} * bytes_per_pixel(format);
    return {format,          data,  skin_width,
            skin_height,     pitch, nv12 ? data + pitch * skin_height : nullptr,
            nv12 ? pitch : 0};
  }

  int count_;
  PinnedBuffer<std::uint8_t> host_;
  DeviceBuffer<std::uint8_t> device_;
};

double bytes_of(FrameFormat format) {
  const double pixels = double{skin_width} * skin_height;
  return format == FrameFormat::nv12 ? 1.5 * pixels : pixels * bytes_per_pixel(format);
}

// The pure copy of an RGBA frame from page-locked memory, until the host knows.
const Limit& copy_limit(bool quick) {
  static const Limit limit = [quick] {
    auto& frames = GpuFrames::instance(quick);
    Stream stream;
    const Timing timing = time_trials(200, [&](int k) {
      frames.upload(k, skin_bytes, stream);
      stream.synchronize();
    });
    return Limit{timing, static_cast<double>(skin_bytes)};
  }();
  return limit;
}

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

// A column of the paper's table on the GPU. R: FloatSums or Sums; enqueue(frame, result, workspace, stream).
template <class R>
using Enqueue = std::function<void(const GpuFrames&, int, R*, Workspace&, StreamRef)>;

template <class R>
void check(const R& sums, const Frame& frame) {
  if constexpr (std::is_same_v<R, Sums>) {
    if (!(sums == skin_tracker::sum_cpu(frame, frame.whole(), skin_filter)))
      throw std::runtime_error("wrong sums");
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
  const std::string name(to_string(variant));
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
    return Measurement{timing, bytes, 0};
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
      return Measurement{timing, bytes, gpu_read_limit().bytes_per_us()};
    });
  }
}

void define_columns(bool quick) {
  for (const Variant variant : {Variant::gpu1, Variant::gpu2, Variant::gpu3, Variant::gpu4, Variant::gpu5,
                                Variant::gpu6, Variant::gpu7, Variant::gpu8}) {
    add_column<FloatSums>(
        variant, quick,
        [variant](const GpuFrames& frames, int k, FloatSums* sums, Workspace& workspace, StreamRef stream) {
          skin_tracker::sum_gpu_variant(variant, frames.image(k), skin_filter, sums, workspace, stream);
        });
  }
  for (const auto& [variant, strategy] : {std::pair{Variant::fast, Strategy::automatic},
                                          {Variant::cub, Strategy::cub_device},
                                          {Variant::thrust, Strategy::thrust}}) {
    const Options options{strategy, Determinism::run_to_run, 0};
    add_column<Sums>(
        variant, quick,
        [options](const GpuFrames& frames, int k, Sums* sums, Workspace& workspace, StreamRef stream) {
          const DeviceFrame frame = frames.device(k);
          skin_tracker::sum_cuda(frame, frame.whole(), skin_filter, sums, options, workspace, stream);
        });
  }
}

// The paper's joint form: gpu8 takes the upper rows from page-locked memory while cpu3 takes the others.
class PaperJoint {
 public:
  explicit PaperJoint(bool quick)
      : column_(quick),
        table_(skin_tracker::Classifier(skin_filter)),
        splitter_(skin_height),
        threads_(default_threads()) {}

  FloatSums sum(int k) {
    const std::int64_t rows = splitter_.next_gpu_share();
    const Stopwatch watch;
    if (rows > 0) {
      begin_.record(column_.stream);
      column_.frames.upload(k, static_cast<std::size_t>(rows) * 4 * skin_width, column_.stream);
      skin_tracker::sum_gpu_variant(Variant::gpu8, column_.frames.image(k).region(0, 0, skin_width, rows),
                                    skin_filter, column_.result.data(), column_.workspace, column_.stream);
      copy_to_host(DeviceSpan<const FloatSums>(column_.result.span()), column_.host.span(), column_.stream);
      end_.record(column_.stream);
    }
    const Frame frame = column_.frames.host(k);
    const ImageView<const Rgba8> image(reinterpret_cast<const Rgba8*>(frame.data()), skin_width, skin_height);
    FloatSums sums;
    if (rows < skin_height)
      sums = skin_tracker::sum_cpu3(image.region(0, rows, skin_width, skin_height - rows), table_, threads_);
    sums.y += sums.weight * static_cast<float>(rows);
    const double cpu_us = watch.elapsed_us();
    double gpu_us = 0;
    if (rows > 0) {
      column_.stream.synchronize();
      gpu_us = 1e3 * Event::elapsed_ms(begin_, end_);
      const FloatSums upper = column_.host.data()[0];
      sums.weight += upper.weight;
      sums.x += upper.x;
      sums.y += upper.y;
    }
    splitter_.report(rows, gpu_us, cpu_us);
    return sums;
  }

 private:
  Column<FloatSums> column_;
  skin_tracker::WeightTable<float> table_;
  skin_tracker::Splitter splitter_;
  int threads_;
  Event begin_, end_;
};

void define_paper_joint(bool quick) {
  add(skin_name("joint", "total"), [=] {
    PaperJoint joint(quick);
    for (int k = 0; k < 50; ++k) check(joint.sum(k), GpuFrames::instance(quick).host(k));
    const Timing timing = time_trials(quick ? 20 : 100, [&](int k) { joint.sum(k); });
    skin_table()["joint"] = {0, 0, timing.us};
    return Measurement{timing, static_cast<double>(skin_bytes), 0};
  });
}

// The frames of the bench in pageable memory.
class PageableFrames {
 public:
  explicit PageableFrames(const GpuFrames& frames) : count_(frames.count()) {
    bytes_.reserve(skin_bytes * static_cast<std::size_t>(count_));
    for (int k = 0; k < count_; ++k) {
      const std::uint8_t* from = frames.host(k).data();
      bytes_.insert(bytes_.end(), from, from + skin_bytes);
    }
  }
  Frame frame(int k) const {
    return {FrameFormat::rgba, bytes_.data() + static_cast<std::size_t>(k % count_) * skin_bytes, skin_width,
            skin_height, std::int64_t{4} * skin_width};
  }

 private:
  int count_;
  std::vector<std::uint8_t> bytes_;
};

// Ours, as a user has it: from a frame in host memory to the head, one after the other or (streamed) with
// frames in flight, where the time is that between two heads.
void add_tracker(const std::string& name, TrackOn on, FrameFormat format, bool pinned, bool streamed,
                 bool quick) {
  const std::string mode = std::string(pinned ? "pinned" : "pageable") + (streamed ? "_streamed" : "");
  add(skin_name(name, mode, std::string(to_string(format))), [=] {
    auto& frames = GpuFrames::instance(quick);
    skin_tracker::TrackerOptions options;
    options.on = on;
    Tracker tracker(skin_filter, format, skin_width, skin_height, options);
    std::optional<PageableFrames> pageable;
    if (!pinned) pageable.emplace(frames);
    const auto frame = [&](int k) { return pinned ? frames.host(k, format) : pageable->frame(k); };
    for (int k = 0; k < 20; ++k) {
      const auto head = tracker.track(frame(k)).raw;
      const auto exact = skin_tracker::locate_cpu(frame(k), skin_filter);
      if (head.x_px != exact.x_px || head.y_px != exact.y_px || head.area != exact.area)
        throw std::runtime_error("a wrong head");
    }
    const auto track = [&](int k) {
      if (!streamed) return tracker.track(frame(k));
      while (tracker.in_flight() < Tracker::most_in_flight) tracker.submit(frame(k));
      return tracker.next();
    };
    for (int k = 0; k < 200; ++k) tracker.track(frame(k));
    const Timing timing = time_trials(200, track);
    return Measurement{timing, bytes_of(format), on == TrackOn::cuda ? copy_limit(quick).bytes_per_us() : 0};
  });
}

// CPU and joint, a frame each in turns: the host's memory may be faster in one minute than in the next.
struct InTurns {
  Timing cpu, joint;
};

InTurns time_in_turns(bool pinned, bool quick) {
  auto& frames = GpuFrames::instance(quick);
  std::optional<PageableFrames> pageable;
  if (!pinned) pageable.emplace(frames);
  const auto frame = [&](int k) { return pinned ? frames.host(k) : pageable->frame(k); };
  const auto tracker_on = [](TrackOn on) {
    skin_tracker::TrackerOptions options;
    options.on = on;
    return Tracker(skin_filter, FrameFormat::rgba, skin_width, skin_height, options);
  };
  Tracker cpu = tracker_on(TrackOn::cpu), joint = tracker_on(TrackOn::joint);
  for (int k = 0; k < 20; ++k) {
    const auto a = cpu.track(frame(k)).raw, b = joint.track(frame(k)).raw;
    if (a.x_px != b.x_px || a.y_px != b.y_px || a.area != b.area)
      throw std::runtime_error("CPU and joint see different heads");
  }
  for (int k = 0; k < 200; ++k) joint.track(frame(k));  // it learns
  std::vector<double> cpu_us, joint_us;
  const auto time = [&](Tracker& tracker, int k, std::vector<double>& us) {
    const Stopwatch watch;
    tracker.track(frame(k));
    us.push_back(watch.elapsed_us());
  };
  for (int k = 0; k < (quick ? 40 : 600); k += 2) {
    time(cpu, k, cpu_us);
    time(joint, k + 1, joint_us);
  }
  return {summarize(cpu_us), summarize(joint_us)};
}

void add_in_turns(bool pinned, bool quick) {
  const std::string mode = pinned ? "pinned" : "pageable";
  auto timed = std::make_shared<std::optional<InTurns>>();
  const auto measure = [=](Timing InTurns::*which) {
    if (!*timed) *timed = time_in_turns(pinned, quick);
    return Measurement{(**timed).*which, bytes_of(FrameFormat::rgba), 0};
  };
  const std::string format(to_string(FrameFormat::rgba));
  add(skin_name("tracker_joint", mode, format), [=] { return measure(&InTurns::joint); });
  add(skin_name("tracker_cpu", mode, format), [=] { return measure(&InTurns::cpu); });
}

// A frame of another format that lies on the GPU.
void add_format(FrameFormat format, bool rotating, bool quick) {
  add(skin_name("fast", rotating ? "rotating" : "resident", std::string(to_string(format))), [=] {
    Column<Sums> column(quick);
    const Enqueue<Sums> enqueue = [format](const GpuFrames& frames, int k, Sums* sums, Workspace& workspace,
                                           StreamRef stream) {
      const DeviceFrame frame = frames.device(k, format);
      skin_tracker::sum_cuda(frame, frame.whole(), skin_filter, sums, {}, workspace, stream);
    };
    check(column.run(enqueue, 0), column.frames.host(0, format));
    const Timing timing = time_in_graph(column.stream, 64, 21, [&](int k) {
      enqueue(column.frames, rotating ? k : 0, column.result.data(), column.workspace, column.stream);
    });
    return Measurement{timing, bytes_of(format), gpu_read_limit().bytes_per_us()};
  });
}

// Many frames in one launch; the time is that of the launch.
void add_batch(FrameFormat format, bool quick) {
  add(skin_name("batch" + std::to_string(quick ? 16 : 64), "rotating", std::string(to_string(format))), [=] {
    auto& frames = GpuFrames::instance(quick);
    Stream stream;
    Workspace workspace;
    std::vector<DeviceFrame> batch;
    batch.reserve(static_cast<std::size_t>(frames.count()));
    for (int k = 0; k < frames.count(); ++k) batch.push_back(frames.device(k, format));
    DeviceBuffer<Sums> results(frames.count());
    PinnedBuffer<Sums> host(frames.count());
    const auto enqueue = [&](int) {
      skin_tracker::sum_batch_cuda(batch, skin_filter, results.data(), workspace, stream);
    };
    enqueue(0);
    copy_to_host(DeviceSpan<const Sums>(results.span()), host.span(), stream);
    stream.synchronize();
    for (int k = 0; k < frames.count(); ++k) check(host.data()[k], frames.host(k, format));
    const Timing timing = time_in_graph(stream, 4, 21, enqueue);
    return Measurement{timing, bytes_of(format) * frames.count(), gpu_read_limit().bytes_per_us()};
  });
}

}  // namespace

void define_gpu_skin(bool quick) {
  add("limit/read/gpu", [] { return Measurement{gpu_read_limit().timing, gpu_read_limit().bytes, 0}; });
  add("limit/launch/gpu", [] { return Measurement{gpu_launch_limit(), 0, 0}; });
  add("limit/copy/gpu", [quick] {
    return Measurement{copy_limit(quick).timing, copy_limit(quick).bytes, 0};
  });
  define_columns(quick);
  define_paper_joint(quick);
  for (const FrameFormat format :
       {FrameFormat::rgba, FrameFormat::rgb, FrameFormat::nv12, FrameFormat::yuyv}) {
    if (format != FrameFormat::rgba) {
      add_format(format, false, quick);
      add_format(format, true, quick);
    }
    add_batch(format, quick);
    add_tracker("tracker_cuda", TrackOn::cuda, format, true, false, quick);
  }
  add_tracker("tracker_cuda", TrackOn::cuda, FrameFormat::rgba, false, false, quick);
  for (const bool pinned : {true, false}) {
    add_tracker("tracker_cuda", TrackOn::cuda, FrameFormat::rgba, pinned, true, quick);
    add_in_turns(pinned, quick);
  }
}

}  // namespace triptych::bench
