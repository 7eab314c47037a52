// The parts of training against their definitions: PCA against a singular value decomposition in double,
// textures against the formulas, shapes against modes that are known.
#include <triptych/core/error.hpp>

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"
#include "train/pca.hpp"
#include "train/shape_model.hpp"
#include "train/texture.hpp"

namespace triptych::aam_fit {
namespace {

Rows random_rows(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  const auto values = test::random_values<float>(rows * cols, -1, 1, seed);
  return Eigen::Map<const Rows>(values.data(), rows, cols);
}

// Rows whose variances fall off: a few strong directions and noise.
Rows examples(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  const Eigen::Index strong = std::min<Eigen::Index>(6, std::min(rows, cols));
  Rows weights = random_rows(rows, strong, seed);
  for (Eigen::Index k = 0; k < strong; ++k) weights.col(k) *= 8.0f / static_cast<float>(1 + k);
  Rows result = weights * random_rows(strong, cols, seed + 1) + 0.05f * random_rows(rows, cols, seed + 2);
  result.rowwise() += Eigen::RowVectorXf::LinSpaced(cols, 3, 7);
  return result;
}

TEST(Pca, AgreesWithTheSvd) {
  for (const auto& [rows, cols] :
       {std::pair{5, 400}, std::pair{33, 1001}, std::pair{200, 97}, std::pair{2, 31}}) {
    const Rows x = examples(rows, cols, 4);
    const Pca got = pca(x, {.share = 1, .count = 4}, 2);
    Eigen::MatrixXd centred = x.cast<double>();
    const Eigen::RowVectorXd mean = centred.colwise().mean();
    centred.rowwise() -= mean;
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(centred, Eigen::ComputeThinV);
    // Products of n floats of size up to 10 round by 2^-24 sqrt(n) each; against the strongest direction.
    const double strongest = svd.singularValues()[0];
    EXPECT_LT((got.mean.cast<double>().transpose() - mean).cwiseAbs().maxCoeff(), 1e-4);
    ASSERT_EQ(got.modes.rows(), std::min(4, rows - 1));
    for (Eigen::Index k = 0; k < got.modes.rows(); ++k) {
      EXPECT_NEAR(got.sigma[k] * std::sqrt(rows), svd.singularValues()[k], 1e-4 * strongest);
      // A mode turns by the rounding over the distance of its variance from the next.
      EXPECT_NEAR(std::abs(got.modes.row(k).cast<double>().dot(svd.matrixV().col(k))), 1, 1e-4) << k;
      for (Eigen::Index j = 0; j <= k; ++j)
        EXPECT_NEAR(got.modes.row(k).dot(got.modes.row(j)), k == j ? 1 : 0, 1e-5);
    }
  }
}

TEST(Pca, KeepsTheLeastCountThatHoldsTheShare) {
  const Rows x = examples(60, 300, 9);
  Eigen::MatrixXd centred = x.cast<double>();
  const Eigen::RowVectorXd mean = centred.colwise().mean();
  centred.rowwise() -= mean;
  const Eigen::VectorXd variances =
      Eigen::BDCSVD<Eigen::MatrixXd>(centred).singularValues().array().square().matrix();
  for (const double share : {0.5, 0.9, 0.99}) {
    Eigen::Index count = 0;
    for (double seen = 0; seen < share * variances.sum(); ++count) seen += variances[count];
    EXPECT_EQ(pca(x, {.share = share}, 1).modes.rows(), count) << share;
  }
  // Nothing varies: no modes.
  EXPECT_EQ(pca(Rows::Constant(7, 50, 3), {.share = 1}, 1).modes.rows(), 0);
}

TEST(Pca, ProductsAreProducts) {
  for (const Eigen::Index rows : {1, 191, 192, 193, 400}) {
    // A sum of n products of numbers below 1 is off by n * n * 2^-24 at most.
    const double over_columns = 65.0 * 65 * 0x1p-24, over_rows = static_cast<double>(rows * rows) * 0x1p-24;
    const Rows x = random_rows(rows, 65, 1);
    const Eigen::MatrixXd exact = x.cast<double>() * x.cast<double>().transpose();
    EXPECT_LT((gram(x, 2).cast<double>() - exact).cwiseAbs().maxCoeff(), over_columns);
    const Eigen::MatrixXf w = random_rows(rows, 3, 2);
    const Eigen::MatrixXd wanted = w.cast<double>().transpose() * x.cast<double>();
    EXPECT_LT((transposed_times(w, x, 2).cast<double>() - wanted).cwiseAbs().maxCoeff(), over_rows);
    const Eigen::MatrixXf v = random_rows(65, 4, 3);
    EXPECT_LT((times(x, v, 2).cast<double>() - x.cast<double>() * v.cast<double>()).cwiseAbs().maxCoeff(),
              over_columns);
  }
}

std::vector<float> random_texture(std::uint64_t seed) {
  return test::random_values<float>(777, 20, 220, seed);
}

TEST(Texture, NormalisationIgnoresGainAndOffset) {
  std::vector<float> g0 = random_texture(1);
  for (float& x : g0) x -= 120;  // about its mean
  for (const Normalisation kind :
       {Normalisation::projection, Normalisation::length, Normalisation::floored}) {
    std::vector<float> plain = random_texture(2), other = plain;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      plain[i] += 2 * g0[i];  // something in common
      other[i] = 3.5f * plain[i] + 40;
    }
    const Scaling a = normalise(plain, g0, kind), b = normalise(other, g0, kind);
    EXPECT_NEAR(b.alpha, 3.5 * a.alpha, 1e-5 * b.alpha);
    // Values up to 2400 were rounded, twice, before they were divided by alpha.
    for (std::size_t i = 0; i < plain.size(); ++i)
      EXPECT_NEAR(plain[i], other[i], 2 * 2400 * 0x1p-24 / b.alpha + 0x1p-22 * std::abs(double{plain[i]}));
    // The formulas, on what came out: no mean; a projection or a length of g0's.
    double sum = 0, along = 0, squares = 0, mean = 0, spread = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) mean += double{g0[i]} / double(g0.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      sum += double{plain[i]};
      along += double{plain[i]} * (double{g0[i]} - mean);
      squares += double{plain[i]} * double{plain[i]};
      spread += double{g0[i]} * double{g0[i]};
    }
    EXPECT_NEAR(sum, 0, 777 * 700 * 0x1p-24);  // each rounded
    if (kind == Normalisation::length) {
      EXPECT_NEAR(squares, spread, 1e-5 * spread);
    } else {
      EXPECT_NEAR(along, spread, 1e-5 * spread);
    }
  }
}

