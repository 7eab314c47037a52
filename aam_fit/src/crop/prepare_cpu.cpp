// Crops of frames: where they lie, and their planes on the CPU.
#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>
#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "crop/prepare_cpu.hpp"
#include "crop/prepare_math.hpp"

namespace triptych::aam_fit {

Point to_frame(const Crop& crop, Point in_crop) {
  return {in_crop.x * crop.step + crop.x_px, in_crop.y * crop.step + crop.y_px};
}

Point to_crop(const Crop& crop, Point in_frame) {
  return {(in_frame.x - crop.x_px) / crop.step, (in_frame.y - crop.y_px) / crop.step};
}

namespace {

constexpr int max_crop_side = 1 << 14;
constexpr double max_crop_pixels = 1 << 25;  // before rounding up to even sides

}  // namespace

Shape mean_shape(const Level& level) {
  require(level.points >= 1 && level.s0.size() == 2 * std::int64_t{level.points}, "a level of ", level.points,
          " points cannot have ", level.s0.size(), " coordinates in its s0");
  Shape mean;
  mean.reserve(static_cast<std::size_t>(level.points));
  for (int i = 0; i < level.points; ++i)
    mean.push_back({double{level.s0[2 * i]}, double{level.s0[2 * i + 1]}});
  return mean;
}

Shape mean_of_shapes(std::span<const Shape* const> shapes) {
  Shape mean = *shapes.front();
  for (const Shape* shape : shapes.subspan(1))
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] = {mean[k].x + (*shape)[k].x, mean[k].y + (*shape)[k].y};
  const auto count = static_cast<double>(shapes.size());
  for (Point& p : mean) p = {p.x / count, p.y / count};
  return mean;
}

Crop crop_around(const Level& level, std::span<const Point> start, double margin) {
  require(margin >= 0 && margin <= 10, "a crop cannot have a margin of ", margin, " face sizes");
  const Shape mean = mean_shape(level);
  const Similarity pose = align(mean, start);
  const Box box = bounds(mean);
  const double width = box.width + 2 * margin * level.face_size_px,
               height = box.height + 2 * margin * level.face_size_px;
  require(width <= max_crop_side && height <= max_crop_side && width * height <= max_crop_pixels,
          "a crop of ", width, " x ", height, " pixels is too large: lower the crop_margin of ", margin,
          " face sizes");
  const auto even = [](double size) { return 2 * static_cast<int>(std::ceil(0.5 * size)); };
  Crop crop;
  crop.width = even(width);
  crop.height = even(height);
  crop.step = length(1 + pose.sx, pose.sy);
  const Point centre = posed(pose, {box.x + 0.5 * box.width, box.y + 0.5 * box.height});
  crop.x_px = centre.x - 0.5 * crop.step * (crop.width - 1);
  crop.y_px = centre.y - 0.5 * crop.step * (crop.height - 1);
  return crop;
}

Crop crop_for(const Level& level, std::span<const Point> start, double margin) {
  const Crop crop = crop_around(level, start, margin);
  require(crop.step > 0 && std::isfinite(crop.step), "a start that shrinks to a point has no crop");
  return crop;
}

void check_crop(std::int64_t frame_width, std::int64_t frame_height, const Crop& crop) {
  require(frame_width > 0 && frame_height > 0, "an empty frame has no face");
  require(crop.width > 0 && crop.height > 0 && crop.width <= max_crop_side && crop.height <= max_crop_side &&
              (crop.width - 1.0) * (crop.height - 1.0) <= max_crop_pixels,
          "a crop cannot be ", crop.width, " x ", crop.height, " pixels");
  require(is_within_reach(crop, frame_width, frame_height), "a crop at (", crop.x_px, ", ", crop.y_px,
          ") with steps of ", crop.step, " pixels is too far from a frame of ", frame_width, " x ",
          frame_height, ", or too large or small for it");
}

void prepare_cpu(ImageView<const Grey8> frame, const Crop& crop, const Features& features, Planes& planes,
                 PrepareScratch& scratch, int threads) {
  check_crop(frame.width(), frame.height(), crop);
  check_features(features);
  const auto frame_width = static_cast<std::int32_t>(frame.width());
  const auto frame_height = static_cast<std::int32_t>(frame.height());
  const auto size = static_cast<std::size_t>(crop.width) * static_cast<std::size_t>(crop.height);
  if (planes.width != crop.width || planes.height != crop.height || planes.channels != channels(features)) {
    planes.values.resize(size * static_cast<std::size_t>(channels(features)));  // first: it can throw
    planes.width = crop.width;
    planes.height = crop.height;
    planes.channels = channels(features);
  }

  // Taps of every column: as many for each as the widest has.
  const int taps = static_cast<int>(std::ceil(std::max(crop.step, 1.0))) + 2;
  const auto at = [&](std::int64_t x, int k) { return static_cast<std::size_t>(x * taps + k); };
  scratch.columns.resize(static_cast<std::size_t>(crop.width) * static_cast<std::size_t>(taps));
  scratch.weights.resize(scratch.columns.size());
  for (int x = 0; x < crop.width; ++x) {
    const BoxTaps box = box_taps(x * crop.step + crop.x_px, crop.step);
    for (int k = 0; k < taps; ++k) {
      scratch.columns[at(x, k)] = clamp_to(box.first + k, frame_width);
      scratch.weights[at(x, k)] = k < box.count ? box_weight(box, box.first + k) : 0.0f;
    }
  }

  // Down the columns first, into a row of the frame's width as far as the crop reaches; then along it.
  const int left = scratch.columns.front(), right = scratch.columns.back();
  const std::int64_t span = right - left + 1;
  const std::int64_t chunks = (crop.height + rows_per_chunk - 1) / rows_per_chunk;
  scratch.rows.resize(static_cast<std::size_t>(chunks * span));
  scratch.grey.resize(size);
  parallel_chunks(crop.height, rows_per_chunk, threads,
                  [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
                    float* row = scratch.rows.data() + chunk * span;
                    for (std::int64_t y = begin; y < end; ++y) {
                      const BoxTaps box = box_taps(static_cast<double>(y) * crop.step + crop.y_px, crop.step);
                      std::fill_n(row, span, 0.0f);
                      for (int k = 0; k < box.count; ++k) {
                        const float w = box_weight(box, box.first + k);
                        if (w == 0) continue;
                        const Grey8* in = frame.row(clamp_to(box.first + k, frame_height)).data() + left;
                        for (std::int64_t x = 0; x < span; ++x) row[x] += w * static_cast<float>(in[x].v);
                      }
                      float* out = scratch.grey.data() + y * crop.width;
                      for (int x = 0; x < crop.width; ++x) {
                        float sum = 0;
                        for (int k = 0; k < taps; ++k)
                          sum += scratch.weights[at(x, k)] * row[scratch.columns[at(x, k)] - left];
                        out[x] = sum;
                      }
                    }
                  });
  features_cpu({scratch.grey.data(), crop.width, crop.height}, features, planes, scratch.features, threads);
}

void prepare_cpu(ImageView<const Grey8> frame, const Crop& crop, const Features& features, Planes& planes,
                 int threads) {
  PrepareScratch scratch;
  prepare_cpu(frame, crop, features, planes, scratch, threads);
}

}  // namespace triptych::aam_fit
