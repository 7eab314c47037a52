#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "fit/compositional/warp_composition.hpp"

namespace triptych::aam_fit {

namespace {

constexpr double max_deviations = 3;
constexpr double far_px = 1 << 24;  // no plane is as large

double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
Point minus(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }

// Where the affine map that takes three points to three others takes p; false when the first three lie on a
// line.
bool carry(const std::array<Point, 3>& from, const std::array<Point, 3>& to, Point p, Point& out) {
  const Point u = minus(from[1], from[0]), v = minus(from[2], from[0]), w = minus(p, from[0]);
  const double area = cross(u, v);
  if (std::abs(area) < 1e-9 * (u.x * u.x + u.y * u.y + v.x * v.x + v.y * v.y)) return false;
  const double a = cross(w, v) / area, b = cross(u, w) / area;
  const Point du = minus(to[1], to[0]), dv = minus(to[2], to[0]);
  out = {to[0].x + a * du.x + b * dv.x, to[0].y + a * du.y + b * dv.y};
  return true;
}

}  // namespace

WarpComposition::WarpComposition(const Level& level) {
  require(level.shape_modes > 0 && level.Ps.size() == std::int64_t{level.shape_modes} * 2 * level.points &&
              level.ps_sigma.size() == level.shape_modes,
          "this level was trained without what inverse compositional fitting needs");
  const int points = level.points;
  mean_.reserve(static_cast<std::size_t>(points));
  for (int i = 0; i < points; ++i) mean_.push_back({double{level.s0[2 * i]}, double{level.s0[2 * i + 1]}});
  const auto numbers = 2 * static_cast<std::size_t>(points);
  basis_.resize(4 * numbers);
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const Point p = mean_[i];
    const double rows[4][2] = {{p.x, p.y}, {-p.y, p.x}, {1, 0}, {0, 1}};
    for (std::size_t k = 0; k < 4; ++k)
      std::copy_n(rows[k], 2, basis_.begin() + static_cast<std::ptrdiff_t>(k * numbers + 2 * i));
  }
  basis_.insert(basis_.end(), level.Ps.begin(), level.Ps.end());
  limit_.reserve(static_cast<std::size_t>(level.shape_modes));
  for (const float sigma : level.ps_sigma) limit_.push_back(max_deviations * double{sigma});

  std::vector<std::array<int, 3>> triangles;
  triangles.reserve(static_cast<std::size_t>(level.pixels()));
  for (const WarpPixel& pixel : level.frame.pixels) {
    std::array<int, 3> corners{pixel.corners[0], pixel.corners[1], pixel.corners[2]};
    std::sort(corners.begin(), corners.end());
    triangles.push_back(corners);
  }
  std::sort(triangles.begin(), triangles.end());
  triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
  around_.resize(mean_.size());
  for (const auto& triangle : triangles)
    for (const int corner : triangle) around_[static_cast<std::size_t>(corner)].push_back(triangle);
}

Shape WarpComposition::to_model(std::span<const Point> shape) const {
  // A step that leads far outside: no shape of the model is near, and the fit does not accept it.
  if (!std::all_of(shape.begin(), shape.end(),
                   [](Point p) { return std::abs(p.x) < far_px && std::abs(p.y) < far_px; }))
    return {shape.begin(), shape.end()};
  const Similarity pose = align(mean_, shape);
  const Shape upright = posed(inverse(pose), shape);
  Shape found = mean_;
  for (std::size_t k = 0; k < limit_.size(); ++k) {
    const std::span<const double> mode = basis(4 + static_cast<int>(k));
    double b = 0;
    for (std::size_t i = 0; i < mean_.size(); ++i)
      b += mode[2 * i] * (upright[i].x - mean_[i].x) + mode[2 * i + 1] * (upright[i].y - mean_[i].y);
    b = std::clamp(b, -limit_[k], limit_[k]);
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      found[i].x += b * mode[2 * i];
      found[i].y += b * mode[2 * i + 1];
    }
  }
  return posed(pose, found);
}

Shape WarpComposition::compose(std::span<const Point> shape, std::span<const double> dp) const {
  // The small warp moves the mean by basis' dp; its inverse, to first order, the other way.
  std::vector<double> moved(2 * mean_.size());
  for (int j = 0; j < parameter_count(); ++j)
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += basis(j)[i] * dp[static_cast<std::size_t>(j)];
  const Similarity pose = align(mean_, shape);
  Shape composed(shape.begin(), shape.end());
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const Point back{mean_[i].x - moved[2 * i], mean_[i].y - moved[2 * i + 1]};
    // The triangles that meet in a landmark move that point to different positions: the mean is taken. A
    // landmark of no triangle follows the pose.
    Point sum{};
    int count = 0;
    for (const auto& t : around_[i]) {
      std::array<Point, 3> from, to;
      for (std::size_t k = 0; k < 3; ++k) {
        from[k] = mean_[static_cast<std::size_t>(t[k])];
        to[k] = shape[static_cast<std::size_t>(t[k])];
      }
      Point out;
      if (!carry(from, to, back, out)) continue;
      sum.x += out.x;
      sum.y += out.y;
      ++count;
    }
    if (count > 0) {
      composed[i] = {sum.x / count, sum.y / count};
    } else {
      const Point a = posed(pose, back), b = posed(pose, mean_[i]);
      composed[i] = {shape[i].x + a.x - b.x, shape[i].y + a.y - b.y};
    }
  }
  return to_model(composed);
}

}  // namespace triptych::aam_fit
