// Clouds as they come: the unit and the axes guessed, floor and walls removed, a person chosen among the
// rest.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace triptych::capsule_likelihood {

// Where the axes of a cloud point. The filter wants y_up.
enum class CloudAxes {
  y_up,    // x right, y up, z forward
  y_down,  // x right, y down, z forward, as the columns and rows of images
  z_up,    // z up, as of robots and laser scanners; forward is x or y, see quarter_turns
};
std::string to_string(CloudAxes axes);

struct CloudConvention {
  double metres_per_unit = 1;  // 1, 0.01 or 0.001
  CloudAxes axes = CloudAxes::y_up;
  // Of z_up: from +y to forward, anticlockwise seen from above; 0: y is forward and x right, 3: x is forward.
  int quarter_turns = 0;
  // "the floor", "the length of the cloud" ...: what the axes follow from.
  std::string axes_from = {};
};

// For a cloud of a standing person, 1.4 to 2.1 m tall, alone or in a room, in metres, centimetres or
// millimetres. The unit follows from the extent of the cloud (rooms up to 8 m), the axes from the floor when
// there is one, else from the longest side, and from the shape of a person: more of it is above its middle
// than below, and its feet are wider than its head. Forward, where z is up, is where the middle of the points
// is. Points that are not finite are left out. InvalidArgument when fewer than 50 remain.
CloudConvention guess_convention(std::span<const Vec3> points);

// The cloud in metres, with the axes of the camera's frame: x right, y up, z forward. InvalidArgument when
// the unit is not above 0.
std::vector<Vec3> to_camera_frame(std::span<const Vec3> points, const CloudConvention& convention);

// The points p with normal . p = distance_m; the camera (the origin) is on the side where the normal points.
struct Plane {
  Vec3 normal;
  float distance_m = 0;
  std::int64_t points = 0;  // that lie on it
};

struct PlaneOptions {
  int max_planes = 4;         // 0 to 64
  float tolerance_m = 0.03f;  // of a point's distance from the plane; less where the plane is sharper
  float min_area_m2 = 1.5f;   // seen by points: a person has less
  double min_share = 0.05;    // of the points
  std::uint64_t seed = 1;
};
struct WithoutPlanes {
  std::vector<Vec3> points;  // the rest, in the order of the cloud
  std::vector<Plane> planes;
};
// Floor, walls and other large planes removed: RANSAC on at most 4096 of the points with counted random
// numbers, then least squares. The same seed gives the same bits. Points that are not finite are removed,
// too. InvalidArgument when an option is out of range.
WithoutPlanes remove_planes(std::span<const Vec3> points, const PlaneOptions& options = {});

struct PersonOptions {
  float gap_m = 0.1f;  // parts farther apart than twice this are different things; 0.01 to 1
  // The thing nearest to this position (by its middle) is the person; none: the one of the most points.
  std::optional<Vec3> near = {};
  bool any_depth = false;   // nearest by x and y alone
  double min_share = 0.05;  // of the points: smaller things are no candidates
};
// The points of one thing in a cloud (y up), in their order: connected by neighbouring cells of gap_m, with
// the parts above and below it whose middle is within 0.5 m in x and z, since shoes and hair often give no
// points. All finite points when none has the share. InvalidArgument when an option is out of range.
std::vector<Vec3> choose_person(std::span<const Vec3> points, const PersonOptions& options = {});

}  // namespace triptych::capsule_likelihood
