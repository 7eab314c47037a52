// Clouds of points: from depth images, from disparity, from files. Points that cannot be used are dropped and
// counted.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/image_view.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::capsule_likelihood {

// Points farther than this along an axis are dropped: most often their unit is not the one that was given.
inline constexpr float max_coordinate_m = 1000;

struct Cloud {
  std::vector<Vec3> points;  // metres
  std::int64_t dropped = 0;  // had no measurement, or one that is not finite or out of range
  std::int64_t too_far = 0;  // of these: a coordinate is beyond max_coordinate_m
};

// The direction of y of the points; the rows of images go down.
enum class VerticalAxis { up, down };

// A pinhole camera, in pixels; the centre of the first pixel is (0, 0). Focal lengths: 0.001 to 10^9; the
// centre: within 10^9.
struct Intrinsics {
  double fx = 0, fy = 0, cx = 0, cy = 0;
};

struct DepthOptions {
  double metres_per_unit = 0.001;
  float nearest_m = 0, farthest_m = std::numeric_limits<float>::infinity();  // from 0 on, in that order
  VerticalAxis y = VerticalAxis::up;
  int step = 1;  // takes every step-th column and row
};

// A point for each pixel of an image of distances along z; 0 is no measurement. Row by row. InvalidArgument
// when the camera or an option is out of range.
Cloud cloud_from_depth(ImageView<const std::uint16_t> depth, const Intrinsics& camera,
                       const DepthOptions& options = {});

// A pair of cameras, rectified: z = baseline_m * fx / (disparity + offset_px).
struct StereoCalibration {
  Intrinsics left;
  double offset_px = 0;  // difference of the cameras' cx
  double baseline_m = 0;
  int width = 0, height = 0;  // 0: not given
};

// calib.txt of the Middlebury stereo data (version 3): cam0 and cam1 as matrices, doffs, baseline in
// millimetres, other entries are ignored. Without doffs it follows from cam1. ParseError with the line
// and the reason.
StereoCalibration parse_calibration(std::string_view text, const std::string& file);
StereoCalibration read_calibration(const std::filesystem::path& path);

// metres_per_unit is not used. A disparity that is not finite, or not above 0 with its offset, is dropped.
Cloud cloud_from_disparity(ImageView<const float> disparity, const StereoCalibration& calibration,
                           const DepthOptions& options = {});

// Points from a PLY file (ascii or binary, either byte order; the x, y, z of its vertices, other properties
// and elements are ignored) or from text (x y z and anything more in each line, separated by spaces, tabs,
// commas or semicolons; lines that begin with # or // are comments). ParseError with the line and the reason;
// in binary data the position is the number of the point. Coordinates are multiplied by metres_per_unit.
Cloud parse_cloud(std::string_view bytes, const std::string& file, double metres_per_unit = 1);
Cloud read_cloud(const std::filesystem::path& path, double metres_per_unit = 1);

// Binary, little endian. Replaces the file atomically.
void write_ply(const std::filesystem::path& path, std::span<const Vec3> points);

// At most count of the points, in their order: one at random from each of count equal runs, which keeps their
// distribution over the list. The same seed gives the same points.
std::vector<Vec3> subsample(std::span<const Vec3> points, std::int64_t count, std::uint64_t seed = 1);

}  // namespace triptych::capsule_likelihood
