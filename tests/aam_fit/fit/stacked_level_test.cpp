// The stacked level against its definition: products in double, halves and their scales, and the solution of
// a pass against the residual written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fit/stacked_level.hpp"
#include "testing/aam_scene.hpp"

namespace triptych::aam_fit {
namespace {

class Stacked : public testing::TestWithParam<Storage> {};

TEST_P(Stacked, ProductsAreThoseOfTheStoredRows) {
  const auto scene = test::make_aam_scene({.pixels = 1237, .modes = 7, .channels = 2});
  const StackedLevel s = stack(scene.level, GetParam(), 2);
  const std::int64_t n = scene.level.samples();
  ASSERT_EQ(n, 2474);
  const auto row = [&](int r, std::int64_t i) {
    return double{s.matrix[static_cast<std::size_t>(r * n + i)]};
  };
  const auto product = [&](int a, int b) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += row(a, i) * (b < 0 ? 1.0 : row(b, i));
    return sum;
  };
  // Two double sums of n products in different orders: n eps times the sizes, which are at most |a| |b|.
  const auto near = [&](double value, int a, int b) {
    const double size = std::sqrt(product(a, a) * (b < 0 ? static_cast<double>(n) : product(b, b)));
    EXPECT_NEAR(value, product(a, b), 2e-16 * static_cast<double>(n) * size) << a << " " << b;
  };
  const int m = 7, steps = 11, g0 = steps + m;
  for (int i = 0; i < steps; ++i) {
    const auto at = static_cast<std::size_t>(i);
    near(s.R1[at], i, -1);
    near(s.Rg0[at], i, g0);
    for (int k = 0; k < m; ++k) near(s.RQg[static_cast<std::size_t>(std::int64_t{i} * m + k)], i, steps + k);
  }
  for (int i = 0; i < m; ++i) {
    const auto at = static_cast<std::size_t>(i);
    near(s.z1[at], steps + i, -1);
    near(s.z0[at], steps + i, g0);
    for (int k = 0; k < m; ++k)
      near(s.G[static_cast<std::size_t>(std::int64_t{i} * m + k)], steps + i, steps + k);
  }
  near(s.g0g0, g0, g0);
  near(s.sum_g0, g0, -1);
}

TEST_P(Stacked, SolvesWhatTheResidualSays) {
  const auto scene = test::make_aam_scene({.pixels = 997, .modes = 5});
  const StackedLevel s = stack(scene.level, GetParam(), 1);
  const auto n = static_cast<std::size_t>(scene.level.samples());
  const std::vector<double> p(scene.start.begin(), scene.start.end());
  std::vector<double> x =
      test::detail::aam_sample(scene.level, scene.planes, test::detail::aam_shape(scene.level, p));
  const auto row = [&](int r, std::size_t i) {
    return double{s.matrix[static_cast<std::size_t>(r) * n + i]};
  };
  for (double& v : x) v -= double{scene.level.sample_offset};

  std::vector<double> sums(static_cast<std::size_t>(s.rows()));
  double S1 = 0, S2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    S1 += x[i];
    S2 += x[i] * x[i];
    for (int r = 0; r < s.rows(); ++r) sums[static_cast<std::size_t>(r)] += row(r, i) * x[i];
  }
  std::vector<double> step(static_cast<std::size_t>(s.steps()));
  const PassSolution found = solve_pass(s, sums.data(), S1, S2, scene.start.data(), step.data());

