// A level's shape model as warps of the reference frame: how landmarks move with its parameters, and the
// composition of the warp so far with the inverse of a small one.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

namespace triptych::aam_fit {

class WarpComposition {
 public:
  // InvalidArgument when the level has no shape modes of its own (Level::Ps).
  explicit WarpComposition(const Level& level);

  // Scale, turn, shift along x and y, then the shape modes.
  int parameter_count() const { return static_cast<int>(basis_.rows()); }
  // How far parameter j moves landmark i: basis()(j, 2i) and (j, 2i + 1), in pixels of the planes.
  const Eigen::MatrixXd& basis() const { return basis_; }

  // The nearest shape of the model, its modes within three standard deviations.
  Shape to_model(std::span<const Point> shape) const;
  // The warp to `shape` after the inverse of the small one by dp, back in the model.
  Shape compose(std::span<const Point> shape, const Eigen::VectorXd& dp) const;

 private:
  Shape mean_;
  Eigen::MatrixXd basis_;
  std::vector<double> limit_;  // of each shape mode
  // The triangles at each landmark, as their other corners too: indices into mean_.
  std::vector<std::vector<std::array<int, 3>>> around_;
};

}  // namespace triptych::aam_fit
