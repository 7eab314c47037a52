// Row sums and matrix-vector products on the CPU against double precision, and the text form of row plans.
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/reduction/rows.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace triptych::reduction {
namespace {

constexpr std::uint64_t seed = 4711;

std::vector<float> numbers(std::int64_t count, std::uint64_t stream) {
  std::vector<float> v(static_cast<std::size_t>(count));
  PhiloxStream random(seed, stream);
  for (float& x : v) x = 2 * random.next_uniform() - 1;
  return v;
}

struct Shape {
  std::int64_t rows, cols, stride;
};
constexpr Shape shapes[] = {{0, 5, 5},           {3, 0, 0},          {1, 1, 1},         {5, 3, 3},
                            {7, 31, 32},         {7, 32, 33},        {7, 33, 40},       {1000, 8, 8},
                            {33, 255, 255},      {16, 1000, 1003},   {200, 8191, 8191}, {24, 65536, 65536},
                            {1, 300001, 300001}, {3, 100003, 100007}};

// Roundings: 8192 columns per segment over at least 32 lanes, the tree of the lanes, log2 of the number of
// segments, one product.
double bound(std::int64_t cols, double magnitude) {
  const double eps = std::numeric_limits<float>::epsilon();
  const double chain = std::min(static_cast<double>(cols), 8192.0) / 32 + 1;
  return (chain + 5 + std::log2(static_cast<double>(cols) / 8192 + 2) + 1) * eps * magnitude;
}

TEST(RowsCpu, SumsAndProductsMatchDoublePrecision) {
  for (const Shape& s : shapes) {
    const std::vector<float> a = numbers(s.rows * s.stride, 1), x = numbers(s.cols, 2);
    const MatrixView<const float> matrix(a.data(), s.rows, s.cols, s.stride);
    std::vector<float> sums(static_cast<std::size_t>(s.rows) + 2, -77),
        products = sums;  // guards at both ends
    const auto inside = [&](std::vector<float>& v) {
      return std::span(v).subspan(1, static_cast<std::size_t>(s.rows));
    };
    row_sums_cpu(matrix, inside(sums), 0);
    multiply_cpu(matrix, x, inside(products), 0);
    for (std::int64_t r = 0; r < s.rows; ++r) {
      double sum = 0, product = 0, magnitude = 0, product_magnitude = 0;
      for (std::int64_t c = 0; c < s.cols; ++c) {
        const double v = a[static_cast<std::size_t>(r * s.stride + c)];
        const double w = x[static_cast<std::size_t>(c)];
        sum += v, magnitude += std::abs(v);
        product += v * w, product_magnitude += std::abs(v * w);
      }
      const auto at = static_cast<std::size_t>(r + 1);
      ASSERT_NEAR(sums[at], sum, bound(s.cols, magnitude)) << s.rows << " x " << s.cols << " row " << r;
      ASSERT_NEAR(products[at], product, bound(s.cols, product_magnitude))
          << s.rows << " x " << s.cols << " row " << r;
    }
    for (const auto& v : {sums, products}) {
      EXPECT_EQ(v.front(), -77);
      EXPECT_EQ(v.back(), -77);
    }
  }
}

TEST(RowsCpu, TheSameBitsForAnyNumberOfThreads) {
  for (const Shape& s : shapes) {
    const std::vector<float> a = numbers(s.rows * s.stride, 3), x = numbers(s.cols, 4);
    const MatrixView<const float> matrix(a.data(), s.rows, s.cols, s.stride);
    std::vector<float> one(static_cast<std::size_t>(s.rows)), many = one, sums = one, more_sums = one;
    multiply_cpu(matrix, x, one, 1);
    row_sums_cpu(matrix, sums, 1);
    for (const int threads : {0, 2, 3, 7}) {
      multiply_cpu(matrix, x, many, threads);
      row_sums_cpu(matrix, more_sums, threads);
      EXPECT_EQ(one, many) << threads << " threads, " << s.rows << " x " << s.cols;
      EXPECT_EQ(sums, more_sums) << threads << " threads, " << s.rows << " x " << s.cols;
    }
  }
}

TEST(RowsCpu, WhatLiesBetweenTheRowsIsNotRead) {
  std::vector<float> a(10 * 40, std::nanf(""));
  for (std::size_t r = 0; r < 10; ++r) std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(40 * r), 33, 1.0f);
  std::vector<float> sums(10);
  row_sums_cpu({a.data(), 10, 33, 40}, sums, 2);
  for (const float s : sums) EXPECT_EQ(s, 33);
}

TEST(RowsCpu, ChangedInputIsNoticed) {
  std::vector<float> a = numbers(4 * 20000, 5), x = numbers(20000, 6), before(4), after(4);
  multiply_cpu({a.data(), 4, 20000}, x, before, 0);
  a[3 * 20000 - 1] += 1;  // the end of row 2
  multiply_cpu({a.data(), 4, 20000}, x, after, 0);
  EXPECT_NE(before[2], after[2]);
  EXPECT_EQ(before[1], after[1]);
  EXPECT_EQ(before[3], after[3]);
}

TEST(RowsCpu, BadInputIsRefusedInASentence) {
  const std::vector<float> a(12), x3(3), x4(4);
  std::vector<float> y3(3), y4(4);
  const MatrixView<const float> matrix(a.data(), 3, 4);
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([&] { multiply_cpu(matrix, x3, y3, 0); }).find("4 columns"), std::string::npos);
  EXPECT_NE(message([&] { multiply_cpu(matrix, x4, y4, 0); }).find("3 rows"), std::string::npos);
  EXPECT_NE(message([&] { row_sums_cpu(matrix, y4, 0); }).find("3 rows"), std::string::npos);
  EXPECT_NE(message([&] { row_sums_cpu(matrix, y3, -1); }).find("-1"), std::string::npos);
  EXPECT_NE(message([&] {
              row_sums_cpu(matrix, {static_cast<float*>(nullptr), 3}, 0);
            }).find("null"),
            std::string::npos);
}

