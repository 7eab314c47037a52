#include <triptych/capsule_likelihood/scene.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr double part_aside_m = 0.5;

using Cell = std::array<std::int64_t, 3>;

Cell cell_of(const Vec3& p, double size) {
  const auto index = [size](float x) { return static_cast<std::int64_t>(std::floor(double{x} / size)); };
  return {index(p.x), index(p.y), index(p.z)};
}

// Sets of cells that touch, also at corners: a forest whose roots have the lowest numbers.
class Things {
 public:
  explicit Things(const std::vector<Cell>& cells) : parent_(cells.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (int n = 0; n < 13; ++n) {  // one of each pair of opposite neighbours
        const Cell neighbour = {cells[i][0] + n / 9 - 1, cells[i][1] + n / 3 % 3 - 1,
                                cells[i][2] + n % 3 - 1};
        const auto at = std::ranges::lower_bound(cells, neighbour);
        if (at != cells.end() && *at == neighbour) join(i, static_cast<std::size_t>(at - cells.begin()));
      }
    }
  }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

 private:
  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::size_t> parent_;
};

struct Middle {
  double x = 0, y = 0, z = 0, points = 0;
  void add(const Vec3& p) {
    x += double{p.x};
    y += double{p.y};
    z += double{p.z};
    ++points;
  }
  double aside(const Middle& other) const {
    return length(x / points - other.x / other.points, z / points - other.z / other.points);
  }
  double distance(const Vec3& p, bool any_depth) const {
    const double dx = x / points - double{p.x}, dy = y / points - double{p.y},
                 dz = any_depth ? 0 : z / points - double{p.z};
    return std::sqrt(dx * dx + dy * dy + dz * dz);
  }
};

}  // namespace

std::vector<Vec3> choose_person(std::span<const Vec3> points, const PersonOptions& options) {
  require(options.gap_m >= 0.01f && options.gap_m <= 1, "gap_m must be 0.01 to 1, not ", options.gap_m);
  require(options.min_share >= 0 && options.min_share <= 1, "min_share must be 0 to 1, not ",
          options.min_share);
  require(!options.near || is_finite(*options.near), "near, a person's position, is not finite");
  std::vector<Vec3> cloud;
  std::vector<Cell> cell_of_point;
  for (const Vec3& p : points) {
    if (!is_finite(p) || std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > max_position_m) continue;
    cloud.push_back(p);
    cell_of_point.push_back(cell_of(p, double{options.gap_m}));
  }
  std::vector<Cell> cells = cell_of_point;
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  Things things(cells);
  std::vector<std::size_t> thing_of_point;
  std::vector<Middle> middles(cells.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const auto at = std::ranges::lower_bound(cells, cell_of_point[i]);
    thing_of_point.push_back(things.root(static_cast<std::size_t>(at - cells.begin())));
    middles[thing_of_point.back()].add(cloud[i]);
  }
  const double least = std::max(1.0, options.min_share * static_cast<double>(cloud.size()));
  std::size_t best = cells.size();
  const auto is_better = [&](std::size_t i) {
    if (best == cells.size()) return true;
    if (options.near)
      return middles[i].distance(*options.near, options.any_depth) <
             middles[best].distance(*options.near, options.any_depth);
    return middles[i].points > middles[best].points;
  };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (middles[i].points >= least && is_better(i)) best = i;
  }
  if (best == cells.size()) return cloud;
  std::vector<Vec3> person;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (middles[thing_of_point[i]].aside(middles[best]) <= part_aside_m) person.push_back(cloud[i]);
  }
  return person;
}

}  // namespace triptych::capsule_likelihood
