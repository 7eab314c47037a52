// Finds a standing person in a cloud by how the points are spread.
#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

StandingPerson find_standing_person(std::span<const Vec3> points) {
  std::vector<Vec3> cloud;
  std::ranges::copy_if(points, std::back_inserter(cloud), is_finite);
  require(cloud.size() >= 50, "a person cannot be found in ", cloud.size(), " points");
  const auto median = [](std::vector<Vec3>& list, float Vec3::*axis) {
    const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
    std::ranges::nth_element(list, middle, {}, axis);
    return (*middle).*axis;
  };
  const float x = median(cloud, &Vec3::x), z = median(cloud, &Vec3::z), y = median(cloud, &Vec3::y);
  // Points in slices of 2 cm around the middle; the person goes on as long as the slices do not run dry.
  constexpr int slices = 300, middle_slice = slices / 2;
  constexpr float slice_m = 0.02f, reach_m = 0.8f, max_m = 3;
  std::array<int, slices> counts = {};
  for (const Vec3& p : cloud) {
    if (std::abs(p.x - x) > reach_m || std::abs(p.z - z) > reach_m || std::abs(p.y - y) > max_m) continue;
    const auto slice = static_cast<int>(std::floor((p.y - y) / slice_m)) + middle_slice;
    if (slice >= 0 && slice < slices) ++counts[static_cast<std::size_t>(slice)];
  }
  const int fullest = *std::ranges::max_element(counts);
  const auto is_full = [&](int slice) {
    // The mean of three, so that a thin sample does not end it.
    int sum = 0;
    for (int k = -1; k <= 1; ++k)
      sum += counts[static_cast<std::size_t>(std::clamp(slice + k, 0, slices - 1))];
    return sum > 0.24 * fullest;  // 8 % of the fullest
  };
  int low = middle_slice, high = middle_slice;
  while (low > 0 && is_full(low - 1)) --low;
  while (high < slices - 1 && is_full(high + 1)) ++high;
  const float bottom = y + static_cast<float>(low - middle_slice) * slice_m;
  const float top = y + static_cast<float>(high + 1 - middle_slice) * slice_m;
  StandingPerson person;
  person.height_m = std::clamp(top - bottom, 0.3f, 3.0f);
  // The visible surface lies a body's half depth before its middle.
  person.root = {x, bottom + 0.53f * person.height_m, z + 0.05f * person.height_m};
  return person;
}

}  // namespace triptych::capsule_likelihood
