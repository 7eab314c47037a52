#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/load_balancer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace triptych::skin_tracker {

namespace {

constexpr double fading = 0.95;            // what a measurement still counts a measurement later
constexpr double far_off = 1.5;            // times longer or shorter than expected: a surprise
constexpr double kept_after_change = 0.2;  // what the past counts once conditions have changed

// Now and then the share leaves the optimum to check the models: by as much as should cost a fifth of the
// frame's time, at most a twelfth of its rows, not before explore_every frames have passed, and only within a
// budget of a small part of their time (to start an idle side can be expensive).
constexpr std::int64_t explore_every = 16;
constexpr std::int64_t max_explored_part = 12;
constexpr double explored_time = 0.2;
constexpr double spent_on_exploring = 0.02;
constexpr double max_saved = 10;  // frames' time

// The first frame wakes threads and loads code: its times are ignored. Then each of three shares is tried
// twice, and the shorter times count, because another process may have interfered.
constexpr std::int64_t unmeasured_frames = 1;
constexpr std::int64_t first_shares = 3;

double frame_us(const TimeModel& gpu, const TimeModel& cpu, std::int64_t share, std::int64_t total) {
  return std::max(share > 0 ? gpu.expect_us(static_cast<double>(share)) : 0,
                  share < total ? cpu.expect_us(static_cast<double>(total - share)) : 0);
}

}  // namespace

void TimeModel::add(double n, double us) {
  for (const double measured : {n, us}) {
    if (!(measured >= min_measured && measured <= max_measured)) return;
  }
  if (weight_ > 0) {
    const double ratio = us / std::max(expect_us(n), 1e-3);
    const bool slower = ratio > far_off;
    const bool faster = ratio < 1 / far_off;
    const bool again = (slower && surprise_ > 1) || (faster && surprise_ < 1);
    if (known() && (slower || faster) && !again) {  // perhaps an outlier: wait for the next one
      surprise_ = ratio;
      return;
    }
    if (known() && again) {
      // The smaller of the two surprises rescales the model, and it forgets most of what it knew.
      const double change = slower ? std::min(ratio, surprise_) : std::max(ratio, surprise_);
      t_ *= change;
      nt_ *= change;
      for (double* sum : {&weight_, &n_, &t_, &nn_, &nt_}) *sum *= kept_after_change;
    }
    surprise_ = 1;
  }
  for (double* sum : {&weight_, &n_, &t_, &nn_, &nt_}) *sum *= fading;
  weight_ += 1;
  n_ += n;
  t_ += us;
  nn_ += n * n;
  nt_ += n * us;
}

bool TimeModel::known() const {
  // The variance of n against its square; measurements at one n leave rounding errors alone.
  return weight_ > 0 && weight_ * nn_ - n_ * n_ > 1e-9 * weight_ * nn_;
}

// The line through the measurements, with neither part below 0; through the origin while there is one n.
double TimeModel::per_n_us() const {
  if (weight_ <= 0) return 0;
  const double through_origin = nt_ / nn_;
  if (!known()) return through_origin;
  const double slope = (weight_ * nt_ - n_ * t_) / (weight_ * nn_ - n_ * n_);
  return std::clamp(slope, 0.0, through_origin);
}

double TimeModel::fixed_us() const {
  return weight_ > 0 ? std::max(0.0, (t_ - per_n_us() * n_) / weight_) : 0;
}

std::int64_t balanced_share(const TimeModel& gpu, const TimeModel& cpu, std::int64_t total) {
  require(total >= 0, "cannot share ", total, " rows");
  const double slopes = cpu.per_n_us() + gpu.per_n_us();
  const double ahead = cpu.fixed_us() - gpu.fixed_us() + cpu.per_n_us() * static_cast<double>(total);
  if (slopes <= 0) return ahead > 0 ? total : 0;
  const double share = std::clamp(ahead / slopes, 0.0, static_cast<double>(total));
  return static_cast<std::int64_t>(std::llround(share));
}

LoadBalancer::LoadBalancer(std::int64_t total) : total_(total) {
  require(total >= 0 && total <= max_total, "cannot share ", total, " rows");
}

std::int64_t LoadBalancer::next_gpu_share() {
  const std::int64_t frame = frame_++;
  // Three different shares determine both lines; frames of one or two rows have fewer.
  const std::int64_t tried = std::max<std::int64_t>(0, frame - unmeasured_frames);
  if (tried < 2 * first_shares) {
    const std::int64_t quarters = std::array{2, 3, 1}[static_cast<std::size_t>(tried % first_shares)];
    return (total_ * quarters + 2) / 4;
  }
  const std::int64_t best = balanced_share(gpu_, cpu_, total_);
  const double best_us = frame_us(gpu_, cpu_, best, total_);
  saved_us_ += spent_on_exploring * best_us;
  // An idle side that surprised when it was tried is tried again: one surprise may be an outlier.
  if ((best == 0 && gpu_.surprised()) || (best == total_ && cpu_.surprised())) return explored_;
  if (frame < next_exploration_) return best;

  const double steeper = std::max(gpu_.per_n_us(), cpu_.per_n_us());
  const double most = static_cast<double>(total_) / static_cast<double>(max_explored_part);
  const double wanted = steeper > 0 ? explored_time * best_us / steeper : most;
  const auto step = static_cast<std::int64_t>(std::max(1.0, std::min(wanted, most)));
  const bool up = frame / explore_every % 2 == 0 ? best + step <= total_ : best < step;
  const std::int64_t share = std::clamp<std::int64_t>(up ? best + step : best - step, 0, total_);
  const double extra_us = frame_us(gpu_, cpu_, share, total_) - best_us;
  // What a side is expected to take may be wrong, and a side without rows is not measured: no exploration
  // waits for more than some frames' time.
  if (saved_us_ < std::min(extra_us, max_saved * best_us)) return best;
  saved_us_ = 0;
  next_exploration_ = frame + explore_every;
  explored_ = share;
  return share;
}

void LoadBalancer::report(std::int64_t gpu_share, double gpu_us, double cpu_us) {
  require(gpu_share >= 0 && gpu_share <= total_, "a share of ", gpu_share, " rows is not one of ", total_);
  const std::int64_t tried = frame_ - 1 - unmeasured_frames;
  if (tried < 0) return;
  if (tried < 2 * first_shares) {
    Times& first = first_times_[static_cast<std::size_t>(tried % first_shares)];
    if (tried < first_shares) {
      first = {gpu_us, cpu_us};
      return;
    }
    gpu_us = std::min(gpu_us, first.gpu_us);
    cpu_us = std::min(cpu_us, first.cpu_us);
  }
  gpu_.add(static_cast<double>(gpu_share), gpu_us);
  cpu_.add(static_cast<double>(total_ - gpu_share), cpu_us);
}

}  // namespace triptych::skin_tracker
