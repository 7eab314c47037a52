// skin_tracker_bench, the last column of the paper's table: gpu8 takes the upper rows of a frame in pinned
// memory while cpu3 takes the others. total is the library's JointVariant; transfer and calculation are its
// parts, at the share of the rows that the same balancer finds.
#include <triptych/core/buffer.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/skin_tracker/load_balancer.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <memory>

#include "skin_tracker/setup/frames.hpp"
#include "skin_tracker/setup/gpu_frames.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using skin_tracker::FloatMoments;
using skin_tracker::Variant;

void check(const FloatMoments& found, const skin_tracker::Frame& frame) {
  check_head(skin_tracker::head_of(found, skin_width, skin_height),
             skin_tracker::locate_cpu(frame, skin_filter));
}

ImageView<const Rgba8> host_image(const GpuFrames& frames, int k) {
  return {reinterpret_cast<const Rgba8*>(frames.host(k).data()), skin_width, skin_height};
}

// The two halves of the joint form, each by itself.
class JointParts {
 public:
  explicit JointParts(bool quick) : frames_(GpuFrames::instance(quick)), result_(1), host_(1) {
    skin_tracker::LoadBalancer balancer(skin_height);
    for (int k = 0; k < 50; ++k) {
      rows_ = balancer.next_gpu_share();
      const Stopwatch all;
      begin_.record(stream_);
      transfer(k);
      const auto [moments, cpu_us] = calculate(k, all);
      const double gpu_us = rows_ > 0 ? 1e3 * Event::elapsed_ms(begin_, end_) : 0;
      check(moments, frames_.host(k));
      balancer.report(rows_, gpu_us, cpu_us);
    }
    rows_ = skin_tracker::balanced_share(balancer.gpu(), balancer.cpu(), skin_height);
  }

  std::int64_t rows() const { return rows_; }
  double transferred_bytes() const { return static_cast<double>(rows_) * skin_width * sizeof(Rgba8); }

  // Enqueues the copy of the GPU's rows.
  void transfer(int k) {
    if (rows_ > 0) frames_.upload(k, static_cast<std::size_t>(rows_) * skin_width * sizeof(Rgba8), stream_);
  }
  void wait() { stream_.synchronize(); }

  struct Result {
    FloatMoments moments;
    double cpu_us;
  };
  // The sums of a frame whose upper rows the GPU has; cpu_us: from the start of the stopwatch to the end of
  // the CPU's rows.
  Result calculate(int k, const Stopwatch& watch) {
    if (rows_ > 0) {
      skin_tracker::moments_gpu_variant(Variant::gpu8, {frames_.image(k).data(), skin_width, rows_},
                                        skin_filter, result_.data(), workspace_, stream_);
      copy_to_host(DeviceSpan<const FloatMoments>(result_.span()), host_.span(), stream_);
    }
    end_.record(stream_);
    FloatMoments sums;
    if (rows_ < skin_height)
      sums = skin_tracker::moments_cpu3(
          host_image(frames_, k).region(0, rows_, skin_width, skin_height - rows_), table_);
    sums.y += static_cast<float>(rows_) * sums.weight;
    const double cpu_us = watch.elapsed_us();
    wait();
    if (rows_ > 0) {
      const FloatMoments& upper = host_.span()[0];
      sums = {sums.weight + upper.weight, sums.x + upper.x, sums.y + upper.y};
    }
    return {sums, cpu_us};
  }

 private:
  GpuFrames& frames_;
  skin_tracker::WeightTable<float> table_{skin_tracker::Classifier(skin_filter)};
  Stream stream_;
  Event begin_, end_;
  Workspace workspace_;
  DeviceBuffer<FloatMoments> result_;
  PinnedBuffer<FloatMoments> host_;
  std::int64_t rows_ = 0;
};

}  // namespace

void define_paper_joint(bool quick) {
  const int trials = quick ? 20 : 100;
  const auto parts = std::make_shared<std::unique_ptr<JointParts>>();  // shared by the two entries
  const auto make_parts = [=]() -> JointParts& {
    if (!*parts) *parts = std::make_unique<JointParts>(quick);
    return **parts;
  };
  add(skin_name("joint", "transfer"), [=] {
    JointParts& joint = make_parts();
    const Timing timing = time_trials(trials, [&](int k) {
      joint.transfer(k);
      joint.wait();
    });
    skin_table()["joint"].transfer = timing.us;
    Measurement measured{timing, joint.transferred_bytes(), copy_limit(quick).bytes_per_us()};
    measured.counters["gpu_rows"] = static_cast<double>(joint.rows());
    return measured;
  });
  add(skin_name("joint", "calculation"), [=] {
    JointParts& joint = make_parts();
    const auto& frames = GpuFrames::instance(quick);
    joint.transfer(0);
    check(joint.calculate(0, Stopwatch()).moments, frames.host(0));
    const Timing timing = time_trials(trials, [&](int k) { joint.calculate(k, Stopwatch()); });
    skin_table()["joint"].calculation = timing.us;
    Measurement measured{timing, static_cast<double>(skin_bytes)};
    measured.counters["gpu_rows"] = static_cast<double>(joint.rows());
    return measured;
  });
  add(skin_name("joint", "total"), [=] {
    auto& frames = GpuFrames::instance(quick);
    skin_tracker::JointVariant joint(skin_filter, skin_width, skin_height);
    for (int k = 0; k < 50; ++k) check(joint.moments(host_image(frames, k)), frames.host(k));
    const Timing timing = time_trials(trials, [&](int k) { joint.moments(host_image(frames, k)); });
    skin_table()["joint"].total = timing.us;
    return Measurement{timing, static_cast<double>(skin_bytes)};
  });
}

}  // namespace triptych::bench
