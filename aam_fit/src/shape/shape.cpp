// Landmark shapes: similarities, alignment, boxes, and the error of a fit.
#include <triptych/aam_fit/shape.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace triptych::aam_fit {

Point centre_of(std::span<const Point> shape) {
  require(!shape.empty(), "a shape without points has no centre");
  Point sum;
  for (const Point& p : shape) {
    sum.x += p.x;
    sum.y += p.y;
  }
  const auto count = static_cast<double>(shape.size());
  return {sum.x / count, sum.y / count};
}

Point posed(const Similarity& pose, Point p) {
  return {(1 + pose.sx) * p.x - pose.sy * p.y + pose.tx, pose.sy * p.x + (1 + pose.sx) * p.y + pose.ty};
}

Shape posed(const Similarity& pose, std::span<const Point> shape) {
  Shape moved(shape.size());
  std::transform(shape.begin(), shape.end(), moved.begin(), [&](Point p) { return posed(pose, p); });
  return moved;
}

Similarity compose(const Similarity& after, const Similarity& before) {
  const double a = 1 + after.sx, b = after.sy, c = 1 + before.sx, d = before.sy;
  const Point moved = posed(after, Point{before.tx, before.ty});
  return {a * c - b * d - 1, a * d + b * c, moved.x, moved.y};
}

Similarity inverse(const Similarity& pose) {
  const double a = 1 + pose.sx, b = pose.sy, size = a * a + b * b;
  require(size > 0, "a pose that shrinks everything to a point has no way back");
  require(std::isfinite(size) && std::isfinite(pose.tx) && std::isfinite(pose.ty),
          "a pose that is not finite has no way back");
  const Similarity turned{a / size - 1, -b / size, 0, 0};
  const Point back = posed(turned, Point{pose.tx, pose.ty});
  return {turned.sx, turned.sy, -back.x, -back.y};
}

Similarity align(std::span<const Point> from, std::span<const Point> to) {
  require(from.size() == to.size(), "cannot align ", from.size(), " points with ", to.size());
  require(from.size() >= 2, "aligning takes two points or more, not ", from.size());
  const Point f = centre_of(from), t = centre_of(to);
  double along = 0, across = 0, size = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double x = from[i].x - f.x, y = from[i].y - f.y, u = to[i].x - t.x, v = to[i].y - t.y;
    along += x * u + y * v;
    across += x * v - y * u;
    size += x * x + y * y;
  }
  require(std::isfinite(size) && std::isfinite(along) && std::isfinite(across), "cannot align ", from.size(),
          " points that are not finite, or whose squares are not");
  require(size > 0, "cannot align ", from.size(), " points that all coincide");
  const Similarity turned{along / size - 1, across / size, 0, 0};
  const Point moved = posed(turned, f);
  return {turned.sx, turned.sy, t.x - moved.x, t.y - moved.y};
}

Box bounds(std::span<const Point> shape) {
  require(!shape.empty(), "a shape without points has no box");
  Point low = shape[0], high = shape[0];
  for (const Point& p : shape) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return {low.x, low.y, high.x - low.x, high.y - low.y};
}

double face_size(std::span<const Point> shape) {
  const Box box = bounds(shape);
  return std::sqrt(box.width * box.height);
}

Shape place_in_box(std::span<const Point> shape, const Box& box) {
  const Box own = bounds(shape);
  require(own.width * own.height > 0, "a shape whose box has no area cannot be placed into another");
  require(std::isfinite(own.x + own.width * own.height + own.y),
          "a shape that is not finite cannot be placed");
  require(box.width >= 0 && box.height >= 0 && std::isfinite(box.x + box.y + box.width * box.height),
          "a shape cannot be placed into a box of ", box.width, " x ", box.height, " at (", box.x, ", ",
          box.y, ")");
  const double scale = std::sqrt(box.width * box.height / (own.width * own.height));
  const Point from{own.x + own.width / 2, own.y + own.height / 2};
  const Point to{box.x + box.width / 2, box.y + box.height / 2};
  return posed({scale - 1, 0, to.x - scale * from.x, to.y - scale * from.y}, shape);
}

double shape_error(std::span<const Point> shape, std::span<const Point> truth) {
  require(shape.size() == truth.size(), "cannot compare ", shape.size(), " points with ", truth.size());
  const double size = face_size(truth);
  require(size > 0 && std::isfinite(size), "the box of the true shape has no area, or is not finite");
  double sum = 0;
  for (std::size_t i = 0; i < shape.size(); ++i)
    sum += length(shape[i].x - truth[i].x, shape[i].y - truth[i].y);
  return sum / static_cast<double>(shape.size()) / size;
}

std::vector<Shape> evaluation_starts(std::span<const Point> mean, std::span<const Point> truth) {
  struct Displacement {
    double x, y, scale;
  };
  constexpr std::array<Displacement, 5> displacements{
      {{0, 0, 1}, {0.06, 0, 1}, {-0.06, 0.04, 1}, {0, -0.06, 1.06}, {0.04, 0.04, 0.94}}};
  const Box box = bounds(truth);
  std::vector<Shape> starts;
  starts.reserve(displacements.size());
  for (const Displacement& d : displacements) {
    const double width = box.width * d.scale, height = box.height * d.scale;
    starts.push_back(
        place_in_box(mean, {box.x + (box.width - width) / 2 + d.x * box.width,
                            box.y + (box.height - height) / 2 + d.y * box.height, width, height}));
  }
  return starts;
}

}  // namespace triptych::aam_fit
