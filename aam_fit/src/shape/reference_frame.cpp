// The raster of the mean shape: which pixels it has, and how each follows the landmarks.
#include <triptych/aam_fit/reference_frame.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "shape/hull.hpp"

namespace triptych::aam_fit {
namespace {

double cross(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

double squared_distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double along =
      length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0.0;
  const double x = p.x - a.x - along * dx, y = p.y - a.y - along * dy;
  return x * x + y * y;
}

// Weights of the three corners at p; the third is what is left of 1.
WarpPixel weigh(Point p, const Triangle& corners, std::span<const Point> shape) {
  const Point a = shape[static_cast<std::size_t>(corners[0])],
              b = shape[static_cast<std::size_t>(corners[1])],
              c = shape[static_cast<std::size_t>(corners[2])];
  const double area = cross(a, b, c);
  WarpPixel pixel{};
  for (std::size_t i = 0; i < 3; ++i) pixel.corners[i] = static_cast<std::uint16_t>(corners[i]);
  pixel.a = static_cast<float>(cross(p, b, c) / area);
  pixel.b = static_cast<float>(cross(a, p, c) / area);
  return pixel;
}

// A shape with its triangles, ready to be drawn at any scale.
class Outline {
 public:
  Outline(std::span<const Point> shape, std::span<const Triangle> triangles, double margin)
      : shape_(shape), box_(bounds(shape)), margin_(margin * face_size(shape)) {
    require(std::isfinite(box_.x + box_.width + margin_) && std::isfinite(box_.y + box_.height),
            "a reference frame needs a shape whose points are finite");
    const double least = 1e-9 * box_.width * box_.height;
    triangles_.reserve(triangles.size());
    for (const Triangle& t : triangles)
      if (std::abs(cross(at(t[0]), at(t[1]), at(t[2]))) > least) triangles_.push_back(t);
    require(!triangles_.empty(), "a reference frame needs triangles with an area, and these ",
            triangles.size(), " have none");
    find_border();
    find_fan();
  }

  double area() const {
    double sum = 0;
    for (const Triangle& t : triangles_) sum += std::abs(cross(at(t[0]), at(t[1]), at(t[2]))) / 2;
    return sum;
  }

  // The owners of a raster's pixels at a scale: a triangle, in_margin, or nowhere.
  static constexpr int nowhere = -1, in_margin = -2;
  static constexpr double max_side = 1 << 15, max_places = 1 << 26;
  struct Raster {
    int width = 0, height = 0;
    std::vector<std::int32_t> owner;
    std::int64_t count = 0;
  };
  void draw(double scale, Raster& raster) const {
    const double width = std::ceil((box_.width + 2 * margin_) * scale) + 1,
                 height = std::ceil((box_.height + 2 * margin_) * scale) + 1;
    require(width <= max_side && height <= max_side && width * height <= max_places, "a reference frame of ",
            width, " x ", height, " pixels is too large: the triangles cover too little of the shape's box");
    raster.width = static_cast<int>(width);
    raster.height = static_cast<int>(height);
    raster.owner.assign(static_cast<std::size_t>(raster.width) * static_cast<std::size_t>(raster.height),
                        nowhere);
    raster.count = 0;
    for (std::size_t i = 0; i < triangles_.size(); ++i) draw_triangle(static_cast<int>(i), scale, raster);
    if (margin_ > 0) draw_margin(scale, raster);
  }

  // The shape's place of a pixel's centre.
  Point place_of(int x, int y, double scale) const {
    return {box_.x - margin_ + (x + 0.5) / scale, box_.y - margin_ + (y + 0.5) / scale};
  }

  WarpPixel pixel(int owner, Point p) const {
    return weigh(p, owner == in_margin ? margin_triangle(p) : triangles_[static_cast<std::size_t>(owner)],
                 shape_);
  }

 private:
  Point at(int landmark) const { return shape_[static_cast<std::size_t>(landmark)]; }

