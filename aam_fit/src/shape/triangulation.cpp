// Delaunay triangles over landmarks, with exact predicates on a grid far finer than the landmarks are known:
// a sweep makes triangles, flips make them Delaunay. Exactness is what lets both end whatever the points.
#include <triptych/aam_fit/triangulation.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace triptych::aam_fit {
namespace {

constexpr double grid_cells = 1 << 20;  // over the shape's longer side
constexpr double coincident = 1e-3;     // of the same side: nearer points are one
constexpr double flat_cells = 8;        // triangles lower than this come of the grid's rounding alone

__extension__ using Wide = __int128;

struct Node {
  std::int64_t x, y;
  int landmark;
};

// Above 0 when a, b, c turn from +x towards +y: twice the area.
std::int64_t twice_area(const Node& a, const Node& b, const Node& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// d lies inside the circle through a, b, c, which turn positively. Sides of 2^21 at most make 2^86 at most.
bool inside_circle(const Node& a, const Node& b, const Node& c, const Node& d) {
  const std::int64_t ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x,
                     cy = c.y - d.y;
  const Wide sum = static_cast<Wide>(ax * ax + ay * ay) * (bx * cy - by * cx) -
                   static_cast<Wide>(bx * bx + by * by) * (ax * cy - ay * cx) +
                   static_cast<Wide>(cx * cx + cy * cy) * (ax * by - ay * bx);
  return sum > 0;
}

std::vector<Node> distinct_nodes(std::span<const Point> points) {
  require(points.size() >= 3, "triangles need three points or more, not ", points.size());
  require(std::all_of(points.begin(), points.end(),
                      [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }),
          "cannot triangulate points that are not finite");
  const Box box = bounds(points);
  const double side = std::max(box.width, box.height);
  require(std::isfinite(side), "cannot triangulate points whose distances are not finite");
  std::vector<Node> nodes;
  std::vector<Point> kept;
  nodes.reserve(points.size());
  kept.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point p = points[i];
    const bool taken = std::any_of(
        kept.begin(), kept.end(), [&](Point q) { return length(p.x - q.x, p.y - q.y) <= coincident * side; });
    if (taken) continue;
    kept.push_back(p);
    const double cells = side > 0 ? grid_cells / side : 0;
    nodes.push_back(
        {std::llround((p.x - box.x) * cells), std::llround((p.y - box.y) * cells), static_cast<int>(i)});
  }
  require(nodes.size() >= 3, "triangles need three distinct points, and of these ", points.size(), " only ",
          nodes.size(), " are");
  std::sort(nodes.begin(), nodes.end(),
            [](const Node& a, const Node& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  return nodes;
}

// Triangles of nodes, and for each directed edge the triangle on its positive side.
class Mesh {
 public:
  explicit Mesh(const std::vector<Node>& nodes) : nodes_(nodes) {}

  void add(int a, int b, int c) {
    triangles_.push_back({a, b, c});
    own(static_cast<int>(triangles_.size()) - 1);
  }

  // Each node joins those edges of the hull that it sees. In their order no node lies within the hull of
  // those before it.
  void sweep() {
    const int count = static_cast<int>(nodes_.size());
    int apex = 2;
    while (apex < count && twice_area(node(0), node(1), node(apex)) == 0) ++apex;
    require(apex < count, "cannot triangulate points that all lie on a line");
    const bool positive = twice_area(node(0), node(1), node(apex)) > 0;
    std::vector<int> hull;  // turning positively
    hull.reserve(nodes_.size());
    for (int i = 0; i < apex; ++i) hull.push_back(positive ? i : apex - 1 - i);
    for (int i = 0; i + 1 < apex; ++i)
      add(hull[static_cast<std::size_t>(i)], hull[static_cast<std::size_t>(i) + 1], apex);
    hull.push_back(apex);
    for (int p = apex + 1; p < count; ++p) extend(hull, p);
  }

  // Flips edges whose triangles' circles hold the other's corner, until there is none.
  void flip() {
    std::vector<std::array<int, 2>> edges;
    edges.reserve(3 * triangles_.size());
    for (const Triangle& t : triangles_)
      for (std::size_t i = 0; i < 3; ++i) edges.push_back({t[i], t[(i + 1) % 3]});
    while (!edges.empty()) {
      const auto [u, v] = edges.back();
      edges.pop_back();
      const auto left = owner_.find(key(u, v)), right = owner_.find(key(v, u));
      if (left == owner_.end() || right == owner_.end()) continue;
      const int one = left->second, two = right->second, w = opposite(one, u, v), x = opposite(two, v, u);
      if (!inside_circle(node(u), node(v), node(w), node(x))) continue;
      owner_.erase(left);
      owner_.erase(right);
      triangles_[static_cast<std::size_t>(one)] = {x, v, w};
      triangles_[static_cast<std::size_t>(two)] = {u, x, w};
      own(one);
      own(two);
      edges.insert(edges.end(), {{x, v}, {v, w}, {w, u}, {u, x}});
    }
  }

  // Of landmarks; area_sign round, since y goes down. Without those that are flat.
  std::vector<Triangle> landmarks() const {
    std::vector<Triangle> result;
    result.reserve(triangles_.size());
    for (const Triangle& t : triangles_)
      if (height(t) > flat_cells)
        result.push_back({node(t[0]).landmark, node(t[2]).landmark, node(t[1]).landmark});
    require(!result.empty(), "cannot triangulate points that all lie on a line");
    return result;
  }

 private:
  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  std::int64_t key(int u, int v) const {
    return static_cast<std::int64_t>(u) * static_cast<std::int64_t>(nodes_.size()) + v;
  }
  void own(int triangle) {
    const Triangle& t = triangles_[static_cast<std::size_t>(triangle)];
    for (std::size_t i = 0; i < 3; ++i) owner_[key(t[i], t[(i + 1) % 3])] = triangle;
  }
  int opposite(int triangle, int u, int v) const {
    const Triangle& t = triangles_[static_cast<std::size_t>(triangle)];
    return t[0] + t[1] + t[2] - u - v;
  }

  // Over the longest side.
  double height(const Triangle& t) const {
    const auto side = [&](int a, int b) {
      return length(static_cast<double>(node(a).x - node(b).x), static_cast<double>(node(a).y - node(b).y));
    };
    return static_cast<double>(twice_area(node(t[0]), node(t[1]), node(t[2]))) /
           std::max({side(t[0], t[1]), side(t[1], t[2]), side(t[2], t[0])});
  }

  void extend(std::vector<int>& hull, int p) {
    const std::size_t count = hull.size();
    const auto visible = [&](std::size_t i) {
      return twice_area(node(hull[i % count]), node(hull[(i + 1) % count]), node(p)) < 0;
    };
    // The edges that p sees follow each other: turn the hull so that they come first.
    std::size_t first = 0;
    while (!visible(first)) ++first;
    if (first == 0)
      while (visible(first + count - 1)) first += count - 1;
    std::rotate(hull.begin(), hull.begin() + static_cast<std::ptrdiff_t>(first % count), hull.end());
    std::size_t seen = 0;
    for (; visible(seen); ++seen) add(hull[(seen + 1) % count], hull[seen], p);
    hull.erase(hull.begin() + 1, hull.begin() + static_cast<std::ptrdiff_t>(seen));
    hull.insert(hull.begin() + 1, p);
  }

  const std::vector<Node>& nodes_;
  std::vector<Triangle> triangles_;
  std::unordered_map<std::int64_t, int> owner_;
};

}  // namespace

std::vector<Triangle> triangulate(std::span<const Point> points) {
  const std::vector<Node> nodes = distinct_nodes(points);
  Mesh mesh(nodes);
  mesh.sweep();
  mesh.flip();
  return mesh.landmarks();
}

void check_triangles(std::span<const Triangle> triangles, int points) {
  for (const Triangle& t : triangles) {
    for (const int corner : t)
      require(corner >= 0 && corner < points, "a triangle names landmark ", corner, " of only ", points);
    require(t[0] != t[1] && t[1] != t[2] && t[2] != t[0], "the triangle ", t[0], ", ", t[1], ", ", t[2],
            " names a landmark twice");
  }
}

}  // namespace triptych::aam_fit