TEST(Texture, WhatHasNoContrastBecomesZeros) {
  const std::vector<float> g0 = random_texture(1);
  std::vector<float> flat(777, 80.0f), against = g0;
  for (float& x : against) x = -x;
  EXPECT_EQ(normalise(flat, g0, Normalisation::length).alpha, 0);
  EXPECT_EQ(flat, std::vector<float>(777));
  EXPECT_EQ(normalise(against, g0, Normalisation::projection).alpha, 0);
}

TEST(Texture, TheMeanIsItsOwnNormalisedMean) {
  for (const Normalisation kind :
       {Normalisation::projection, Normalisation::length, Normalisation::floored}) {
    const std::vector<float> common = random_texture(5);
    Rows textures(9, 777);
    for (Eigen::Index i = 0; i < 9; ++i) {
      const std::vector<float> own = random_texture(10 + static_cast<std::uint64_t>(i));
      for (Eigen::Index k = 0; k < 777; ++k)
        textures(i, k) = static_cast<float>(i + 1) *
                             (2 * common[static_cast<std::size_t>(k)] + own[static_cast<std::size_t>(k)]) +
                         5.0f * static_cast<float>(i);
    }
    const Eigen::VectorXf mean = mean_texture(textures, kind, 2);
    EXPECT_NEAR(mean.norm(), 1, 1e-5);
    EXPECT_NEAR(mean.sum(), 0, 1e-4);
    const Eigen::VectorXd again = textures.cast<double>().colwise().mean();
    EXPECT_LT((again.normalized() - mean.cast<double>()).norm(), 1e-5);
  }
  Rows flat = Rows::Constant(3, 20, 7);
  EXPECT_ERROR(mean_texture(flat, Normalisation::length, 1), InvalidArgument, "flat");
}

