// A deal gives every row to one worker, in strips that get shorter towards the end; what a thread is told to
// expect next is what it gets.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "moments/strips.hpp"

namespace triptych::skin_tracker {
namespace {

// Strips in the order in which they are dealt when workers take turns.
std::vector<Region> strips_of(Deal& deal, int workers) {
  std::vector<Region> strips;
  for (int worker = 0; worker < workers; ++worker) {
    if (const Region strip = deal.first(worker); strip.height > 0) strips.push_back(strip);
  }
  for (Region strip = deal.next(); strip.height > 0; strip = deal.next()) strips.push_back(strip);
  return strips;
}

TEST(Deal, GivesEveryRowOnceInOrder) {
  for (const auto first : {Deal::First::beforehand, Deal::First::in_turn}) {
    for (const int rows : {0, 1, 2, 5, 6, 7, 97, 480, 1080, 2161, 4352}) {
      for (const int workers : {1, 2, 3, 7, 16, 64, 256}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << workers << " workers");
        Deal deal({3, 11, 50, rows}, workers, first);
        int row = 11;
        for (const Region& strip : strips_of(deal, workers)) {
          EXPECT_EQ(strip, (Region{3, row, 50, strip.height}));
          row += strip.height;
        }
        EXPECT_EQ(row, 11 + rows);
      }
    }
  }
}

// What a thread may have left when the others are done is a strip: the last ones must be short. Rows are read
// in pairs: only the last strip may have an odd number.
TEST(Deal, StripsGetShorterAndAreEven) {
  for (const auto first : {Deal::First::beforehand, Deal::First::in_turn}) {
    for (const int workers : {2, 8, 16}) {
      Deal deal({0, 0, 1920, 1080}, workers, first);
      const std::vector<Region> strips = strips_of(deal, workers);
      EXPECT_GE(strips.front().height, 1080 / (2 * workers));
      EXPECT_LE(strips.back().height, Deal::shortest);
      EXPECT_GE(strips.size(), 3u * static_cast<unsigned>(workers));
      for (std::size_t i = 1; i < strips.size(); ++i) {
        EXPECT_LE(strips[i].height, strips[i - 1].height) << i;
        EXPECT_EQ(strips[i - 1].height % 2, 0) << i;
      }
    }
  }
}

// The weight of a strip: its rows' numbers. Some of those who add up ask what comes next, as often as they
// like, others do not.
struct CountRows {
  int asks;
  Sums operator()(const Region& strip, NextStrip next) const {
    Sums sums;
    for (int y = strip.y; y < strip.y + strip.height; ++y) {
      ++sums.weight;
      sums.y += y;
    }
    const Region coming = asks > 0 ? next() : Region{};
    for (int i = 1; i < asks; ++i) EXPECT_EQ(next(), coming);
    return sums;
  }
};

TEST(Deal, WorkersDoEveryRowWhetherTheyAskOrNot) {
  for (const int asks : {0, 1, 3}) {
    Deal deal({0, 0, 8, 1080}, 3);
    Sums sums;
    for (const int worker : {1, 0, 2}) sums += deal.work(worker, CountRows{asks});
    EXPECT_EQ(sums.weight, 1080u);
    EXPECT_EQ(sums.y, 1080 * 1079 / 2);
  }
}

TEST(Deal, ThreadsDoEveryRowOnce) {
  constexpr int workers = 4;
  for (const auto first : {Deal::First::beforehand, Deal::First::in_turn}) {
    for (int round = 0; round < 50; ++round) {
      Deal deal({0, 0, 8, 4352}, workers, first);
      std::vector<PartSums> parts(workers);
      {
        std::vector<std::jthread> threads;
        threads.reserve(workers);
        for (int w = 0; w < workers; ++w)
          threads.emplace_back(
              [&, w] { parts[static_cast<std::size_t>(w)].sums = deal.work(w, CountRows{w % 2}); });
      }
      Sums sums;
      for (const PartSums& part : parts) sums += part.sums;
      EXPECT_EQ(sums.weight, 4352u);
      EXPECT_EQ(sums.y, 4352 * 4351 / 2);
    }
  }
}

TEST(NextStrip, IsNothingUnlessTold) {
  EXPECT_EQ(NextStrip()(), Region{});
  auto ask = [] { return Region{1, 2, 3, 4}; };
  EXPECT_EQ(NextStrip(ask)(), (Region{1, 2, 3, 4}));
}

}  // namespace
}  // namespace triptych::skin_tracker
