#include <algorithm>
#include <cmath>

#include "filter/normal_equations.hpp"

namespace triptych::capsule_likelihood {

namespace {

using Six = std::array<double, 6>;

Six values_of(const detail::Vec& linear, const detail::Vec& angular) {
  return {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
}

Six product(const RigidSums& sums, const Six& v) {
  Six result{};
  std::size_t k = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j, ++k) {
      result[i] += sums.matrix[k] * v[j];
      result[j] += sums.matrix[k] * v[i];
    }
    result[i] += sums.matrix[k++] * v[i];
  }
  return result;
}

double dot(const Twist& twist, const Six& v) {
  const Six t = values_of(twist.linear, twist.angular);
  double sum = 0;
  for (std::size_t i = 0; i < t.size(); ++i) sum += t[i] * v[i];
  return sum;
}

}  // namespace

void RigidSums::add(const detail::Vec& at, const detail::Vec& slope, double off, double weight) {
  const Six row = values_of(slope, cross(at, slope));
  std::size_t k = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double weighted = weight * row[i];
    right[i] += weighted * off;
    for (std::size_t j = 0; j <= i; ++j) matrix[k++] += weighted * row[j];
  }
}

void RigidSums::add(const RigidSums& other) {
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] += other.matrix[i];
  for (std::size_t i = 0; i < right.size(); ++i) right[i] += other.right[i];
}

void NormalEquations::add(std::span<const std::size_t> moves, std::size_t own, std::span<const Twist> twists,
                          const RigidSums& sums) {
  for (std::size_t last = moves.size() - own; last < moves.size(); ++last) {
    const Twist& twist = twists[moves[last]];
    const Six pushed = product(sums, values_of(twist.linear, twist.angular));
    right_[moves[last]] += dot(twist, sums.right);
    double* const row = &matrix_[moves[last] * right_.size()];
    for (std::size_t i = 0; i <= last; ++i) row[moves[i]] += dot(twists[moves[i]], pushed);
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
