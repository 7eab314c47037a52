#include <triptych/capsule_likelihood/scene.hpp>

#include <common/text.hpp>

#include <utility>

#include "background.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;

namespace {

constexpr std::size_t fewest_points = 50;
constexpr double alone = 0.9;  // a thing of this share of the points is alone: stray points do not matter

Vec3 middle_of(const std::vector<Vec3>& points) {
  double x = 0, y = 0, z = 0;
  for (const Vec3& p : points) {
    x += double{p.x};
    y += double{p.y};
    z += double{p.z};
  }
  const auto count = static_cast<double>(points.size());
  return {static_cast<float>(x / count), static_cast<float>(y / count), static_cast<float>(z / count)};
}

double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<Vec3> Background::without(std::vector<Vec3> points) {
  if (keep_ || points.size() < fewest_points) return points;
  const std::size_t all = points.size();
  const WithoutPlanes rest = remove_planes(points);
  const std::vector<Vec3>& others = rest.points;
  std::vector<Vec3> person = choose_person(others, {.near = person_, .any_depth = any_depth_});
  const bool changed = !rest.planes.empty() || share(person.size(), others.size() + 1) < alone;
  const bool kept = person.size() < fewest_points || !changed;
  if (kept) person = std::move(points);
  person_ = middle_of(person);
  any_depth_ = false;
  if (!std::exchange(begun_, true) && !kept) {
    note_ =
        apps::text("left out %zu large plane%s (floor, walls) with %.0f %% of the points", rest.planes.size(),
                   rest.planes.size() == 1 ? "" : "s", 100 * (1 - share(others.size(), all))) +
        apps::text(" and other things with %.0f %%; --keep-background keeps them, --person X,Y chooses",
                   100 * share(others.size() - person.size(), all));
  }
  return person;
}

}  // namespace triptych::capsule_demo