  const double beta = S1 / static_cast<double>(n);
  double dot = 0, sum_g0 = 0, g0g0 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double g0 = row(s.rows() - 1, i);
    dot += x[i] * g0;
    sum_g0 += g0;
    g0g0 += g0 * g0;
  }
  const double alpha = (dot - beta * sum_g0) / g0g0;
  double error = 0;
  std::vector<double> expected(step.size());
  for (std::size_t i = 0; i < n; ++i) {
    double r = (x[i] - beta) / alpha - row(s.rows() - 1, i);
    for (int k = 0; k < s.modes; ++k) r -= row(s.steps() + k, i) * p[static_cast<std::size_t>(k)];
    error += r * r;
    for (std::size_t j = 0; j < expected.size(); ++j) expected[j] -= row(static_cast<int>(j), i) * r;
  }
  // Everything is in double; the one-pass error is a difference of numbers near 1, the steps of numbers near
  // |R| / alpha |x|: n eps of those, 1000 * 2e-16 * 100 at most.
  EXPECT_NEAR(found.beta, beta, 1e-12);
  EXPECT_NEAR(found.alpha, alpha, 1e-9 * alpha);
  EXPECT_GT(error, 1e-4);
  EXPECT_NEAR(found.error, error, 1e-11);
  for (std::size_t j = 0; j < step.size(); ++j) EXPECT_NEAR(step[j], expected[j], 1e-10) << j;

  // The error alone is the same.
  EXPECT_EQ(solve_pass(s, sums.data(), S1, S2, scene.start.data(), nullptr).error, found.error);
  // A flat texture, and one that is the negative of the model's, are no face.
  const std::vector<double> none(sums.size());
  EXPECT_LE(solve_pass(s, none.data(), 0, 0, scene.start.data(), step.data()).alpha, 0);
  for (double& v : sums) v = -v;
  EXPECT_LE(solve_pass(s, sums.data(), -S1, S2, scene.start.data(), step.data()).alpha, 0);
}

INSTANTIATE_TEST_SUITE_P(Storages, Stacked, testing::Values(Storage::float32, Storage::float16));

TEST(Stack, HalvesAreWithinHalfAnUlpAndTheirScaleIsAPowerOfTwo) {
  auto scene = test::make_aam_scene({.pixels = 501, .modes = 3});
  std::vector<float> Qg(scene.level.Qg.begin(), scene.level.Qg.end());
  std::fill_n(Qg.begin(), 501, 0.0f);  // a mode without texture
  scene.level.Qg = Qg;
  const StackedLevel exact = stack(scene.level, Storage::float32, 1);
  const StackedLevel s = stack(scene.level, Storage::float16, 1);
  EXPECT_TRUE(exact.halves.empty());
  EXPECT_TRUE(std::all_of(exact.scale.begin(), exact.scale.end(), [](float v) { return v == 1; }));
  ASSERT_EQ(s.halves.size(), s.matrix.size());
  std::size_t changed = 0;
  for (int r = 0; r < s.rows(); ++r) {
    const float scale = s.scale[static_cast<std::size_t>(r)];
    int exponent = 0;
    EXPECT_EQ(std::frexp(scale, &exponent), 0.5f);
    float largest = 0;
    for (std::size_t i = 0; i < 501; ++i)
      largest = std::max(largest, std::abs(exact.matrix[static_cast<std::size_t>(r) * 501 + i]));
    for (std::size_t i = 0; i < 501; ++i) {
      const std::size_t at = static_cast<std::size_t>(r) * 501 + i;
      // 11 significant bits, and no value so small against its row that it is subnormal.
      EXPECT_LE(std::abs(s.matrix[at] - exact.matrix[at]),
                std::max(std::abs(exact.matrix[at]) * 0x1p-11f, largest * 0x1p-39f));
      changed += s.matrix[at] != exact.matrix[at];
      // What a half says by its bits.
      const int bits = s.halves[at], e = bits >> 10 & 31, f = bits & 1023;
      const double half =
          (bits & 0x8000 ? -1 : 1) * (e == 0 ? std::ldexp(f, -24) : std::ldexp(1024 + f, e - 25));
      EXPECT_EQ(static_cast<float>(half * double{scale}), s.matrix[at]);
    }
  }
  EXPECT_GT(changed, s.matrix.size() / 2);
}

TEST(Stack, IsTheSameForAnyNumberOfThreads) {
  const auto scene = test::make_aam_scene({.pixels = 5000, .modes = 4});
  const StackedLevel one = stack(scene.level, Storage::float16, 1),
                     three = stack(scene.level, Storage::float16, 3);
  EXPECT_EQ(one.matrix, three.matrix);
  EXPECT_EQ(one.RQg, three.RQg);
  EXPECT_EQ(one.G, three.G);
}

}  // namespace
}  // namespace triptych::aam_fit
