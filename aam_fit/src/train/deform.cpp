// Thin-plate splines (Bookstein 1989) and the images that they warp.
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "train/deform.hpp"

namespace triptych::aam_fit {
namespace {

constexpr double reach = 1.3;  // of a deformation from the middle of the face, in face sizes

double kernel(Point a, Point b) {
  const double x = a.x - b.x, y = a.y - b.y, squared = x * x + y * y;
  return squared > 0 ? squared * std::log(squared) : 0;
}

// A smooth vector field with given values at some points.
class ThinPlate {
 public:
  ThinPlate(Shape points, const Eigen::MatrixX2d& values) : points_(std::move(points)) {
    constexpr double regularisation = 1e-4;  // points that nearly coincide may have different values
    const auto n = static_cast<Eigen::Index>(points_.size());
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n + 3, n + 3);
    Eigen::MatrixX2d wanted = Eigen::MatrixX2d::Zero(n + 3, 2);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Point p = points_[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < n; ++j) system(i, j) = kernel(p, points_[static_cast<std::size_t>(j)]);
      system(i, i) = regularisation;
      system.block<1, 3>(i, n) << 1, p.x, p.y;
      system.block<3, 1>(n, i) << 1, p.x, p.y;
    }
    wanted.topRows(n) = values;
    weights_ = system.partialPivLu().solve(wanted);
  }

  Point operator()(Point p) const {
    const auto n = static_cast<Eigen::Index>(points_.size());
    Eigen::RowVector2d sum = weights_.row(n) + p.x * weights_.row(n + 1) + p.y * weights_.row(n + 2);
    for (Eigen::Index i = 0; i < n; ++i)
      sum += kernel(p, points_[static_cast<std::size_t>(i)]) * weights_.row(i);
    return {sum.x(), sum.y()};
  }

 private:
  Shape points_;
  Eigen::MatrixX2d weights_;
};

// The displacements from the warped image back to the image, in face sizes: those of the landmarks, and none
// around the face.
ThinPlate displacements(std::span<const Point> from, std::span<const Point> to, Point middle, double size) {
  Shape points;
  for (const double x : {-reach, 0.0, reach})
    for (const double y : {-reach, 0.0, reach})
      if (x != 0 || y != 0) points.push_back({x, y});
  const std::size_t fixed = points.size();
  for (const Point p : to) points.push_back({(p.x - middle.x) / size, (p.y - middle.y) / size});
  Eigen::MatrixX2d values = Eigen::MatrixX2d::Zero(static_cast<Eigen::Index>(points.size()), 2);
  for (std::size_t i = 0; i < to.size(); ++i)
    values.row(static_cast<Eigen::Index>(fixed + i)) << (from[i].x - to[i].x) / size,
        (from[i].y - to[i].y) / size;
  return {std::move(points), values};
}

// Values at the corners of a grid over the reach, linear in between.
class Grid {
 public:
  explicit Grid(const ThinPlate& field) {
    corners_.reserve((cells + 1) * (cells + 1));
    for (int row = 0; row <= cells; ++row)
      for (int column = 0; column <= cells; ++column) corners_.push_back(field({at(column), at(row)}));
  }
  // p: within the reach.
  Point operator()(Point p) const {
    const double x = std::clamp((p.x + reach) / step, 0.0, cells - 1e-9);
    const double y = std::clamp((p.y + reach) / step, 0.0, cells - 1e-9);
    const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
    const double u = x - static_cast<double>(i), v = y - static_cast<double>(j);
    const auto mix = [&](double Point::*c) {
      const Point *above = &corners_[j * (cells + 1) + i], *below = above + (cells + 1);
      return (1 - v) * ((1 - u) * above[0].*c + u * above[1].*c) +
             v * ((1 - u) * below[0].*c + u * below[1].*c);
    };
    return {mix(&Point::x), mix(&Point::y)};
  }

 private:
  static constexpr int cells = 48;
  static constexpr double step = 2 * reach / cells;
  static double at(int corner) { return corner * step - reach; }
  std::vector<Point> corners_;
};

double sample(ImageView<const Grey8> image, Point p) {
  const double x = std::clamp(p.x, 0.0, static_cast<double>(image.width() - 1));
  const double y = std::clamp(p.y, 0.0, static_cast<double>(image.height() - 1));
  const auto x0 = static_cast<std::int64_t>(x), y0 = static_cast<std::int64_t>(y);
  const std::int64_t x1 = std::min(x0 + 1, image.width() - 1), y1 = std::min(y0 + 1, image.height() - 1);
  const double u = x - static_cast<double>(x0), v = y - static_cast<double>(y0);
  const auto grey = [&](std::int64_t column, std::int64_t row) {
    return static_cast<double>(image.row(row)[static_cast<std::size_t>(column)].v);
  };
  return (1 - v) * ((1 - u) * grey(x0, y0) + u * grey(x1, y0)) +
         v * ((1 - u) * grey(x0, y1) + u * grey(x1, y1));
}

// The pixels within the reach of a middle; at least one.
std::pair<std::int64_t, std::int64_t> pixels_around(double middle, double radius, std::int64_t count) {
  const auto last = static_cast<double>(count - 1);
  return {static_cast<std::int64_t>(std::clamp(std::ceil(middle - radius), 0.0, last)),
          static_cast<std::int64_t>(std::clamp(std::floor(middle + radius), 0.0, last))};
}

}  // namespace

DeformedFace deform(ImageView<const Grey8> image, std::span<const Point> from, std::span<const Point> to) {
  const Box box = bounds(to);
  const Point middle{box.x + box.width / 2, box.y + box.height / 2};
  const double size = face_size(to);
  const Grid back(displacements(from, to, middle, size));
  const auto [left, right] = pixels_around(middle.x, reach * size, image.width());
  const auto [top, bottom] = pixels_around(middle.y, reach * size, image.height());
  DeformedFace face{Image<Grey8>(right - left + 1, bottom - top + 1), {to.begin(), to.end()}};
  for (std::int64_t y = top; y <= bottom; ++y) {
    const auto row = face.image.view().row(y - top);
    for (std::int64_t x = left; x <= right; ++x) {
      const Point p{static_cast<double>(x), static_cast<double>(y)};
      const Point d = back({(p.x - middle.x) / size, (p.y - middle.y) / size});
      row[static_cast<std::size_t>(x - left)].v =
          static_cast<std::uint8_t>(std::lround(sample(image, {p.x + size * d.x, p.y + size * d.y})));
    }
  }
  for (Point& p : face.landmarks) p = {p.x - static_cast<double>(left), p.y - static_cast<double>(top)};
  return face;
}

}  // namespace triptych::aam_fit
