// Loops over chunks: the results are combined in the order of the chunks, for any number of threads.
#include <triptych/reduction/collective/chunks.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::reduction {
namespace {

struct Joined {  // not commutative: shows the order
  using Value = std::string;
  std::string identity() const { return "("; }
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
};

std::string range(std::int64_t begin, std::int64_t end) {
  return "[" + std::to_string(begin) + " " + std::to_string(end) + ")";
}

TEST(Chunks, ValuesAreCombinedInTheOrderOfTheChunks) {
  for (const int threads : {0, 1, 2, 3, 8}) {
    EXPECT_EQ(reduce_chunks(10, 4, threads, Joined{}, range), "([0 4)[4 8)[8 10)");
    EXPECT_EQ(reduce_chunks(8, 4, threads, Joined{}, range), "([0 4)[4 8)");
    EXPECT_EQ(reduce_chunks(1, 4, threads, Joined{}, range), "([0 1)");
    EXPECT_EQ(reduce_chunks(0, 4, threads, Joined{}, range), "(");
  }
}

TEST(Chunks, FloatSumsHaveTheBitsOfALoop) {
  for (const std::int64_t count : {1, 31, 1000, 4097}) {
    auto values = test::random_values<float>(count, -1, 1, 5);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] *= 1 << 20;
    const auto sum = [&](std::int64_t begin, std::int64_t end) {
      return std::accumulate(values.begin() + begin, values.begin() + end, 0.0f);
    };
    float expected = 0;
    for (std::int64_t begin = 0; begin < count; begin += 100)
      expected += sum(begin, std::min(count, begin + 100));
    for (const int threads : {1, 2, 5})
      EXPECT_EQ(reduce_chunks(count, 100, threads, Sum<float>{}, sum), expected);
    values.back() += 1 << 22;
    EXPECT_NE(reduce_chunks(count, 100, 2, Sum<float>{}, sum), expected);
  }
}

TEST(Chunks, PartsAreFoldedInOrderAndOthersLeftAlone) {
  std::vector<std::int64_t> parts(5, -1), order;
  fold_chunks(
      std::span(parts), 7, 2, 3,
      [](std::int64_t& part, std::int64_t begin, std::int64_t end) { part = 100 * begin + end; },
      [&](const std::int64_t& part) { order.push_back(part); });
  EXPECT_EQ(order, (std::vector<std::int64_t>{2, 204, 406, 607}));
  EXPECT_EQ(parts.back(), -1);
}

TEST(Chunks, RefusesTooFewPartsAndPassesExceptionsOn) {
  std::vector<int> parts(2), folded;
  const auto nothing = [](int&, std::int64_t, std::int64_t) {};
  const auto fold = [&](int part) { folded.push_back(part); };
  EXPECT_ERROR(fold_chunks(std::span(parts), 7, 2, 1, nothing, fold), InvalidArgument, "4 chunks");
  EXPECT_ERROR(fold_chunks(std::span(parts), -1, 2, 1, nothing, fold), InvalidArgument, "-1");
  EXPECT_ERROR(fold_chunks(std::span(parts), 1, 0, 1, nothing, fold), InvalidArgument, "chunks of 0");
  EXPECT_ERROR(reduce_chunks(1, 0, 1, Joined{}, range), InvalidArgument, "chunks of 0");
  const auto fails = [](int&, std::int64_t, std::int64_t) { throw std::runtime_error("in the body"); };
  EXPECT_THROW(fold_chunks(std::span(parts), 4, 2, 2, fails, fold), std::runtime_error);
  EXPECT_TRUE(folded.empty());
}

TEST(Chunks, OrdersOfCombining) {
  std::vector<Slot<std::string>> slots{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}};
  struct Pair : Joined {
    std::string operator()(const std::string& a, const std::string& b) const { return "{" + a + b + "}"; }
  };
  EXPECT_EQ(combine_pairwise<Pair>(slots, {}), "{{ab}{c{de}}}");
  EXPECT_EQ(combine_in_order<Pair>(slots, {}), "{{{{{(a}b}c}d}e}");
  EXPECT_EQ(combine_in_order<Pair>({}, {}), "(");
  EXPECT_EQ(chunk_count(0, 3), 0);
  EXPECT_EQ(chunk_count(6, 3), 2);
  EXPECT_EQ(chunk_count(7, 3), 3);
}

TEST(Chunks, AnEmptyRangeHasNoParts) {
  int calls = 0;
  split_among_threads(0, 4, [&](std::int64_t, std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
  EXPECT_ERROR(split_among_threads(-3, 4, [&](std::int64_t, std::int64_t) { ++calls; }), InvalidArgument,
               "cannot loop over -3 elements");
}

}  // namespace
}  // namespace triptych::reduction
