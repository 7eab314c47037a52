#include <triptych/capsule_likelihood/scene.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

namespace {

using Vector = Eigen::Vector3d;

constexpr std::size_t searched_points = 4096;
constexpr int tries = 200, refinements = 3;
constexpr double cell_m = 0.1;  // of the area that a plane's points show

Vector vector(const Vec3& p) { return {double{p.x}, double{p.y}, double{p.z}}; }

struct Candidate {
  Vector normal = Vector::Zero();
  double distance = 0;

  double away(const Vec3& p) const { return std::abs(normal.dot(vector(p)) - distance); }
};

std::vector<Vec3> on_plane(std::span<const Vec3> points, const Candidate& plane, double tolerance) {
  std::vector<Vec3> inliers;
  std::ranges::copy_if(points, std::back_inserter(inliers),
                       [&](const Vec3& p) { return plane.away(p) <= tolerance; });
  return inliers;
}

// Of the largest number of points, among planes through three of them. The numbers of the three depend on
// the seed, the round and the try alone.
Candidate best_supported(std::span<const Vec3> points, double tolerance, std::uint64_t seed, int round) {
  Candidate best;
  std::size_t most = 0;
  for (int i = 0; i < tries; ++i) {
    const Philox4x32 words =
        philox4x32({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(round), 0, 0}},
                   static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    const auto pick = [&](int k) { return vector(points[words[k] % points.size()]); };
    const Vector a = pick(0), normal = (pick(1) - a).cross(pick(2) - a);
    if (!(normal.norm() > 1e-6)) continue;
    const Candidate plane{normal.normalized(), normal.normalized().dot(a)};
    std::size_t count = 0;
    for (const Vec3& p : points) count += plane.away(p) <= tolerance ? 1 : 0;
    if (count <= most) continue;
    most = count;
    best = plane;
  }
  return best;
}

struct Fit {
  Candidate plane;
  double deviation = 0;  // standard, of the points from the plane
};

// Least squares.
Fit fit(std::span<const Vec3> points) {
  Vector mean = Vector::Zero();
  for (const Vec3& p : points) mean += vector(p);
  mean /= static_cast<double>(points.size());
  Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
  for (const Vec3& p : points) moments += (vector(p) - mean) * (vector(p) - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(moments / static_cast<double>(points.size()));
  const Vector normal = solver.eigenvectors().col(0);
  return {{normal, normal.dot(mean)}, std::sqrt(std::max(solver.eigenvalues()[0], 0.0))};
}

// The area that the points show: that of the cells of a grid on the plane with a point.
double area_m2(std::span<const Vec3> points, const Candidate& plane) {
  const Vector along = plane.normal.unitOrthogonal(), across = plane.normal.cross(along);
  std::vector<std::pair<std::int64_t, std::int64_t>> cells;
  cells.reserve(points.size());
  for (const Vec3& p : points)
    cells.emplace_back(static_cast<std::int64_t>(std::floor(along.dot(vector(p)) / cell_m)),
                       static_cast<std::int64_t>(std::floor(across.dot(vector(p)) / cell_m)));
  std::ranges::sort(cells);
  const auto end = std::unique(cells.begin(), cells.end());
  return static_cast<double>(end - cells.begin()) * cell_m * cell_m;
}

void check(const PlaneOptions& options) {
  require(options.max_planes >= 0 && options.max_planes <= 64, "max_planes must be 0 to 64, not ",
          options.max_planes);
  require(options.tolerance_m > 0 && options.tolerance_m <= 10,
          "tolerance_m must be above 0, at most 10, not ", options.tolerance_m);
  require(options.min_area_m2 >= 0 && std::isfinite(options.min_area_m2),
          "min_area_m2 must be at least 0 and finite, not ", options.min_area_m2);
  require(options.min_share >= 0 && options.min_share <= 1, "min_share must be 0 to 1, not ",
          options.min_share);
}

}  // namespace

WithoutPlanes remove_planes(std::span<const Vec3> points, const PlaneOptions& options) {
  check(options);
  WithoutPlanes rest;
  std::ranges::copy_if(points, std::back_inserter(rest.points), [](const Vec3& p) {
    return is_finite(p) && std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= max_position_m;
  });
  const double least = options.min_share * static_cast<double>(rest.points.size());
  for (int round = 0; round < options.max_planes && rest.points.size() >= 50; ++round) {
    std::vector<Vec3> some;
    const std::size_t count = std::min(rest.points.size(), searched_points);
    for (std::size_t i = 0; i < count; ++i) some.push_back(rest.points[i * rest.points.size() / count]);
    Fit best{best_supported(some, double{options.tolerance_m}, options.seed, round), 0};
    std::vector<Vec3> inliers = on_plane(rest.points, best.plane, double{options.tolerance_m});
    for (int i = 0; i < refinements && inliers.size() >= 3; ++i) {
      best = fit(inliers);
      inliers = on_plane(rest.points, best.plane,
                         std::clamp(3 * best.deviation, 0.01, double{options.tolerance_m}));
    }
    if (inliers.size() < 50 || static_cast<double>(inliers.size()) < least ||
        area_m2(inliers, best.plane) < double{options.min_area_m2})
      break;
    const double tolerance = std::clamp(3 * best.deviation, 0.01, double{options.tolerance_m});
    std::erase_if(rest.points, [&](const Vec3& p) { return best.plane.away(p) <= tolerance; });
    const double side = best.plane.distance > 0 ? -1 : 1;  // the origin's
    const Vector normal = side * best.plane.normal;
    rest.planes.push_back(
        {{static_cast<float>(normal.x()), static_cast<float>(normal.y()), static_cast<float>(normal.z())},
         static_cast<float>(side * best.plane.distance),
         static_cast<std::int64_t>(inliers.size())});
  }
  return rest;
}

}  // namespace triptych::capsule_likelihood
