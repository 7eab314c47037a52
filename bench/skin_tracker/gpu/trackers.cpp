// skin_tracker_bench, trackers: from a frame in host memory to the head, on the GPU, the CPU, and both.
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/locate.hpp>
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
using skin_tracker::TrackOn;

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
      while (tracker.in_flight() < Tracker::max_in_flight) tracker.submit(frame(k));
      return tracker.next();
    };
    for (int k = 0; k < 200; ++k) tracker.track(frame(k));
    const Timing timing = time_trials(200, track);
    return Measurement{timing, bytes_of(format), on == TrackOn::cuda ? copy_limit(quick).bytes_per_us() : 0};
  });
}

// CPU and joint on so many threads; 0: all cores. A frame each in turns, since the host's memory may be
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
  const auto tracker_on = [=](TrackOn on) {
    skin_tracker::TrackerOptions options;
    options.on = on;
    options.threads = threads;
    return Tracker(skin_filter, format, skin_width, skin_height, options);
  };
  Tracker cpu = tracker_on(TrackOn::cpu), joint = tracker_on(TrackOn::joint);
  for (int k = 0; k < 20; ++k) {
    const auto a = cpu.track(frame(k)).raw, b = joint.track(frame(k)).raw;
    if (a.x_px != b.x_px || a.y_px != b.y_px || a.area != b.area)
      throw std::runtime_error("CPU and joint see different heads");
  }
  for (int k = 0; k < 200; ++k) joint.track(frame(k));  // it learns
  std::vector<double> cpu_us, joint_us;
  const int settling = in_a_row > 1 ? frames.count() : 0;  // not timed: every frame once
  const auto time = [&](Tracker& tracker, int first, std::vector<double>& us) {
    for (int k = first; k < first + settling + in_a_row; ++k) {
      const Stopwatch watch;
      tracker.track(frame(k));
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
  const auto measure = [=](Timing InTurns::*which) {
    if (!*timed) *timed = time_in_turns(format, pinned, threads, in_a_row, quick);
    return Measurement{(**timed).*which, bytes_of(format), 0};
  };
  const std::string name(to_string(format));
  add(skin_name("tracker_joint", mode, name), [=] { return measure(&InTurns::joint); });
  add(skin_name("tracker_cpu", mode, name), [=] { return measure(&InTurns::cpu); });
}

}  // namespace

void define_gpu_trackers(bool quick) {
  for (const FrameFormat format : {FrameFormat::rgba, FrameFormat::rgb, FrameFormat::nv12, FrameFormat::yuyv})
    add_tracker("tracker_cuda", TrackOn::cuda, format, true, false, quick);
  add_tracker("tracker_cuda", TrackOn::cuda, FrameFormat::rgba, false, false, quick);
  for (const int threads : {2, 4, 8, 12}) {
    if (threads < default_threads()) add_in_turns(FrameFormat::rgba, true, threads, 1, quick);
  }
  for (const bool pinned : {true, false}) {
    add_tracker("tracker_cuda", TrackOn::cuda, FrameFormat::rgba, pinned, true, quick);
    add_in_turns(FrameFormat::rgba, pinned, 0, 1, quick);
  }
  add_in_turns(FrameFormat::rgba, true, 0, quick ? 20 : 60, quick);
  for (const FrameFormat format : {FrameFormat::rgb, FrameFormat::nv12, FrameFormat::yuyv})
    add_in_turns(format, true, 0, 1, quick);
}

}  // namespace triptych::bench
