// Axes: which values they span, where the ticks are and what is written at them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace triptych::report {

struct Tick {
  double at = 0;
  std::string text;
  int power_of_2 = -1;  // 0 or more: written as 2 to that power, instead of text
};

struct Axis {
  std::string title;
  bool logarithmic = true;
  double low = 1;
  double high = 2;
  std::vector<Tick> ticks;

  // 0 at low, 1 at high.
  double position(double value) const;
};

// Sizes: ticks at powers of 2, at most max_ticks of them.
Axis size_axis(std::string title, double smallest, double largest, int max_ticks);

// Logarithmic, with room beyond both ends; ticks at 1, 10, 100, or at 1, 2, 5 where that gives too few.
Axis log_axis(std::string title, double smallest, double largest,
              const std::function<std::string(double)>& write);

// From 0, in per cent.
Axis share_axis(std::string title, double largest);

// "20 ns", "1 us", "100 ms"
std::string time_tick(double us);
std::string plain_tick(double value);

}  // namespace triptych::report
