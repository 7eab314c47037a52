// From a frame to the planes that a level samples: the neighbourhood of the start, scaled so that the face
// has the level's size, then its features.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

namespace triptych::aam_fit {

// A crop of a frame: its pixel (x, y) is the frame's pixel (x * step + x_px, y * step + y_px). Not rotated.
struct Crop {
  int width = 0, height = 0;
  double step = 1, x_px = 0, y_px = 0;
  friend bool operator==(const Crop&, const Crop&) = default;
};
Point to_frame(const Crop& crop, Point in_crop);
Point to_crop(const Crop& crop, Point in_frame);

// The crop for a level around a start, with a margin on each side (in face sizes), rounded up to even sizes.
// Its size depends on the level and the margin alone, so that buffers can be made once. InvalidArgument when
// the start has another number of points than the level, is not finite or shrinks to a point, or when the
// crop has a side above 2^14 pixels or an area above 2^25.
Crop crop_for(const Level& level, std::span<const Point> start, double margin = 0.5);

// Fills planes (resized) for a crop: box-filtered where the frame is shrunk, bilinear where it is enlarged;
// beyond the border the border repeats. InvalidArgument when the frame or the crop is empty, the crop is
// larger than crop_for() makes it, covers more than 32 times the frame's longer side, or lies 2^24 pixels
// away.
void prepare_cpu(ImageView<const Grey8> frame, const Crop& crop, const Features& features, Planes& planes,
                 int threads = 0);

// The same on a GPU, of a frame that is on the device: equal to a few ulp. Enqueues and returns. stacked: the
// planes, one below the other; scratch: prepare_scratch() floats.
void prepare_cuda(DeviceImageView<const Grey8> frame, const Crop& crop, const Features& features,
                  DeviceSpan<float> scratch, DeviceImageView<float> stacked, StreamRef stream);
std::int64_t prepare_scratch(const Crop& crop, const Features& features);  // floats

}  // namespace triptych::aam_fit