TEST(ShapeModel, FindsModesBehindPoses) {
  // Shapes: a base and two modes, anyhow posed. The modes are known but for what a pose can do.
  const Shape base{{0, 0}, {4, 0}, {8, 1}, {0, 5}, {4, 6}, {8, 5}, {4, 3}};
  const std::vector<std::vector<double>> modes{{0, 0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0},
                                               {1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  std::vector<Shape> shapes;
  shapes.reserve(200);
  const auto random = test::random_values<double>(6 * 200, -1, 1, 17);
  for (std::size_t i = 0; i < 200; ++i) {
    const double* u = random.data() + 6 * i;
    Shape shape = base;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      shape[k].x += 0.5 * u[0] * modes[0][2 * k] + 0.2 * u[1] * modes[1][2 * k];
      shape[k].y += 0.5 * u[0] * modes[0][2 * k + 1] + 0.2 * u[1] * modes[1][2 * k + 1];
    }
    shapes.push_back(posed(Similarity{0.3 * u[2], 0.3 * u[3], 40 * u[4], 40 * u[5]}, shape));
  }
  const ShapeModel model = make_shape_model(shapes, {.share = 0.999});
  EXPECT_NEAR(face_size(model.mean), 1, 1e-9);
  ASSERT_GE(model.modes.cols(), 2);
  const Eigen::MatrixXd unit = model.modes.transpose() * model.modes;
  EXPECT_LT((unit - Eigen::MatrixXd::Identity(unit.rows(), unit.cols())).cwiseAbs().maxCoeff(), 1e-12);
  // Orthogonal to what poses do, so that the pose of mean + modes is the pose itself.
  const Eigen::VectorXd deformed =
      flat(model.mean) + model.modes * Eigen::VectorXd::Constant(model.modes.cols(), 0.1);
  const Similarity none = align(model.mean, unflat(deformed));
  for (const double v : {none.sx, none.sy, none.tx, none.ty}) EXPECT_NEAR(v, 0, 1e-12);
  // Every shape lies in the mean plus two modes, to the second order of the deviations.
  const Eigen::MatrixXd first_two = model.modes.leftCols(2);
  for (const Shape& shape : shapes) {
    const Eigen::VectorXd off = flat(posed(inverse(align(model.mean, shape)), shape)) - flat(model.mean);
    EXPECT_LT((off - first_two * (first_two.transpose() * off)).norm(), 0.02);
  }
  // Upright as the shapes are on average.
  double across = 0;
  for (const Shape& shape : shapes) {
    const Similarity pose = align(model.mean, shape);
    across += pose.sy / std::hypot(1 + pose.sx, pose.sy) / 200;
  }
  EXPECT_NEAR(across, 0, 1e-6);
}

TEST(ShapeModel, EqualShapesHaveNoModes) {
  const Shape shape{{0, 0}, {1, 0}, {0.5, 1}, {0.5, 0.3}};
  const std::vector<Shape> shapes{shape, posed(Similarity{1, 0.3, 5, 6}, shape),
                                  posed(Similarity{0, 0, -9, 1}, shape)};
  EXPECT_EQ(make_shape_model(shapes, {.share = 1}).modes.cols(), 0);
}

TEST(ShapeModel, AShapeUnlikeItsMirrorImageHasNoMirrorPoints) {
  const Shape even{{-1, 0}, {1, 0}, {0, 1}, {-0.5, 0.5}, {0.5, 0.5}};
  EXPECT_EQ(find_mirror_points(even), (std::vector<int>{1, 0, 2, 4, 3}));
  const Shape odd{{-1, 0}, {1, 0}, {0.9, 1}, {-0.5, 0.5}, {0.2, -0.5}};
  EXPECT_TRUE(find_mirror_points(odd).empty());
}

}  // namespace
}  // namespace triptych::aam_fit
