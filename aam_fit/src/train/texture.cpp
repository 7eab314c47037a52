// Normalised textures and their mean.
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "fit/fit_math.hpp"
#include "train/texture.hpp"

namespace triptych::aam_fit {
namespace {

std::span<float> row_of(Rows& rows, Eigen::Index i) {
  return {rows.data() + i * rows.cols(), static_cast<std::size_t>(rows.cols())};
}

}  // namespace

Scaling normalise(std::span<float> texture, std::span<const float> g0, Normalisation kind) {
  double sum = 0, squares = 0, along = 0, g0_sum = 0, g0_squares = 0;
  const auto count = static_cast<double>(texture.size());
  for (std::size_t i = 0; i < texture.size(); ++i) {
    const double x = texture[i], g = g0[i];
    sum += x;
    squares += x * x;
    along += x * g;
    g0_sum += g;
    g0_squares += g * g;
  }
  Scaling scaling;
  scaling.beta = sum / count;
  const double spread = squares - count * scaling.beta * scaling.beta;
  const double alpha = texture_alpha(kind, along - scaling.beta * g0_sum, spread, g0_squares);
  if (!has_contrast(alpha, spread, squares, g0_squares)) {
    std::fill(texture.begin(), texture.end(), 0.0f);
    return scaling;
  }
  scaling.alpha = alpha;
  for (float& x : texture) x = static_cast<float>((x - scaling.beta) / alpha);
  return scaling;
}

Eigen::VectorXf mean_texture(Rows& textures, Normalisation kind, const Execution& run) {
  // Each texture first by its own length: their sum is the first estimate.
  run.each(textures.rows(), [&](std::int64_t i) {
    auto row = textures.row(i);
    const double squares = row.cast<double>().squaredNorm();
    row.array() -= static_cast<float>(row.cast<double>().mean());
    const double spread = row.cast<double>().squaredNorm();
    if (has_contrast(1.0, spread, squares, spread))
      row /= static_cast<float>(std::sqrt(spread));
    else
      row.setZero();
  });
  const auto unit_mean = [&] {
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(textures.cols());
    run.chunks(textures.cols(), 512, [&](std::int64_t first, std::int64_t last, std::int64_t) {
      auto part = mean.segment(first, last - first);
      for (Eigen::Index i = 0; i < textures.rows(); ++i)
        part += textures.row(i).segment(first, last - first).cast<double>();
    });
    mean /= static_cast<double>(textures.rows());
    mean.array() -= mean.mean();
    const double length = mean.norm();
    require(length > 0, "the images are flat where the faces are: there is no texture to learn");
    return Eigen::VectorXf((mean / length).cast<float>());
  };
  Eigen::VectorXf mean = unit_mean();
  for (int rotation = 0; rotation < 10; ++rotation) {
    const Eigen::VectorXf before = mean;
    run.each(textures.rows(), [&](std::int64_t i) {
      normalise(row_of(textures, i), {before.data(), static_cast<std::size_t>(before.size())}, kind);
    });
    mean = unit_mean();
    if ((mean - before).squaredNorm() < 1e-12f) break;
  }
  run.each(textures.rows(), [&](std::int64_t i) {
    normalise(row_of(textures, i), {mean.data(), static_cast<std::size_t>(mean.size())}, kind);
  });
  return mean;
}

}  // namespace triptych::aam_fit
