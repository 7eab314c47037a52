// skin_tracker_bench: the paper's Table 1 on this machine (gpu1 .. gpu8, cpu1 .. cpu3, joint) with ours
// beside it, and the fast forms against the machine's limits.
//
// Names are skin/<format>/<variant>/<mode>/<size>. transfer, calculation, total: as the paper has them, 100
// trials, frames that rotate; resident: one frame, calls in a graph; rotating: the same over many frames.
// share: of the copy to the GPU, of the memory that is read, or, for one frame, of the cache.
#include <triptych/core/device.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <functional>
#include <memory>

#include "moments/moments_cpu.hpp"
#include "skin_tracker/setup/frames.hpp"
#include "support/limits.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using skin_tracker::FixedFilter;
using skin_tracker::FloatMoments;
using skin_tracker::Frame;
using skin_tracker::FrameFormat;
using skin_tracker::Moments;

// Frames that go round, and the float table of the filter.
class CpuFrames {
 public:
  static const CpuFrames& instance(bool quick) {
    static const CpuFrames frames(quick ? 6 : 64);
    return frames;
  }

  Frame frame(int k) const {
    return {FrameFormat::rgba, bytes_.data() + static_cast<std::size_t>(k % count_) * skin_bytes, skin_width,
            skin_height, std::int64_t{4} * skin_width};
  }
  ImageView<const Rgba8> image(int k) const {
    return {reinterpret_cast<const Rgba8*>(frame(k).data()), skin_width, skin_height};
  }
  std::span<const std::byte> memory() const { return std::as_bytes(std::span(bytes_)); }

  static const skin_tracker::WeightTable<float>& table() {
    static const skin_tracker::WeightTable<float> weights{skin_tracker::Classifier(skin_filter)};
    return weights;
  }

 private:
  explicit CpuFrames(int count) : count_(count), bytes_(static_cast<std::size_t>(count) * skin_bytes) {
    fill_frames(bytes_);
  }
  int count_;
  std::vector<std::uint8_t> bytes_;
};

Measurement record(const std::string& variant, const Timing& timing, const Limit& limit) {
  skin_table()[variant] = {0, timing.us, timing.us};
  return {timing, static_cast<double>(skin_bytes), limit.bytes_per_us()};
}

// A variant of float sums.
void add_paper(const std::string& variant, bool quick, int threads,
               std::function<FloatMoments(const CpuFrames&, int)> sum) {
  add(skin_name(variant, "total"), [=] {
    const CpuFrames& frames = CpuFrames::instance(quick);
    const auto exact = skin_tracker::locate_cpu(frames.frame(0), skin_filter);
    check_head(skin_tracker::head_of(sum(frames, 0), skin_width, skin_height), exact);
    const Timing timing =
        time_trials(quick ? 10 : 100, [&](int k) { benchmark::DoNotOptimize(sum(frames, k)); });
    return record(variant, timing, cpu_read_limit(frames.memory(), threads));
  });
}

// Integer sums by one of the CPU's paths: all have the same bits. still: always the same frame.
void add_ours(const std::string& variant, const std::string& mode, CpuPath path, int threads, bool quick) {
  add(skin_name(variant, mode), [=] {
    const bool still = mode == "resident";
    const CpuFrames& frames = CpuFrames::instance(quick);
    const FixedFilter filter = skin_tracker::fix(skin_filter);
    const auto sum = [&](int k, CpuPath by, int on) {
      const Frame frame = frames.frame(still ? 0 : k);
      return moments_cpu_by(by, frame, frame.whole(), filter, on);
    };
    for (int k = 0; k < 3; ++k) {
      if (!(sum(k, path, threads) == sum(k, CpuPath::plain, 1))) throw std::runtime_error("wrong moments");
    }
    const Timing timing =
        time_trials(quick ? 30 : 100, [&](int k) { benchmark::DoNotOptimize(sum(k, path, threads)); });
    if (!still) return record(variant, timing, cpu_read_limit(frames.memory(), threads));
    return Measurement{timing, static_cast<double>(skin_bytes),
                       cpu_read_limit(frames.memory().first(skin_bytes), threads).bytes_per_us()};
  });
}

// Variant::fixed: the plain path on one thread.
void add_fixed(bool quick) {
  add(skin_name("fixed", "total"), [quick] {
    const CpuFrames& frames = CpuFrames::instance(quick);
    const auto moments = [&](int k) { return skin_tracker::moments_fixed(frames.image(k), skin_filter); };
    const Frame frame = frames.frame(0);
    if (!(moments(0) == skin_tracker::moments_cpu(frame, frame.whole(), skin_filter)))
      throw std::runtime_error("wrong moments");
    const Timing timing = time_trials(quick ? 30 : 100, [&](int k) { benchmark::DoNotOptimize(moments(k)); });
    return record("fixed", timing, cpu_read_limit(frames.memory(), 1));
  });
}

void define(bool quick) {
  if (cuda_device_count() > 0) define_gpu_skin(quick);
  const int all = default_threads();
  for (const auto& [name, count] : {std::pair{"limit/read/cpu_1", 1}, {"limit/read/cpu_all", all}}) {
    const int threads = count;
    add(name, [threads, quick] {
      return to_measurement(cpu_read_limit(CpuFrames::instance(quick).memory(), threads));
    });
  }
  define_calibration(quick);
  define_gate(quick);
  add_ours("threads", "total", CpuPath::simd, all, quick);
  add_ours("threads", "resident", CpuPath::simd, all, quick);
  add_ours("simd", "total", CpuPath::simd, 1, quick);
  add_fixed(quick);
  add_paper("cpu3", quick, all, [](const CpuFrames& frames, int k) {
    return skin_tracker::moments_cpu3(frames.image(k), CpuFrames::table());
  });
  add_paper("cpu2", quick, 1, [](const CpuFrames& frames, int k) {
    return skin_tracker::moments_cpu2(frames.image(k), CpuFrames::table());
  });
  add_paper("cpu1", quick, 1, [](const CpuFrames& frames, int k) {
    return skin_tracker::moments_cpu1(frames.image(k), skin_filter);
  });
}

// What was measured of the table, in the paper's order.
void print_table() {
  const auto& table = skin_table();
  if (table.empty()) return;
  const auto cpu1 = table.find("cpu1");
  std::printf("\nvariant    transfer  calculation      total us   speed-up over cpu1   frames a second\n");
  for (const skin_tracker::Variant variant : skin_tracker::all_variants()) {
    const auto row = table.find(to_string(variant));
    if (row == table.end()) continue;
    const TableRow& r = row->second;
    std::printf("%-9s %9.1f    %9.1f     %9.1f   %18.1f   %15.0f\n", row->first.c_str(), r.transfer,
                r.calculation, r.total, cpu1 == table.end() ? 0 : cpu1->second.total / r.total,
                1e6 / r.total);
  }
}

}  // namespace

const Program program{
    "Times every version of the skin-colour sums on 1920 x 1080 frames, the paper's and ours, beside "
    "libraries and\n"
    "the measured limits of the machine. Every result is checked before it is timed.",
    define, print_table};

}  // namespace triptych::bench
