#include "fit/texture_basis.hpp"

namespace triptych::aam_fit {

TextureRows texture_basis(const TextureRows& modes, const Eigen::RowVectorXf& g0) {
  TextureRows basis(modes.rows() + 2, g0.size());
  Eigen::Index count = 0;
  const auto add = [&](Eigen::RowVectorXf row) {
    const float length = row.norm();
    for (int twice = 0; twice < 2; ++twice)
      if (count > 0) row -= (row * basis.topRows(count).transpose()) * basis.topRows(count);
    if (row.norm() > 1e-3f * length) basis.row(count++) = row.normalized();
  };
  for (Eigen::Index i = 0; i < modes.rows(); ++i) add(modes.row(i));
  add(Eigen::RowVectorXf::Ones(g0.size()));
  add(g0);
  basis.conservativeResize(count, Eigen::NoChange);
  return basis;
}

}  // namespace triptych::aam_fit
