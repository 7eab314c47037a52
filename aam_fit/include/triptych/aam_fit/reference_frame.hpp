// The reference frame: the mean shape, or patches around its landmarks, as a raster of pixels, each with the
// triangle and the weights by which it follows the landmarks.
#pragma once

#include <triptych/aam_fit/shape.hpp>
#include <triptych/aam_fit/triangulation.hpp>
#include <triptych/core/shared_array.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace triptych::aam_fit {

// Where pixel i of the frame lies in an image: a S[corners[0]] + b S[corners[1]] + (1 - a - b) S[corners[2]].
// Corners repeat no vertex. Pixels of the margin have weights outside 0..1; their corners are two neighbours
// on the outline and one landmark in the middle (where there is one), which keeps those weights small.
struct WarpPixel {
  std::uint16_t corners[3];
  std::uint16_t spare = 0;
  float a, b;
  friend bool operator==(const WarpPixel&, const WarpPixel&) = default;
};

struct ReferenceFrame {
  int width = 0, height = 0;                 // of the raster
  SharedArray<std::int32_t> raster_indices;  // y * width + x of each pixel, ascending
  SharedArray<WarpPixel> pixels;             // as many
  double scale = 1;                          // the mean shape's units times this are pixels of the raster
  std::int64_t size() const { return pixels.size(); }
};

constexpr std::int64_t min_frame_pixels = 16, max_frame_pixels = std::int64_t{1} << 22;

struct FrameOptions {
  std::int64_t pixels =
      4096;           // exact: the scale is searched, and pixels too many are cut off in raster order
  double margin = 0;  // around the outline, as a share of the square root of the shape's box
};

// shape: the mean shape, in any unit. Degenerate triangles are dropped. InvalidArgument when a point is not
// finite, the triangles have no area or name points that there are not, pixels is not in min_frame_pixels ..
// max_frame_pixels, or the raster would have a side above 2^15 or more than 2^26 places (triangles much
// smaller than the shape's box).
ReferenceFrame make_reference_frame(std::span<const Point> shape, std::span<const Triangle> triangles,
                                    const FrameOptions& options);

struct PatchOptions {
  int samples = 4;     // of a patch's side, 1 to 64
  double size = 0.12;  // of a patch's side, in face sizes, above 0 to 1
};

// A square patch around each landmark. Each follows its landmark and the two with which that one spans the
// largest triangle: it moves with its landmark, and turns and scales with the face. In the raster the patches
// lie side by side, one place apart. InvalidArgument when a point is not finite, there are fewer than three,
// all lie on a line, or an option is out of range.
ReferenceFrame make_patch_frame(std::span<const Point> shape, const PatchOptions& options);

}  // namespace triptych::aam_fit