  // Edges with a triangle on one side only: outside of the triangles the nearest point lies on one of them.
  void find_border() {
    std::vector<std::array<int, 2>> edges;
    edges.reserve(3 * triangles_.size());
    for (const Triangle& t : triangles_)
      for (std::size_t i = 0; i < 3; ++i)
        edges.push_back({std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3])});
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i < edges.size();) {
      std::size_t end = i + 1;
      while (end < edges.size() && edges[end] == edges[i]) ++end;
      if (end == i + 1) border_.insert(border_.end(), edges[i]);
      i = end;
    }
  }

  // The margin follows a fan around the landmark in the middle: triangles of two neighbours on the hull and
  // that one. Their weights stay near 0..1 however thin the triangles along the outline are.
  void find_fan() {
    hull_ = convex_hull(shape_, triangles_);
    const Point middle{box_.x + box_.width / 2, box_.y + box_.height / 2};
    const double deep = 0.1 * std::min(box_.width, box_.height);
    double nearest = std::numeric_limits<double>::infinity();
    for (const Triangle& t : triangles_)
      for (const int corner : t) {
        const Point p = at(corner);
        double depth = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < hull_.size(); ++i)
          depth = std::min(depth,
                           squared_distance_to_segment(p, at(hull_[i]), at(hull_[(i + 1) % hull_.size()])));
        const double away = length(p.x - middle.x, p.y - middle.y);
        if (depth > deep * deep && away < nearest) {
          nearest = away;
          hub_ = corner;
        }
      }
  }

  Triangle margin_triangle(Point p) const {
    if (hub_ < 0) return nearest_triangle(p);
    for (std::size_t i = 0; i < hull_.size(); ++i) {
      const int a = hull_[i], b = hull_[(i + 1) % hull_.size()];
      if (cross(at(hub_), at(a), p) >= 0 && cross(at(hub_), at(b), p) <= 0 &&
          cross(at(hub_), at(a), at(b)) > 0)
        return {a, b, hub_};
    }
    return nearest_triangle(p);
  }

  // Shapes without a landmark in the middle: of the triangles on the border, the nearest.
  Triangle nearest_triangle(Point p) const {
    double nearest = std::numeric_limits<double>::infinity();
    Triangle best = triangles_.front();
    for (const Triangle& t : triangles_)
      for (std::size_t i = 0; i < 3; ++i) {
        const double away = squared_distance_to_segment(p, at(t[i]), at(t[(i + 1) % 3]));
        if (away < nearest) {
          nearest = away;
          best = t;
        }
      }
    return best;
  }

  void draw_triangle(int index, double scale, Raster& raster) const {
    const Triangle& t = triangles_[static_cast<std::size_t>(index)];
    const auto to_raster = [&](int landmark) {
      const Point p = at(landmark);
      return Point{(p.x - box_.x + margin_) * scale - 0.5, (p.y - box_.y + margin_) * scale - 0.5};
    };
    const Point a = to_raster(t[0]), b = to_raster(t[1]), c = to_raster(t[2]);
    const double area = cross(a, b, c);
    const int top = std::max(0, static_cast<int>(std::floor(std::min({a.y, b.y, c.y}))));
    const int bottom = std::min(raster.height - 1, static_cast<int>(std::ceil(std::max({a.y, b.y, c.y}))));
    const int left = std::max(0, static_cast<int>(std::floor(std::min({a.x, b.x, c.x}))));
    const int right = std::min(raster.width - 1, static_cast<int>(std::ceil(std::max({a.x, b.x, c.x}))));
    constexpr double on_edge = -1e-9;  // pixels on an edge belong to the first triangle that has it
    for (int y = top; y <= bottom; ++y)
      for (int x = left; x <= right; ++x) {
        std::int32_t& owner =
            raster.owner[static_cast<std::size_t>(y) * static_cast<std::size_t>(raster.width) +
                         static_cast<std::size_t>(x)];
        if (owner != nowhere) continue;
        const Point p{static_cast<double>(x), static_cast<double>(y)};
        const double u = cross(p, b, c) / area, v = cross(a, p, c) / area;
        if (u < on_edge || v < on_edge || 1 - u - v < on_edge) continue;
        owner = index;
        ++raster.count;
      }
  }

  void draw_margin(double scale, Raster& raster) const {
    std::size_t i = 0;
    for (int y = 0; y < raster.height; ++y)
      for (int x = 0; x < raster.width; ++x, ++i) {
        if (raster.owner[i] != nowhere) continue;
        const Point p = place_of(x, y, scale);
        const bool near = std::any_of(border_.begin(), border_.end(), [&](const std::array<int, 2>& edge) {
          return squared_distance_to_segment(p, at(edge[0]), at(edge[1])) <= margin_ * margin_;
        });
        if (!near) continue;
        raster.owner[i] = in_margin;
        ++raster.count;
      }
  }

  std::span<const Point> shape_;
  Box box_;
  double margin_;
  std::vector<Triangle> triangles_;
  std::vector<std::array<int, 2>> border_;
  std::vector<int> hull_;
  int hub_ = -1;
};

// The least scale, to the last bits worth searching, that has enough pixels.
double search_scale(const Outline& outline, std::int64_t pixels, Outline::Raster& raster) {
  const auto enough = [&](double scale) {
    outline.draw(scale, raster);
    return raster.count >= pixels;
  };
  double high = std::sqrt(static_cast<double>(pixels) / outline.area()), low = high;
  while (!enough(high)) high *= 1.05;
  while (enough(low)) low /= 1.05;
  for (int i = 0; i < 30 && high - low > 1e-9 * high; ++i) {
    const double middle = (low + high) / 2;
    if (enough(middle)) {
      high = middle;
      if (raster.count == pixels) break;
    } else {
      low = middle;
    }
  }
  enough(high);
  return high;
}

}  // namespace

