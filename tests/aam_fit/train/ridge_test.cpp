// solve_ridge: weights and predictions against regressions in double that leave each fold out in turn.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "train/ridge.hpp"

namespace triptych::aam_fit {
namespace {

struct Problem {
  Eigen::MatrixXf products;
  Rows targets;
  std::vector<int> folds;
};

// Examples with 40 features of falling size; folds of unequal sizes, in no order.
Problem make_problem(Eigen::Index count, int folds) {
  std::srand(7);
  Rows examples = Rows::Random(count, 40);
  for (Eigen::Index k = 0; k < examples.cols(); ++k) examples.col(k) *= 4.0f / static_cast<float>(k + 1);
  Problem problem{examples * examples.transpose(), Rows::Random(count, 3), {}};
  for (Eigen::Index i = 0; i < count; ++i) problem.folds.push_back(static_cast<int>((i * i + i / 3) % folds));
  return problem;
}

// The dual weights of the chosen examples.
Eigen::MatrixXd weights_in_double(const Problem& problem, const std::vector<Eigen::Index>& rows,
                                  double ridge) {
  Eigen::MatrixXd K = problem.products(rows, rows).cast<double>();
  K.diagonal().array() += ridge;
  return K.llt().solve(problem.targets(rows, Eigen::all).cast<double>().eval());
}

// A backward stable solution of a system of `count` equations is off by at most c count u cond(K + ridge I)
// of its norm; roundings of either sign leave sqrt(count) of it. c = 4.
double relative_bound(const Problem& problem, double ridge) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(problem.products.cast<double>(),
                                                              Eigen::EigenvaluesOnly);
  const double largest = solver.eigenvalues().maxCoeff();
  return 4 * std::sqrt(static_cast<double>(problem.products.rows())) * 0x1p-24 * (largest + ridge) / ridge;
}

TEST(Ridge, PredictsEachFoldAsTheRegressionWithoutIt) {
  for (const Eigen::Index count : {1, 7, 90, 391, 700})
    for (const int folds : {1, 2, 5}) {
      const Problem problem = make_problem(count, folds);
      const double ridge = 0.5 * double{problem.products.diagonal().mean()};
      const RidgeSolution found =
          solve_ridge(problem.products, problem.targets, static_cast<float>(ridge), problem.folds, 2);
      const double bound = relative_bound(problem, ridge);
      EXPECT_LT(bound, 0.02);
      std::vector<Eigen::Index> all;
      for (Eigen::Index i = 0; i < count; ++i) all.push_back(i);
      const Eigen::MatrixXd weights = weights_in_double(problem, all, ridge);
      EXPECT_LT((found.weights.cast<double>() - weights).norm(), bound * weights.norm()) << count;

      ASSERT_EQ(found.predictions.rows(), count);
      for (int f = 0; f < folds; ++f) {
        std::vector<Eigen::Index> kept, left_out;
        for (const Eigen::Index i : all)
          (problem.folds[static_cast<std::size_t>(i)] == f ? left_out : kept).push_back(i);
        if (left_out.empty()) continue;
        Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(left_out.size()), 3);
        if (!kept.empty())
          expected =
              problem.products(left_out, kept).cast<double>() * weights_in_double(problem, kept, ridge);
        const Eigen::MatrixXd predicted = found.predictions(left_out, Eigen::all).cast<double>();
        const double norm = problem.targets(left_out, Eigen::all).norm();
        EXPECT_LT((predicted - expected).norm(), bound * norm) << count << " examples, fold " << f;
      }
    }
}

TEST(Ridge, HasTheSameBitsOnAnyNumberOfThreads) {
  const Problem problem = make_problem(900, 5);
  const RidgeSolution one = solve_ridge(problem.products, problem.targets, 3, problem.folds, 1);
  for (const int threads : {2, 3, 7}) {
    const RidgeSolution more = solve_ridge(problem.products, problem.targets, 3, problem.folds, threads);
    EXPECT_EQ(more.weights, one.weights) << threads;
    EXPECT_EQ(more.predictions, one.predictions) << threads;
  }
}

TEST(Ridge, PredictsNothingWithoutFolds) {
  const Problem problem = make_problem(30, 2);
  const RidgeSolution found = solve_ridge(problem.products, problem.targets, 3, {}, 1);
  EXPECT_EQ(found.predictions.size(), 0);
  EXPECT_EQ(found.weights.rows(), 30);
}

}  // namespace
}  // namespace triptych::aam_fit
