// skin_tracker_bench, trackers: from a frame in host memory to the head, on the GPU, the CPU, and both.
#include <triptych/core/device.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <memory>
#include <optional>

#include "skin_tracker/setup/frames.hpp"
#include "skin_tracker/setup/gpu_frames.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using skin_tracker::Frame;
using skin_tracker::FrameFormat;
using skin_tracker::Tracker;

// The times are those of moments: no frame is looked at for a face.
skin_tracker::TrackerOptions any_head() {
  skin_tracker::TrackerOptions options;
  options.min_confidence = 0;
  return options;
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

// The tracker on a GPU, from a frame in host memory to the head: one frame after the other or (streamed) with
// frames in flight, where the time is that between two heads.
void add_cuda_tracker(FrameFormat format, bool pinned, bool streamed, bool quick) {
  const std::string mode = std::string(pinned ? "pinned" : "pageable") + (streamed ? "_streamed" : "");
  add(skin_name("tracker_cuda", mode, to_string(format)), [=] {
    auto& frames = GpuFrames::instance(quick);
    Tracker tracker(skin_filter, any_head(), Device::cuda());
    std::optional<PageableFrames> pageable;
    if (!pinned) pageable.emplace(frames);
    const auto frame = [&](int k) { return pinned ? frames.host(k, format) : pageable->frame(k); };
    for (int k = 0; k < 20; ++k) {
      const auto head = tracker.step(frame(k)).raw;
      const auto exact = skin_tracker::locate_cpu(frame(k), skin_filter);
      if (head.x_px != exact.x_px || head.y_px != exact.y_px || head.area != exact.area)
        throw std::runtime_error("a wrong head");
    }
    const auto step = [&](int k) {
      if (!streamed) return tracker.step(frame(k));
      while (tracker.in_flight() < max_in_flight) tracker.submit(frame(k));
      return tracker.next();
    };
    for (int k = 0; k < 200; ++k) tracker.step(frame(k));
    const Timing timing = time_trials(200, step);
    return Measurement{timing, bytes_of(format), copy_limit(quick).bytes_per_us()};
  });
}

// CPU and joint on `threads` threads; 0: all cores. A frame each in turns, since the host's memory may be
// faster in one minute than in the next; or some frames each by itself, in turns: then a frame finds in the
// cache what the same tracker left there, and joint cores, which read less, find more.
struct InTurns {
  Timing cpu, joint;
};

InTurns time_in_turns(FrameFormat format, bool pinned, int threads, int in_a_row, bool quick) {
  auto& frames = GpuFrames::instance(quick);
  std::optional<PageableFrames> pageable;
  if (!pinned) pageable.emplace(frames);
  const auto frame = [&](int k) { return pinned ? frames.host(k, format) : pageable->frame(k); };
  Tracker cpu(skin_filter, any_head(), Device::cpu(threads));
  Tracker joint(skin_filter, any_head(), Device::joint(0, threads));
  for (int k = 0; k < 20; ++k) {
    const auto a = cpu.step(frame(k)).raw, b = joint.step(frame(k)).raw;
    if (a.x_px != b.x_px || a.y_px != b.y_px || a.area != b.area)
      throw std::runtime_error("CPU and joint see different heads");
  }
  for (int k = 0; k < 200; ++k) joint.step(frame(k));  // it learns
  std::vector<double> cpu_us, joint_us;
  const int settling = in_a_row > 1 ? frames.count() : 0;  // not timed: every frame once
  const auto time = [&](Tracker& tracker, int first, std::vector<double>& us) {
    for (int k = first; k < first + settling + in_a_row; ++k) {
      const Stopwatch watch;
      tracker.step(frame(k));
      if (k >= first + settling) us.push_back(watch.elapsed_us());
    }
  };
  for (int k = 0; k < (quick ? 40 : 600); k += 2 * in_a_row) {
    time(cpu, k, cpu_us);
    time(joint, k + in_a_row, joint_us);
  }
  return {summarize(cpu_us), summarize(joint_us)};
}

void add_in_turns(FrameFormat format, bool pinned, int threads, int in_a_row, bool quick) {
  std::string mode = pinned ? "pinned" : "pageable";
  if (threads > 0) mode.append("_").append(std::to_string(threads)).append("_threads");
  if (in_a_row > 1) mode += "_by_itself";
  auto timed = std::make_shared<std::optional<InTurns>>();
  // The CPU's limit is what its threads read, the joint one's that and the copy together.
  const auto measure = [=](Timing InTurns::*which) {
    if (!*timed) *timed = time_in_turns(format, pinned, threads, in_a_row, quick);
    const int readers = threads > 0 ? threads : default_threads();
    double limit = cpu_read_limit(GpuFrames::instance(quick).memory(), readers).bytes_per_us();
    if (which == &InTurns::joint) limit += copy_limit(quick).bytes_per_us();
    return Measurement{(**timed).*which, bytes_of(format), limit};
  };
  const std::string name = to_string(format);
  add(skin_name("tracker_joint", mode, name), [=] { return measure(&InTurns::joint); });
  add(skin_name("tracker_cpu", mode, name), [=] { return measure(&InTurns::cpu); });
}

}  // namespace

void define_gpu_trackers(bool quick) {
  for (const FrameFormat format : {FrameFormat::rgba, FrameFormat::rgb, FrameFormat::nv12, FrameFormat::yuyv})
    add_cuda_tracker(format, true, false, quick);
  add_cuda_tracker(FrameFormat::rgba, false, false, quick);
  for (const int threads : {2, 4, 8, 12}) {
    if (threads < default_threads()) add_in_turns(FrameFormat::rgba, true, threads, 1, quick);
  }
  for (const bool pinned : {true, false}) {
    add_cuda_tracker(FrameFormat::rgba, pinned, true, quick);
    add_in_turns(FrameFormat::rgba, pinned, 0, 1, quick);
  }
  add_in_turns(FrameFormat::rgba, true, 0, quick ? 20 : 60, quick);
  for (const FrameFormat format : {FrameFormat::rgb, FrameFormat::nv12, FrameFormat::yuyv})
    add_in_turns(format, true, 0, 1, quick);
}

}  // namespace triptych::bench
