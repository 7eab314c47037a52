// LoadBalancer: learns while running how to share a frame's rows between CPU and GPU. The time of a side for
// n rows is modelled as a + b n.
#pragma once

#include <array>
#include <cstdint>

namespace triptych::skin_tracker {

// Least squares over recent measurements, older ones fading, with neither part below 0. One
// measurement far from the expected time counts as an outlier, a second one in a row as changed conditions:
// the model then follows at once.
class TimeModel {
 public:
  // Ignored unless both are from min_measured to max_measured: nothing else was measured.
  static constexpr double min_measured = 1e-9, max_measured = 1e15;
  void add(double n, double us);
  bool known() const;  // at least two different n; until then the time is taken as b n
  bool surprised() const { return surprise_ != 1; }  // the last measurement was set aside
  double fixed_us() const;
  double per_n_us() const;
  double expect_us(double n) const { return fixed_us() + per_n_us() * n; }

 private:
  double weight_ = 0, n_ = 0, t_ = 0, nn_ = 0, nt_ = 0;
  double surprise_ = 1;  // the last measurement against the expected one, when it was set aside
};

class LoadBalancer {
 public:
  // total: rows, 0 .. max_total; InvalidArgument for any other.
  static constexpr std::int64_t max_total = std::int64_t{1} << 40;
  explicit LoadBalancer(std::int64_t total);

  // The GPU's rows of the next frame, 0 .. total. Explores a little until both models are known, and now and
  // then later, to notice a change.
  std::int64_t next_gpu_share();
  // InvalidArgument unless the share is 0 .. total.
  void report(std::int64_t gpu_share, double gpu_us, double cpu_us);

  const TimeModel& gpu() const { return gpu_; }
  const TimeModel& cpu() const { return cpu_; }

 private:
  std::int64_t total_;
  std::int64_t frame_ = 0;
  std::int64_t next_exploration_ = 16, explored_ = 0;
  double saved_us_ = 0;  // time budget of the next exploration
  struct Times {
    double gpu_us, cpu_us;
  };
  std::array<Times, 3> first_times_{};  // of the shares that are tried first
  TimeModel gpu_, cpu_;
};

// n_G = (a_C - a_G + b_C N) / (b_C + b_G), clamped to 0 .. N: both sides end at the same time.
// InvalidArgument when total is negative.
std::int64_t balanced_share(const TimeModel& gpu, const TimeModel& cpu, std::int64_t total);

}  // namespace triptych::skin_tracker
