#include <algorithm>
#include <array>
#include <cmath>

#include "axis.hpp"
#include "text.hpp"

namespace triptych::report {

double Axis::position(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

Axis size_axis(std::string title, double smallest, double largest, int max_ticks) {
  int first = static_cast<int>(std::floor(std::log2(smallest)));
  int last = static_cast<int>(std::ceil(std::log2(largest)));
  if (first == last) {  // one size: in the middle
    --first;
    ++last;
  }
  Axis axis{std::move(title), true, std::exp2(first - 0.2), std::exp2(last + 0.2), {}};
  int step = 1;
  while ((last - first) / step > max_ticks) step *= 2;
  for (int power = first; power <= last; power += step) axis.ticks.push_back({std::exp2(power), "", power});
  return axis;
}

Axis log_axis(std::string title, double smallest, double largest,
              const std::function<std::string(double)>& write) {
  const double room = std::max(1.12, std::pow(largest / smallest, 0.04));
  Axis axis{std::move(title), true, smallest / room, largest * room, {}};
  const auto fill = [&](const std::vector<double>& steps) {
    axis.ticks.clear();
    const int first = static_cast<int>(std::floor(std::log10(axis.low)));
    const int last = static_cast<int>(std::floor(std::log10(axis.high)));
    for (int decade = first; decade <= last; ++decade) {
      for (const double step : steps) {
        const double value = step * std::pow(10.0, decade);
        if (value >= axis.low && value <= axis.high) axis.ticks.push_back({value, write(value), -1});
      }
    }
    return axis.ticks.size() >= 3;
  };
  if (!fill({1}) && !fill({1, 2, 5}) && !fill({1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9})) {
    axis.ticks = {{smallest, write(smallest), -1}};
  }
  return axis;
}

Axis share_axis(std::string title, double largest) {
  double step = largest > 1.05 ? 0.25 : 0.2;
  while (largest / step > 8) step *= 2;
  const double high = std::max(1.0, step * std::ceil(largest / step - 0.05));
  Axis axis{std::move(title), false, 0, high * 1.04, {}};
  for (int i = 0; i * step <= high + 1e-9; ++i) {
    axis.ticks.push_back({i * step, fixed(i * step * 100, 0) + " %", -1});
  }
  return axis;
}

std::string plain_tick(double value) {
  std::string text = three_digits(value);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string time_tick(double us) {
  constexpr double nearly = 0.9999;  // 1000 may be 999.99...
  if (us < nearly) return plain_tick(us * 1e3) + " ns";
  if (us < 1e3 * nearly) return plain_tick(us) + " \xc2\xb5s";
  if (us < 1e6 * nearly) return plain_tick(us / 1e3) + " ms";
  return plain_tick(us / 1e6) + " s";
}

}  // namespace triptych::report
