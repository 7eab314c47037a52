#include <triptych/capsule_likelihood/scene.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Along one axis: where all but a few of the points lie.
struct Range {
  double low = 0, middle = 0, high = 0;
  double length() const { return high - low; }
};

// rim: the share of the points that is left out at either end.
Range range_of(std::vector<float> values, double rim = 0.02) {
  const auto at = [&](double share) {
    const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, values.begin() + k);
    return double{values[static_cast<std::size_t>(k)]};
  };
  return {at(rim), at(0.5), at(1 - rim)};
}

std::array<Range, 3> ranges_of(std::span<const Vec3> points) {
  std::array<std::vector<float>, 3> values;
  for (const Vec3& p : points) {
    values[0].push_back(p.x);
    values[1].push_back(p.y);
    values[2].push_back(p.z);
  }
  return {range_of(values[0]), range_of(values[1]), range_of(values[2])};
}

// A person is 1.4 to 2.1 m tall, and rooms are up to 8 m long.
double unit_of(double longest) {
  if (longest < 30) return 1;
  return longest < 800 ? 0.01 : 0.001;
}

double component(const Vec3& v, int axis) {
  return axis == 0 ? double{v.x} : axis == 1 ? double{v.y} : double{v.z};
}

// The direction of the axis (+1 or -1) in which the points lie from a plane across it: almost all of them on
// one side; 0 when they lie on both or the plane is across another axis.
int side_of_points(const Plane& plane, std::span<const Vec3> points, int axis) {
  const double along = component(plane.normal, axis);
  for (int other = 1; other < 3; ++other) {
    if (std::abs(component(plane.normal, other)) > std::abs(along)) return 0;
  }
  if (std::abs(along) < 0.7) return 0;
  std::int64_t before = 0, behind = 0;
  for (const Vec3& p : points) {
    const double away = double{plane.normal.x} * double{p.x} + double{plane.normal.y} * double{p.y} +
                        double{plane.normal.z} * double{p.z} - double{plane.distance_m};
    (away > 0 ? before : behind) += std::abs(away) > 0.1 ? 1 : 0;
  }
  const double all = static_cast<double>(before + behind);
  if (static_cast<double>(before) > 0.9 * all) return along > 0 ? 1 : -1;
  if (static_cast<double>(behind) > 0.9 * all) return along > 0 ? -1 : 1;
  return 0;
}

// How wide what stands in the cloud is between two heights.
double width(std::span<const Vec3> points, double low, double high) {
  std::vector<float> x, z;
  for (const Vec3& p : points) {
    if (double{p.y} < low || double{p.y} > high) continue;
    x.push_back(p.x);
    z.push_back(p.z);
  }
  return x.size() < 5 ? 0 : length(range_of(x, 0.1).length(), range_of(z, 0.1).length());
}

// More of a person is above its middle than below, and its feet take up more room than its head.
bool is_upright(std::span<const Vec3> person, const Range& y) {
  const double height = y.length(), end = 0.1 * height;
  if (!(height > 0)) return true;
  const double above = (y.middle - (y.low + y.high) / 2) / height;
  const double feet =
      (width(person, y.low - end, y.low + end) - width(person, y.high - end, y.high + end)) / height;
  return above + feet >= 0;
}

}  // namespace

std::string to_string(CloudAxes axes) {
  switch (axes) {
    case CloudAxes::y_up:
      return "y up";
    case CloudAxes::y_down:
      return "y down";
    default:
      return "z up";
  }
}

CloudConvention guess_convention(std::span<const Vec3> points) {
  std::vector<Vec3> cloud;
  std::ranges::copy_if(points, std::back_inserter(cloud), is_finite);
  require(cloud.size() >= 50, "the unit and the axes of a cloud cannot be guessed from ", cloud.size(),
          " points");
  std::array<Range, 3> ranges = ranges_of(cloud);
  CloudConvention guess;
  guess.metres_per_unit = unit_of(std::max({ranges[0].length(), ranges[1].length(), ranges[2].length()}));
  const double x = ranges[0].middle, y_middle = ranges[1].middle;
  guess.quarter_turns = std::abs(x) > std::abs(y_middle) ? (x > 0 ? 3 : 1) : (y_middle < 0 ? 2 : 0);
  for (Vec3& p : cloud) {
    for (float* const c : {&p.x, &p.y, &p.z}) *c = static_cast<float>(double{*c} * guess.metres_per_unit);
  }
  const WithoutPlanes rest = remove_planes(cloud);
  // The floor has the points above it. A wall has them before it, on the side of the camera: no wall has them
  // farther along z, but where z is up a wall may look like a floor of y.
  int y = 0, z = 0;
  for (const Plane& plane : rest.planes) {
    if (y == 0) y = side_of_points(plane, cloud, 1);
    if (z <= 0) z = side_of_points(plane, cloud, 2);
  }
  if (y != 0 || z > 0) {
    guess.axes = z > 0 ? CloudAxes::z_up : y > 0 ? CloudAxes::y_up : CloudAxes::y_down;
    guess.axes_from = "the floor";
    return guess;
  }
  const std::vector<Vec3> person = choose_person(rest.points.size() >= 50 ? rest.points : cloud);
  ranges = ranges_of(person);
  if (ranges[2].length() > ranges[1].length()) {
    guess.axes = CloudAxes::z_up;
    guess.axes_from = "the longest side of what stands in it";
    return guess;
  }
  guess.axes = is_upright(person, ranges[1]) ? CloudAxes::y_up : CloudAxes::y_down;
  guess.axes_from = "the shape of what stands in it";
  return guess;
}

std::vector<Vec3> to_camera_frame(std::span<const Vec3> points, const CloudConvention& convention) {
  require(convention.metres_per_unit > 0 && std::isfinite(convention.metres_per_unit),
          "metres_per_unit must be above 0, not ", convention.metres_per_unit);
  constexpr float cosines[] = {1, 0, -1, 0};
  const auto turns = static_cast<unsigned>(convention.quarter_turns) % 4u;
  const float c = cosines[turns], s = cosines[(turns + 3) % 4];  // forward is (-s, c), right is (c, s)
  const auto unit = static_cast<float>(convention.metres_per_unit);
  std::vector<Vec3> moved;
  moved.reserve(points.size());
  for (const Vec3& p : points) {
    const Vec3 q = {p.x * unit, p.y * unit, p.z * unit};
    switch (convention.axes) {
      case CloudAxes::y_up:
        moved.push_back(q);
        break;
      case CloudAxes::y_down:
        moved.push_back({q.x, -q.y, q.z});
        break;
      default:
        moved.push_back({c * q.x + s * q.y, q.z, c * q.y - s * q.x});
    }
  }
  return moved;
}

}  // namespace triptych::capsule_likelihood
