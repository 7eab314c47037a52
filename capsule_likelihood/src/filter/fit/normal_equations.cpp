#include <algorithm>
#include <cmath>

#include "filter/fit/normal_equations.hpp"

namespace triptych::capsule_likelihood {

void NormalEquations::add(std::span<const std::size_t> moves, std::size_t own, std::span<const Six> twists,
                          const RigidSums& sums) {
  for (std::size_t last = moves.size() - own; last < moves.size(); ++last) {
    const Six& twist = twists[moves[last]];
    const Six of_bodies = pushed(sums.v, twist);
    right_[moves[last]] += right_of(sums.v, twist);
    double* const row = &matrix_[moves[last] * right_.size()];
    for (std::size_t i = 0; i <= last; ++i) row[moves[i]] += dot(twists[moves[i]], of_bodies);
  }
}

void NormalEquations::add(std::size_t parameter, double off, double weight) {
  matrix_[parameter * right_.size() + parameter] += weight;
  right_[parameter] += weight * off;
}

std::vector<double> NormalEquations::solve(double damping, double floor) const {
  const std::size_t n = right_.size();
  std::vector<double> factor = matrix_, x = right_;
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = &factor[i * n];
    row[i] += damping * (row[i] + floor);
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = &factor[j * n];
      double entry = row[j];
      for (std::size_t k = 0; k < j; ++k) entry -= row[k] * other[k];
      if (j < i) {
        row[j] = entry / other[j];
      } else {
        if (!(entry > 0)) return {};
        row[i] = std::sqrt(entry);
      }
    }
    for (std::size_t k = 0; k < i; ++k) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= factor[i * n + i];
    for (std::size_t k = 0; k < i; ++k) x[k] -= factor[i * n + k] * x[i];
  }
  if (!std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) return {};
  return x;
}

}  // namespace triptych::capsule_likelihood
