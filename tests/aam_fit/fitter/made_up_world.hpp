// A frame with a known face and a made-up model of two resolutions that knows it, for tests of Fitter.
#pragma once

#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/prepare.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "testing/aam_learn.hpp"
#include "testing/aam_level.hpp"

namespace triptych::test {

struct World {
  Image<Grey8> frame;
  aam_fit::Model model;
  aam_fit::Shape truth;
};

inline Image<Grey8> frame_of(const aam_fit::Planes& planes) {
  Image<Grey8> image(planes.width, planes.height);
  std::transform(planes.values.begin(), planes.values.end(), image.pixels.begin(), [](float v) {
    return Grey8{static_cast<std::uint8_t>(std::clamp(std::lround(v), 0l, 255l))};
  });
  return image;
}

// A level that knows the frame's face at the truth.
inline aam_fit::Level learnt_level(const World& world, std::int64_t pixels, int modes,
                                   const aam_fit::Features& features) {
  aam_fit::Level level = detail::aam_level(pixels, modes, aam_fit::channels(features), 5);
  level.features = features;
  level.iterations = 20;
  const aam_fit::Crop crop = aam_fit::crop_for(level, world.truth, 0.5);
  aam_fit::Planes planes;
  aam_fit::prepare_cpu(world.frame.view(), crop, features, planes, 0);
  level.sample_offset = features.kind == aam_fit::FeatureKind::grey ? 120.0f : 0.0f;
  aam_fit::Shape mean, inside;
  for (int i = 0; i < level.points; ++i)
    mean.push_back({double{level.s0[2 * i]}, double{level.s0[2 * i + 1]}});
  for (const aam_fit::Point p : world.truth) inside.push_back(aam_fit::to_crop(crop, p));
  const aam_fit::Similarity pose = aam_fit::align(mean, inside);
  std::vector<double> p(static_cast<std::size_t>(modes), 0.0);
  p.insert(p.end(), {pose.sx, pose.sy, pose.tx, pose.ty});
  detail::aam_learn(level, planes, p);
  return level;
}

inline World make_world(const aam_fit::Features& features, int modes, std::uint64_t seed) {
  constexpr int width = 320, height = 260;
  constexpr double size = 110;
  World world;
  world.frame = frame_of(detail::aam_image(width, height, 1, size, seed));
  const aam_fit::Level shape = detail::aam_level(4096, 0, 1, 1);
  for (int i = 0; i < shape.points; ++i)
    world.model.mean.push_back(
        {double{shape.s0[2 * i]} / shape.face_size_px, double{shape.s0[2 * i + 1]} / shape.face_size_px});
  world.model.points = shape.points;
  world.model.name = "made up";
  world.truth = aam_fit::posed(aam_fit::Similarity{size - 1, 3, 155, 128}, world.model.mean);
  world.model.levels = {learnt_level(world, 900, modes, features),
                        learnt_level(world, 3600, modes, features)};
  return world;
}

inline aam_fit::Shape displaced(const aam_fit::Shape& shape, double dx, double dy, double scale) {
  const Box box = aam_fit::bounds(shape);
  return aam_fit::place_in_box(
      shape, {box.x + dx * box.width + (1 - scale) * box.width / 2,
              box.y + dy * box.height + (1 - scale) * box.height / 2, scale * box.width, scale * box.height});
}

inline double largest_distance(const aam_fit::Shape& a, const aam_fit::Shape& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::hypot(a[i].x - b[i].x, a[i].y - b[i].y));
  return largest;
}

}  // namespace triptych::test
