// A level without its update: its frame, its mean texture, and its modes.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/prepare.hpp>
#include <triptych/aam_fit/train.hpp>

#include <Eigen/Core>

#include <span>

#include "crop/prepare_cpu.hpp"
#include "train/pca.hpp"
#include "train/shape_model.hpp"
#include "train/training_set.hpp"

namespace triptych::aam_fit {

// features, face_size_px, frame, s0.
Level make_level(const ShapeModel& shapes, std::span<const Triangle> triangles, const LevelOptions& options);

// Planes and a texture of one face at a time; each thread has its own.
class FaceSampler {
 public:
  explicit FaceSampler(const Level& level) : level_(&level) {}
  void prepare(ImageView<const Grey8> frame, const Crop& crop);
  // The raw texture under a shape of the crop.
  void sample(std::span<const Point> shape, std::span<float> texture);

 private:
  const Level* level_;
  PrepareScratch scratch_;
  Planes planes_;
  std::vector<float> shape_;
};

// The raw textures under the landmarks of all faces, one a row.
Rows textures_at_truth(const Level& level, std::span<const TrainingFace> faces, double crop_margin,
                       const Execution& run);

// The parameters of a shape in a crop: its pose, and the shape's part of c, Ks (s - s0).
struct ShapeParameters {
  Similarity pose;
  Eigen::VectorXf c;
};
ShapeParameters shape_parameters(const Level& level, std::span<const Point> shape);
// The shape of c, posed.
Shape shape_of(const Level& level, const Eigen::VectorXf& c, const Similarity& pose);

Shape to_crop(const Crop& crop, std::span<const Point> in_frame);
Shape to_frame(const Crop& crop, std::span<const Point> in_crop);

// Fills g0, Qs, Ks, Qg, sigma, sample_offset, the parts when asked for, and modes. Normalises by
// level.normalisation. Returns the parameters c of the faces, one a row. undeformed: so many of the first
// faces have textures whose principal components are taken.
Rows learn_modes(Level& level, const ShapeModel& shapes, std::span<const TrainingFace> faces,
                 std::size_t undeformed, double crop_margin, const TrainOptions& options,
                 const Execution& run);

}  // namespace triptych::aam_fit
