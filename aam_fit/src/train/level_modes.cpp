// A level's mean texture and modes: shape, texture, and both combined.
#include <Eigen/Cholesky>

#include <cmath>

#include "train/level_model.hpp"
#include "train/texture.hpp"

namespace triptych::aam_fit {
namespace {

template <class Matrix>
SharedArray<float> array_of(const Matrix& matrix) {
  std::vector<float> values(static_cast<std::size_t>(matrix.size()));
  Eigen::Map<Rows>(values.data(), matrix.rows(), matrix.cols()) = matrix.template cast<float>();
  return values;
}

// c = Pc' (Ws bs; bg), with Ws the ratio of the spreads (Cootes), and its columns for both halves.
struct Combined {
  Eigen::MatrixXf shape, texture;  // modes x shape modes (times Ws), modes x texture modes
  double weight = 1;
};
Combined combine(const Rows& bs, const Rows& bg, const ModeSelection& selection, const Execution& run) {
  Combined combined;
  const double shape_spread = bs.squaredNorm(), texture_spread = bg.squaredNorm();
  combined.weight = shape_spread > 0 && texture_spread > 0 ? std::sqrt(texture_spread / shape_spread) : 1.0;
  Rows both(bs.rows(), bs.cols() + bg.cols());
  both << bs * static_cast<float>(combined.weight), bg;
  const Pca modes = pca(both, selection, run);
  combined.shape = modes.modes.leftCols(bs.cols());
  combined.texture = modes.modes.rightCols(bg.cols());
  return combined;
}

// The part of the texture that the shape determines, g = g0 + Qg' bs by least squares: shape modes x samples.
Rows texture_by_shape(const Rows& bs, const Rows& textures, const Execution& run) {
  const Eigen::MatrixXd b = bs.cast<double>();
  const Eigen::MatrixXd weights = (b.transpose() * b).ldlt().solve(b.transpose());  // shape modes x faces
  return transposed_times(weights.transpose().cast<float>(), textures, run);
}

Eigen::VectorXf standard_deviations(const Rows& rows) {
  return (rows.colwise().squaredNorm() / static_cast<float>(rows.rows())).cwiseSqrt();
}

}  // namespace

Rows learn_modes(Level& level, const ShapeModel& shapes, std::span<const TrainingFace> faces,
                 std::size_t undeformed, double crop_margin, const TrainOptions& options,
                 const Execution& run) {
  Rows textures = textures_at_truth(level, faces, crop_margin, run);
  level.sample_offset = static_cast<float>(textures.cast<double>().mean());
  const Eigen::VectorXf g0 = mean_texture(textures, level.normalisation, run);
  level.g0 = array_of(g0);
  textures.rowwise() -= g0.transpose();

  const Rows Ps = shapes.modes.transpose().cast<float>();  // shape modes x 2 points
  Rows bs(static_cast<Eigen::Index>(faces.size()), Ps.rows());
  level.modes = static_cast<int>(Ps.rows());
  level.Ks = array_of(Ps);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const Crop crop = crop_for(level, faces[i].landmarks);
    bs.row(static_cast<Eigen::Index>(i)) =
        shape_parameters(level, to_crop(crop, faces[i].landmarks)).c.transpose();
  }

  const bool with_texture = options.parameters != Parameters::shape;
  level.texture_determines_c = with_texture;
  Rows Pg(0, textures.cols());
  if (with_texture || options.compositional)
    Pg = pca(textures.topRows(static_cast<Eigen::Index>(undeformed)),
             {options.texture_variance, options.texture_modes}, run)
             .modes;
  Rows bg(textures.rows(), 0);
  if (with_texture) bg = times(textures, Pg.transpose(), run);

  Eigen::MatrixXf shape_part, texture_part;  // c = shape_part Ps (s - s0) + texture_part Pg (g - g0)
  float weight = 1;
  const Eigen::Index m = Ps.rows() + bg.cols();
  if (options.parameters == Parameters::combined) {
    const Combined combined = combine(bs, bg, {options.combined_variance, options.modes}, run);
    weight = static_cast<float>(combined.weight);
    shape_part = combined.shape * weight;
    texture_part = combined.texture;
  } else {
    shape_part = Eigen::MatrixXf::Identity(m, Ps.rows());
    texture_part = Eigen::MatrixXf::Zero(m, bg.cols());
    if (bg.cols() > 0) texture_part.bottomRows(bg.cols()).setIdentity();
  }
  level.modes = static_cast<int>(shape_part.rows());
  level.Ks = array_of(shape_part * Ps);
  level.Qs = array_of(Ps.transpose() * shape_part.transpose() / (weight * weight));
  if (with_texture)
    level.Qg = array_of(texture_part * Pg);
  else
    level.Qg = array_of(texture_by_shape(bs, textures, run));
  Rows c = bs * shape_part.transpose();
  if (with_texture) c += bg * texture_part.transpose();
  level.sigma = array_of(standard_deviations(c));

  if (options.compositional) {
    level.shape_modes = static_cast<int>(Ps.rows());
    level.texture_modes = static_cast<int>(Pg.rows());
    level.Ps = array_of(Ps);
    level.Pg = array_of(Pg);
    level.ps_sigma = array_of(standard_deviations(bs));
  }
  return c;
}

}  // namespace triptych::aam_fit
