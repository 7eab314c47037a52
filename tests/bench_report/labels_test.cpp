#include <gtest/gtest.h>

#include <algorithm>

#include "report/labels.hpp"
#include "testing/random.hpp"

namespace triptych::report {
namespace {

TEST(SpreadOut, LeavesWhatFits) {
  EXPECT_EQ(spread_out({10, 30, 60}, 15, 0, 100), (std::vector<double>{10, 30, 60}));
  EXPECT_TRUE(spread_out({}, 15, 0, 100).empty());
}

TEST(SpreadOut, MovesBothSidesEvenly) {
  EXPECT_EQ(spread_out({50, 50}, 10, 0, 100), (std::vector<double>{45, 55}));
  EXPECT_EQ(spread_out({100, 100}, 10, 0, 100), (std::vector<double>{90, 100}));
}

TEST(SpreadOut, KeepsTheGapAndTheBounds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    const auto count = static_cast<std::int64_t>(seed % 30 + 1);
    std::vector<double> wanted = triptych::test::random_values<double>(count, -20, 420, seed);
    std::sort(wanted.begin(), wanted.end());
    const std::vector<double> placed = spread_out(wanted, 15, 0, 400);
    ASSERT_EQ(placed.size(), wanted.size());
    // The gap where all fit, else what there is for each.
    const double gap = std::min(15.0, 400.0 / static_cast<double>(std::max<std::int64_t>(1, count - 1)));
    EXPECT_GE(placed.front(), -1e-9);
    EXPECT_LE(placed.back(), 400 + 1e-9);
    for (std::size_t i = 1; i < placed.size(); ++i) EXPECT_GE(placed[i] - placed[i - 1], gap - 1e-6);
  }
}

TEST(PlaceLabels, BesideAnEndWithRoomElseInTheColumn) {
  const Box frame{0, 0, 400, 300};
  const std::vector<Point> early = {{10, 200}, {100, 50}};
  const std::vector<Point> late = {{10, 250}, {390, 100}};
  const std::vector<LabelPlace> free =
      place_labels({{"early", early.back(), false}, {"late", late.back(), true}}, {early, late}, frame, 420);
  EXPECT_FALSE(free[0].in_column);
  EXPECT_GT(free[0].at.x, 100);
  EXPECT_TRUE(free[1].in_column);
  EXPECT_EQ(free[1].at.x, 420);
  EXPECT_EQ(free[1].at.y, 100);

  std::vector<std::vector<Point>> crowd = {early};
  for (double y = 0; y < 300; y += 5) crowd.push_back({{0, y}, {400, y}});
  EXPECT_TRUE(place_labels({{"early", early.back(), false}}, crowd, frame, 420)[0].in_column);
}

}  // namespace
}  // namespace triptych::report