TEST(RowPlan, TextComesBack) {
  for (const int lanes : {1, 4, 8, 32}) {
    for (const int block : {0, 256, 1024}) {
      for (const bool cluster : {false, true}) {
        const RowPlan plan{lanes, block, 2, 8, cluster};
        EXPECT_EQ(parse_row_plan(to_string(plan)), plan) << to_string(plan);
      }
    }
  }
  EXPECT_EQ(threads_per_row({8, 0, 1, 1, false}), 8);
  EXPECT_EQ(threads_per_row({32, 256, 2, 8, true}), 2048);
}

TEST(RowPlan, OtherTextIsRefused) {
  const std::string good = to_string(RowPlan{});
  for (const std::string& bad :
       {std::string(), std::string("lanes"), good + " ", " " + good, good + "\n", good + '\0',
        std::string("lanes=-1"), std::string("lanes=99999999999999999999 block=0 rows=1 shares=1 cluster=0"),
        std::string("lanes=32 block=0 rows=0 shares=1 cluster=0"),
        std::string("lanes=032 block=0 rows=1 shares=1 cluster=0"),
        std::string("lanes=32 block=-0 rows=1 shares=1 cluster=0"),
        std::string("lanes=32 block=0 rows=1 shares=1 cluster=2"), std::string(1 << 20, 'l')}) {
    EXPECT_THROW(parse_row_plan(bad), InvalidArgument) << bad.substr(0, 100);
  }
}

// Any text gives a plan or InvalidArgument, and to_string of the plan is the accepted text.
TEST(RowPlan, RandomChangesOfTheText) {
  PhiloxStream random(seed, 7);
  const std::string good = to_string(RowPlan{32, 512, 2, 8, true});
  for (int k = 0; k < 20000; ++k) {
    std::string text = good;
    for (std::uint32_t changes = 1 + random.next() % 3; changes > 0; --changes) {
      const std::size_t at = random.next() % text.size();
      const auto byte =
          static_cast<char>(random.next() % 3 == 0 ? random.next() % 256 : '0' + random.next() % 10);
      if (random.next() % 4 == 0 && text.size() > 10) {
        text.erase(at, 1 + random.next() % 5);
      } else if (random.next() % 2 == 0) {
        text.insert(at, 1, byte);
      } else {
        text[at] = byte;
      }
    }
    try {
      EXPECT_EQ(to_string(parse_row_plan(text)), text);
    } catch (const InvalidArgument&) {
    }
  }
}

}  // namespace
}  // namespace triptych::reduction
