// The Cholesky factorisation of training: its error against the bound of the method, and its threads.
#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "train/cholesky.hpp"

namespace triptych::aam_fit {
namespace {

Eigen::MatrixXf positive_definite(Eigen::Index size) {
  std::srand(static_cast<unsigned>(size));
  const Eigen::MatrixXf half = Eigen::MatrixXf::Random(size, size + 3);
  return half * half.transpose();
}

// The solution solves a system that differs from the given one by (3 n + 1) u trace(a) at most (Higham,
// Accuracy and Stability of Numerical Algorithms, theorem 10.4, with | |L| |L'| | <= trace(a)); roundings of
// either sign leave the root of their number, four standard deviations here.
TEST(SolvePositiveDefinite, LeavesTheResidualOfABackwardStableMethod) {
  for (const Eigen::Index size : {1, 2, 31, 32, 33, 127, 128, 129, 369, 700, 1100})
    for (const int threads : {1, 3}) {
      const Eigen::MatrixXf a = positive_definite(size), b = Eigen::MatrixXf::Random(size, 5);
      Eigen::MatrixXf factor = a, x = b;
      solve_positive_definite(factor, x, threads);
      const double residual = (a.cast<double>() * x.cast<double>() - b.cast<double>()).norm();
      const double roundings = 4 * std::sqrt(3 * static_cast<double>(size) + 1);
      EXPECT_LT(residual, roundings * 0x1p-24 * double{a.trace()} * double{x.norm()}) << size;
    }
}

TEST(SolvePositiveDefinite, HasTheBitsOfEigen) {
  for (const Eigen::Index size : {1, 2, 31, 32, 33, 127, 128, 129, 700, 1100}) {
    Eigen::MatrixXf a = positive_definite(size), b = Eigen::MatrixXf::Random(size, 5);
    const Eigen::MatrixXf expected = Eigen::LLT<Eigen::MatrixXf>(a).solve(b);
    solve_positive_definite(a, b, 1);
    EXPECT_EQ(b, expected) << size;
  }
}

TEST(CholeskyFactorise, HasTheSameBitsOnAnyNumberOfThreads) {
  const Eigen::MatrixXf a = positive_definite(1100);
  Eigen::MatrixXf one = a;
  cholesky_factorise(one, 1);
  for (const int threads : {2, 3}) {
    Eigen::MatrixXf more = a;
    cholesky_factorise(more, threads);
    EXPECT_EQ(more, one) << threads;
  }
}

TEST(SolvePositiveDefinite, LeavesAMatrixThatIsNotPositiveAsEigenDoes) {
  Eigen::MatrixXf a = Eigen::MatrixXf::Identity(300, 300), b = Eigen::MatrixXf::Random(300, 2);
  a(200, 200) = -4;
  Eigen::MatrixXf copy = a;
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXf>> solver(copy);
  const Eigen::MatrixXf expected = solver.solve(b);
  ASSERT_EQ(solver.info(), Eigen::NumericalIssue);
  solve_positive_definite(a, b, 1);
  EXPECT_EQ(b, expected);
}

}  // namespace
}  // namespace triptych::aam_fit