ReferenceFrame make_reference_frame(std::span<const Point> shape, std::span<const Triangle> triangles,
                                    const FrameOptions& options) {
  require(options.pixels >= min_frame_pixels && options.pixels <= max_frame_pixels, "a reference frame has ",
          min_frame_pixels, " to ", max_frame_pixels, " pixels, not ", options.pixels);
  require(options.margin >= 0 && options.margin <= 1, "a margin of ", options.margin,
          " of the shape's size is not in 0..1");
  require(shape.size() <= std::numeric_limits<std::uint16_t>::max(), "a shape of ", shape.size(),
          " landmarks is too large");
  check_triangles(triangles, static_cast<int>(shape.size()));
  const Outline outline(shape, triangles, options.margin);

  Outline::Raster raster;
  ReferenceFrame frame;
  frame.scale = search_scale(outline, options.pixels, raster);
  std::vector<std::int32_t> places;
  std::vector<WarpPixel> pixels;
  places.reserve(static_cast<std::size_t>(options.pixels));
  pixels.reserve(static_cast<std::size_t>(options.pixels));
  std::int32_t place = 0;
  for (int y = 0; y < raster.height; ++y)
    for (int x = 0; x < raster.width; ++x, ++place) {
      const int owner = raster.owner[static_cast<std::size_t>(place)];
      if (owner == Outline::nowhere || static_cast<std::int64_t>(pixels.size()) == options.pixels) continue;
      places.push_back(place);
      pixels.push_back(outline.pixel(owner, outline.place_of(x, y, frame.scale)));
    }
  frame.width = raster.width;
  frame.height = raster.height;
  frame.raster_indices = std::move(places);
  frame.pixels = std::move(pixels);
  return frame;
}

namespace {

// The landmarks that lie farthest in each of 16 directions.
std::vector<int> farthest_landmarks(std::span<const Point> shape) {
  std::vector<int> found;
  for (int k = 0; k < 16; ++k) {
    const double x = std::cos(k * std::numbers::pi / 8), y = std::sin(k * std::numbers::pi / 8);
    const auto far = std::max_element(shape.begin(), shape.end(), [&](const Point& a, const Point& b) {
      return a.x * x + a.y * y < b.x * x + b.y * y;
    });
    const int index = static_cast<int>(far - shape.begin());
    if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
  }
  return found;
}

// Of a landmark and two of the others: the largest.
Triangle largest_triangle(std::span<const Point> shape, int landmark, std::span<const int> others) {
  const auto at = [&](int i) { return shape[static_cast<std::size_t>(i)]; };
  Triangle best = {landmark, landmark, landmark};
  double largest = 0;
  for (const int i : others)
    for (const int j : others) {
      const double area = cross(at(landmark), at(i), at(j));
      if (area <= largest) continue;
      largest = area;
      best = {landmark, i, j};
    }
  return best;
}

}  // namespace

ReferenceFrame make_patch_frame(std::span<const Point> shape, const PatchOptions& options) {
  const int side = options.samples;
  require(side >= 1 && side <= 64, "a patch has 1 to 64 samples to a side, not ", side);
  require(options.size > 0 && options.size <= 1, "a patch of ", options.size,
          " face sizes is not above 0 and at most 1");
  require(shape.size() <= std::numeric_limits<std::uint16_t>::max() &&
              static_cast<std::int64_t>(shape.size()) * side * side <= max_frame_pixels,
          "patches of ", shape.size(), " landmarks with ", side, " x ", side,
          " samples each are too many samples");
  const Box box = bounds(shape);
  require(std::isfinite(box.x + box.width) && std::isfinite(box.y + box.height),
          "patches need a shape whose points are finite");
  const std::vector<int> others = farthest_landmarks(shape);
  std::vector<Triangle> triangles;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    triangles.push_back(largest_triangle(shape, static_cast<int>(i), others));
    require(triangles.back()[1] != triangles.back()[2],
            "patches need three landmarks or more that do not lie on a line");
  }

  // Rows of patches, as many as columns, or one fewer.
  const int count = static_cast<int>(shape.size());
  const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
  ReferenceFrame frame;
  frame.width = columns * (side + 1) - 1;
  frame.height = (count + columns - 1) / columns * (side + 1) - 1;
  frame.scale = side / (options.size * face_size(shape));
  std::vector<std::int32_t> places;
  std::vector<WarpPixel> pixels;
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x) {
      const int landmark = y / (side + 1) * columns + x / (side + 1), u = x % (side + 1), v = y % (side + 1);
      if (landmark >= count || u == side || v == side) continue;
      const Point middle = shape[static_cast<std::size_t>(landmark)];
      const Point p{middle.x + (u - (side - 1) / 2.0) / frame.scale,
                    middle.y + (v - (side - 1) / 2.0) / frame.scale};
      places.push_back(y * frame.width + x);
      pixels.push_back(weigh(p, triangles[static_cast<std::size_t>(landmark)], shape));
    }
  frame.raster_indices = std::move(places);
  frame.pixels = std::move(pixels);
  return frame;
}

}  // namespace triptych::aam_fit
