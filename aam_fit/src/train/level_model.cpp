// A level's frame, and shapes and textures in it.
#include <triptych/core/error.hpp>

#include <algorithm>

#include "train/level_model.hpp"
#include "warp/warp.hpp"

namespace triptych::aam_fit {

Level make_level(const ShapeModel& shapes, std::span<const Triangle> triangles, const LevelOptions& options) {
  check_features(options.features);
  Level level;
  level.features = options.features;
  level.points = static_cast<int>(shapes.mean.size());
  level.frame =
      options.patch_samples > 0
          ? make_patch_frame(shapes.mean, {.samples = options.patch_samples, .size = options.patch_size})
          : make_reference_frame(shapes.mean, triangles,
                                 {.pixels = options.pixels, .margin = options.margin});
  // The shape in the planes' pixels; the raster has one of its own to pitch_px of those.
  const Eigen::VectorXd s0 = flat(shapes.mean) * (level.frame.scale * options.pitch_px);
  level.frame.scale = 1 / options.pitch_px;
  level.face_size_px = face_size(unflat(s0));
  const Eigen::VectorXf coordinates = s0.cast<float>();
  level.s0 = std::vector<float>(coordinates.begin(), coordinates.end());
  return level;
}

void FaceSampler::prepare(ImageView<const Grey8> frame, const Crop& crop) {
  prepare_cpu(frame, crop, level_->features, planes_, scratch_, 1);
}

void FaceSampler::sample(std::span<const Point> shape, std::span<float> texture) {
  shape_.resize(2 * shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape_[2 * i] = static_cast<float>(shape[i].x);
    shape_[2 * i + 1] = static_cast<float>(shape[i].y);
  }
  warp_cpu(planes_.view(), level_->frame, shape_, texture);
}

Rows textures_at_truth(const Level& level, std::span<const TrainingFace> faces, double crop_margin,
                       const Execution& run) {
  Rows textures(static_cast<Eigen::Index>(faces.size()), channels(level.features) * level.pixels());
  run.chunks(textures.rows(), 8, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    FaceSampler sampler(level);
    for (std::int64_t i = first; i < last; ++i) {
      run.check();
      const TrainingFace& face = faces[static_cast<std::size_t>(i)];
      const Crop crop = crop_for(level, face.landmarks, crop_margin);
      sampler.prepare(face.image->view(), crop);
      sampler.sample(to_crop(crop, face.landmarks),
                     {textures.data() + i * textures.cols(), static_cast<std::size_t>(textures.cols())});
    }
  });
  return textures;
}

Shape to_crop(const Crop& crop, std::span<const Point> in_frame) {
  Shape shape(in_frame.size());
  std::transform(in_frame.begin(), in_frame.end(), shape.begin(), [&](Point p) { return to_crop(crop, p); });
  return shape;
}

Shape to_frame(const Crop& crop, std::span<const Point> in_crop) {
  Shape shape(in_crop.size());
  std::transform(in_crop.begin(), in_crop.end(), shape.begin(), [&](Point p) { return to_frame(crop, p); });
  return shape;
}

ShapeParameters shape_parameters(const Level& level, std::span<const Point> shape) {
  const Shape mean = mean_shape(level);
  ShapeParameters parameters;
  parameters.pose = align(mean, shape);
  const Eigen::VectorXd deviation = flat(posed(inverse(parameters.pose), shape)) - flat(mean);
  const Eigen::Map<const Rows> Ks(level.Ks.data(), level.modes, 2 * level.points);
  parameters.c = Ks * deviation.cast<float>();
  return parameters;
}

Shape shape_of(const Level& level, const Eigen::VectorXf& c, const Similarity& pose) {
  const Eigen::Map<const Rows> Qs(level.Qs.data(), 2 * level.points, level.modes);
  const Eigen::VectorXf deviation = Qs * c;
  return posed(pose, unflat(flat(mean_shape(level)) + deviation.cast<double>()));
}

}  // namespace triptych::aam_fit
