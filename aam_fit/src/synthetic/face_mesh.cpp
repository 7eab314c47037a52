#include <algorithm>
#include <cmath>

#include "synthetic/face_geometry.hpp"
#include "synthetic/face_maps.hpp"
#include "synthetic/face_mesh.hpp"
#include "synthetic/face_variation.hpp"

namespace triptych::aam_fit::face {

namespace {

constexpr int columns = 120, rows = 132;  // vertices
constexpr double step_x = (right - left) / (columns - 1), step_y = (bottom - top) / (rows - 1);

// Position of a vertex on the neutral face.
Point at_rest(std::size_t vertex) {
  const std::size_t row = vertex / columns, column = vertex % columns;
  return {left + static_cast<double>(column) * step_x, top + static_cast<double>(row) * step_y};
}

// Height and displacement fields of every vertex, computed once.
struct Rest {
  double z;
  Point moves[fields];
};
const std::vector<Rest>& rest() {
  static const std::vector<Rest> made = [] {
    std::vector<Rest> all(static_cast<std::size_t>(columns) * rows);
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < columns; ++i) {
        Rest& r = all[static_cast<std::size_t>(j) * columns + static_cast<std::size_t>(i)];
        const double x = left + i * step_x, y = top + j * step_y;
        r.z = relief(x, y);
        for (int k = 0; k < fields; ++k) r.moves[k] = field(k, x, y);
      }
    }
    return all;
  }();
  return made;
}

// The same of faces with detail.
struct MoreRest {
  double recession;
  Point moves[more_fields];
};
const std::vector<MoreRest>& more_rest() {
  static const std::vector<MoreRest> made = [] {
    std::vector<MoreRest> all(static_cast<std::size_t>(columns) * rows);
    for (std::size_t v = 0; v < all.size(); ++v) {
      const auto [x, y] = at_rest(v);
      all[v].recession = recession(x, y);
      for (int k = 0; k < more_fields; ++k) all[v].moves[k] = more_field(k, x, y);
    }
    return all;
  }();
  return made;
}

const Box& rest_box() {
  static const Box box = bounds(landmarks());
  return box;
}

}  // namespace

Rotation rotation(const FaceParameters& face) {
  const double ct = std::cos(face.yaw), st = std::sin(face.yaw);
  const double cn = std::cos(face.pitch), sn = std::sin(face.pitch);
  const double cr = std::cos(face.roll), sr = std::sin(face.roll);
  // Yaw about the vertical axis, then pitch, then roll in the plane.
  const double turned[3][3] = {{ct, 0, st}, {sn * st, cn, -sn * ct}, {-cn * st, sn, cn * ct}};
  Rotation r{};
  for (int j = 0; j < 3; ++j) {
    r.m[0][j] = cr * turned[0][j] - sr * turned[1][j];
    r.m[1][j] = sr * turned[0][j] + cr * turned[1][j];
    r.m[2][j] = turned[2][j];
  }
  return r;
}

Mesh::Mesh(const FaceParameters& face)
    : vertices_(rest().size()),
      occludes_(face.detail.has_value()),
      outwards_{std::cos(face.roll), std::sin(face.roll)} {
  double p[fields];
  std::copy(face.identity.begin(), face.identity.end(), p);
  std::copy(face.expression.begin(), face.expression.end(), p + face.identity.size());
  p[9] = opening(face.expression[1]);
  const Rotation r = rotation(face);
  const Box& box = rest_box();
  const double scale = face.size_px / std::sqrt(box.width * box.height);
  const double middle_y = box.y + box.height / 2, middle_z = 0.45;  // centre of rotation
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    const Rest& from = rest()[v];
    auto [x, y] = at_rest(v);
    for (int k = 0; k < fields; ++k) {
      x += p[k] * from.moves[k].x;
      y += p[k] * from.moves[k].y;
    }
    double z = from.z;
    if (face.detail) {
      const MoreRest& more = more_rest()[v];
      for (std::size_t k = 0; k < more_fields; ++k) {
        x += face.detail->shape[k] * more.moves[k].x;
        y += face.detail->shape[k] * more.moves[k].y;
      }
      z += face.detail->depth * more.recession;
    }
    const double dx = x, dy = y - middle_y, dz = z - middle_z;
    vertices_[v] = {face.x_px + scale * (r.m[0][0] * dx + r.m[0][1] * dy + r.m[0][2] * dz),
                    face.y_px + scale * (r.m[1][0] * dx + r.m[1][1] * dy + r.m[1][2] * dz), x, y,
                    r.m[2][0] * dx + r.m[2][1] * dy + r.m[2][2] * dz};
  }
}

