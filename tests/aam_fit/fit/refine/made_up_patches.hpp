// A made-up refinement that knows the face of a world, for tests.
#pragma once

#include <triptych/aam_fit/prepare.hpp>

#include <cmath>
#include <vector>

#include "aam_fit/fitter/made_up_world.hpp"
#include "testing/random.hpp"
#include "warp/warp_math.hpp"

namespace triptych::test {

struct PatchWorld {
  World world;
  aam_fit::Crop crop;        // of the last level around the truth
  aam_fit::Planes planes;    // of it
  std::vector<float> truth;  // parameters
};

inline std::vector<float> patch_texture(const aam_fit::Refinement& patches, aam_fit::PlanesView planes,
                                        const aam_fit::Shape& shape) {
  std::vector<float> coordinates, texture;
  for (const aam_fit::Point p : shape)
    coordinates.insert(coordinates.end(), {static_cast<float>(p.x), static_cast<float>(p.y)});
  const std::int64_t area = std::int64_t{patches.patch_samples} * patches.patch_samples;
  const auto width = static_cast<std::int32_t>(planes.width()),
             height = static_cast<std::int32_t>(planes.height());
  for (std::size_t l = 0; l < shape.size(); ++l)
    for (int c = 0; c < planes.channels; ++c)
      for (std::int64_t i = 0; i < area; ++i) {
        const auto at =
            aam_fit::warp_point(patches.pixels[static_cast<std::int64_t>(l) * area + i], coordinates.data());
        texture.push_back(aam_fit::sample(planes.stacked.data() + std::int64_t{c} * height * width, width,
                                          height, width, at.x, at.y)
                              .value);
      }
  return texture;
}

// Of zero mean and unit length, without what lies along the rows.
inline void orthonormalise(std::vector<float>& row, const std::vector<std::vector<float>>& rows) {
  const auto dot = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
    return sum;
  };
  for (int twice = 0; twice < 2; ++twice)
    for (const std::vector<float>& other : rows) {
      const double along = dot(row, other);
      for (std::size_t i = 0; i < row.size(); ++i) row[i] -= static_cast<float>(along * double{other[i]});
    }
  const double length = std::sqrt(dot(row, row));
  for (float& v : row) v = static_cast<float>(double{v} / length);
}

inline PatchWorld make_patch_world(const aam_fit::Features& features, int modes, int side, int random_rows) {
  PatchWorld made{make_world(features, modes, 11), {}, {}, {}};
  aam_fit::Model& model = made.world.model;
  const aam_fit::Level& last = model.levels.back();
  made.crop = aam_fit::crop_for(last, made.world.truth, 0.2);
  aam_fit::prepare_cpu(made.world.frame.view(), made.crop, features, made.planes, 1);
  aam_fit::Shape mean, inside;
  for (int i = 0; i < last.points; ++i) mean.push_back({double{last.s0[2 * i]}, double{last.s0[2 * i + 1]}});
  for (const aam_fit::Point p : made.world.truth) inside.push_back(aam_fit::to_crop(made.crop, p));
  const aam_fit::Similarity pose = aam_fit::align(mean, inside);
  made.truth.assign(static_cast<std::size_t>(modes), 0.0f);
  for (const double v : {pose.sx, pose.sy, pose.tx, pose.ty}) made.truth.push_back(static_cast<float>(v));

  // A patch's side is 0.15 of the face's size; a raster of patches lies row by row, patch after patch.
  constexpr double size = 0.15;
  const aam_fit::ReferenceFrame frame =
      aam_fit::make_patch_frame(model.mean, {.samples = side, .size = size});
  aam_fit::Refinement& patches = model.refinement;
  patches.patch_samples = side;
  patches.pitch_px = last.face_size_px * size / side;
  const int columns = (frame.width + 1) / (side + 1);
  const auto rows_of_patch = static_cast<std::size_t>(side);
  std::vector<aam_fit::WarpPixel> pixels(static_cast<std::size_t>(frame.size()));
  for (std::int64_t i = 0; i < frame.size(); ++i) {
    const int x = frame.raster_indices[i] % frame.width, y = frame.raster_indices[i] / frame.width;
    const int landmark = y / (side + 1) * columns + x / (side + 1);
    pixels[(static_cast<std::size_t>(landmark) * rows_of_patch + static_cast<std::size_t>(y % (side + 1))) *
               rows_of_patch +
           static_cast<std::size_t>(x % (side + 1))] = frame.pixels[i];
  }
  patches.pixels = pixels;
  std::vector<float> g0 = patch_texture(patches, made.planes.view(), inside);
  std::vector<std::vector<float>> rows = {std::vector<float>(g0.size(), 1.0f)};
  orthonormalise(rows.front(), {});
  orthonormalise(g0, rows);
  for (int k = 0; k < random_rows; ++k) {
    std::vector<float> row =
        random_values<float>(static_cast<std::int64_t>(g0.size()), -1, 1, 20 + static_cast<std::uint64_t>(k));
    orthonormalise(row, rows);
    rows.push_back(row);
  }
  std::vector<float> basis;
  for (const std::vector<float>& row : rows) basis.insert(basis.end(), row.begin(), row.end());
  patches.g0 = g0;
  patches.basis = basis;
  aam_fit::check_model(model);
  return made;
}

}  // namespace triptych::test
