#include <common/text.hpp>

#include <algorithm>
#include <numeric>

#include "stage_times.hpp"

namespace triptych::skin_demo {

double StageTimes::ms_per_frame() const {
  return per_frame(std::accumulate(sums_ms_.begin(), sums_ms_.end(), 0.0));
}

Stage StageTimes::largest() const {
  return static_cast<Stage>(std::max_element(sums_ms_.begin(), sums_ms_.end()) - sums_ms_.begin());
}

std::string StageTimes::sentence() const {
  std::string all = apps::text("%.2f ms per frame:", ms_per_frame());
  for (std::size_t i = 0; i < names.size(); ++i)
    all += apps::text("%s %s %.2f", i > 0 ? "," : "", std::string(names[i]).c_str(), per_frame(sums_ms_[i]));
  return all;
}

}  // namespace triptych::skin_demo
