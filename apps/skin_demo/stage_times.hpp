// Where the time of a run goes: mean milliseconds per frame of each stage.
#pragma once

#include <triptych/core/clock.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace triptych::skin_demo {

enum class Stage { reading, tracking, drawing, encoding };

class StageTimes {
 public:
  static constexpr std::array<std::string_view, 4> names{"reading", "tracking", "drawing", "encoding"};

  // Runs call() as part of a stage and returns its result.
  template <class Call>
  auto time(Stage stage, Call call) {
    const struct Timer {
      double& sum_ms;
      Stopwatch watch{};
      ~Timer() { sum_ms += watch.elapsed_ms(); }
    } timer{sums_ms_[static_cast<std::size_t>(stage)]};
    return call();
  }
  void end_frame() { ++frames_; }

  double ms_per_frame(Stage stage) const { return per_frame(sums_ms_[static_cast<std::size_t>(stage)]); }
  double ms_per_frame() const;
  // The stage that takes longest.
  Stage largest() const;
  // "61.9 ms per frame: reading 12.1, tracking 0.7, drawing 30.2, encoding 18.9"
  std::string sentence() const;

 private:
  double per_frame(double sum_ms) const { return frames_ > 0 ? sum_ms / frames_ : 0; }

  std::array<double, names.size()> sums_ms_{};
  int frames_ = 0;
};

inline std::string_view name_of(Stage stage) { return StageTimes::names[static_cast<std::size_t>(stage)]; }

}  // namespace triptych::skin_demo
