// The convex hull: a chain below and a chain above the points in the order of x.
#include <algorithm>

#include "shape/hull.hpp"

namespace triptych::aam_fit {
namespace {

// Goes on along [first, last), dropping corners that are not convex; leaves at least `keep` of those before.
template <class Iterator>
void chain(std::span<const Point> shape, Iterator first, const Iterator& last, std::vector<int>& hull) {
  const auto at = [&](int i) { return shape[static_cast<std::size_t>(i)]; };
  const std::size_t keep = hull.size();
  for (; first != last; ++first) {
    const Point p = at(*first);
    while (hull.size() >= keep + 2) {
      const Point a = at(hull[hull.size() - 2]), b = at(hull.back());
      if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
      hull.pop_back();
    }
    hull.push_back(*first);
  }
  hull.pop_back();  // begins the other chain
}

}  // namespace

std::vector<int> convex_hull(std::span<const Point> shape, std::span<const Triangle> triangles) {
  std::vector<int> corners;
  corners.reserve(3 * triangles.size());
  for (const Triangle& t : triangles) corners.insert(corners.end(), t.begin(), t.end());
  const auto before = [&](int i, int j) {
    const Point a = shape[static_cast<std::size_t>(i)], b = shape[static_cast<std::size_t>(j)];
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : i < j;
  };
  std::sort(corners.begin(), corners.end(), before);
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  std::vector<int> hull;
  hull.reserve(corners.size() + 1);
  chain(shape, corners.begin(), corners.end(), hull);
  chain(shape, corners.rbegin(), corners.rend(), hull);
  return hull;
}

}  // namespace triptych::aam_fit