// The triangle of the mesh that holds a place; each cell is cut from its upper right to its lower left.
template <class Value>
auto Mesh::within(double x, double y, Value value) const {
  const double px = (x - left) / step_x, py = (y - top) / step_y;
  const auto i = static_cast<std::size_t>(std::clamp(px, 0.0, columns - 2.0));
  const auto j = static_cast<std::size_t>(std::clamp(py, 0.0, rows - 2.0));
  const double u = px - static_cast<double>(i), v = py - static_cast<double>(j);
  const Vertex* cell = &vertices_[j * columns + i];
  const Point b = value(cell[1]), c = value(cell[columns]);
  const bool upper = u + v <= 1;
  const Point a = value(upper ? cell[0] : cell[columns + 1]);
  const double wb = upper ? u : 1 - v, wc = upper ? v : 1 - u, wa = 1 - wb - wc;
  return Point{wa * a.x + wb * b.x + wc * c.x, wa * a.y + wb * b.y + wc * c.y};
}

Point Mesh::in_image(double x, double y) const {
  return within(x, y, [](const Vertex& v) { return Point{v.x, v.y}; });
}
Point Mesh::moved(double x, double y) const {
  return within(x, y, [](const Vertex& v) { return Point{v.moved_x, v.moved_y}; });
}

Shape Mesh::landmarks() const {
  constexpr int jaw = 17, chin = 8, steps = 1000;
  constexpr double farthest = 0.7;  // of the way to the middle of the face
  Shape shape;
  shape.reserve(points);
  for (int i = 0; i < points; ++i) {
    const Point p = face::landmarks()[static_cast<std::size_t>(i)];
    Point at = in_image(p.x, p.y);
    if (occludes_ && i < jaw && i != chin) {
      const double side = p.x < 0 ? -1 : 1;
      const auto reach = [&](Point q) { return side * (q.x * outwards_.x + q.y * outwards_.y); };
      for (int step = 1; step <= steps; ++step) {
        const Point q = in_image(p.x * (1 - farthest * step / steps), p.y);
        if (reach(q) > reach(at)) at = q;
      }
    }
    shape.push_back(at);
  }
  return shape;
}

std::vector<SurfacePoint> Mesh::rasterise(int width, int height) const {
  std::vector<SurfacePoint> seen(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  std::vector<float> nearest(occludes_ ? seen.size() : 0, -1e30f);
  const auto draw = [&](std::size_t ia, std::size_t ib, std::size_t ic) {
    const Vertex &a = vertices_[ia], &b = vertices_[ib], &c = vertices_[ic];
    const double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    if (area == 0) return;
    const auto first = [](double v) { return static_cast<int>(std::ceil(std::clamp(v, -1.0, 1e6))); };
    const auto last = [](double v) { return static_cast<int>(std::floor(std::clamp(v, -1.0, 1e6))); };
    const int x0 = std::max(0, first(std::min({a.x, b.x, c.x}))),
              x1 = std::min(width - 1, last(std::max({a.x, b.x, c.x})));
    const int y0 = std::max(0, first(std::min({a.y, b.y, c.y}))),
              y1 = std::min(height - 1, last(std::max({a.y, b.y, c.y})));
    const Point rest_a = at_rest(ia), rest_b = at_rest(ib), rest_c = at_rest(ic);
    for (int y = y0; y <= y1; ++y) {
      for (int x = x0; x <= x1; ++x) {
        const double wb = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / area;
        const double wc = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / area;
        const double wa = 1 - wb - wc;
        if (wa < -1e-9 || wb < -1e-9 || wc < -1e-9) continue;
        const std::size_t pixel =
            static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
        if (occludes_) {
          const auto z = static_cast<float>(wa * a.z + wb * b.z + wc * c.z);
          if (z < nearest[pixel]) continue;
          nearest[pixel] = z;
        }
        seen[pixel] = {static_cast<float>(wa * rest_a.x + wb * rest_b.x + wc * rest_c.x),
                       static_cast<float>(wa * rest_a.y + wb * rest_b.y + wc * rest_c.y),
                       static_cast<float>(wa * a.moved_x + wb * b.moved_x + wc * c.moved_x),
                       static_cast<float>(wa * a.moved_y + wb * b.moved_y + wc * c.moved_y), true};
      }
    }
  };
  for (std::size_t j = 0; j + 1 < rows; ++j) {
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const std::size_t v = j * columns + i;
      draw(v, v + 1, v + columns);
      draw(v + columns + 1, v + 1, v + columns);
    }
  }
  return seen;
}

}  // namespace triptych::aam_fit::face
