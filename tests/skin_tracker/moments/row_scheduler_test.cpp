// A scheduler gives every row to one worker, in chunks that get shorter towards the end; what a thread is
// told to expect next is what it gets.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "moments/row_scheduler.hpp"

namespace triptych::skin_tracker {
namespace {

// Chunks in the order in which they are dealt when workers take turns.
std::vector<PixelBox> chunks_of(RowScheduler& scheduler, int workers) {
  std::vector<PixelBox> chunks;
  for (int worker = 0; worker < workers; ++worker) {
    if (const PixelBox chunk = scheduler.first(worker); chunk.height > 0) chunks.push_back(chunk);
  }
  for (PixelBox chunk = scheduler.next(); chunk.height > 0; chunk = scheduler.next()) chunks.push_back(chunk);
  return chunks;
}

TEST(RowScheduler, GivesEveryRowOnceInOrder) {
  for (const auto first : {RowScheduler::First::reserved, RowScheduler::First::on_demand}) {
    for (const int rows : {0, 1, 2, 5, 6, 7, 97, 480, 1080, 2161, 4352}) {
      for (const int workers : {1, 2, 3, 7, 16, 64, 256}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << workers << " workers");
        RowScheduler scheduler({3, 11, 50, rows}, workers, first);
        int row = 11;
        for (const PixelBox& chunk : chunks_of(scheduler, workers)) {
          EXPECT_EQ(chunk, (PixelBox{3, row, 50, chunk.height}));
          row += chunk.height;
        }
        EXPECT_EQ(row, 11 + rows);
      }
    }
  }
}

// What a thread may have left when the others are done is a chunk: the last ones must be short. Rows are read
// in pairs: only the last chunk may have an odd number.
TEST(RowScheduler, ChunksGetShorterAndAreEven) {
  for (const auto first : {RowScheduler::First::reserved, RowScheduler::First::on_demand}) {
    for (const int workers : {2, 8, 16}) {
      RowScheduler scheduler({0, 0, 1920, 1080}, workers, first);
      const std::vector<PixelBox> chunks = chunks_of(scheduler, workers);
      EXPECT_GE(chunks.front().height, 1080 / (2 * workers));
      EXPECT_LE(chunks.back().height, RowScheduler::min_rows);
      EXPECT_GE(chunks.size(), 3u * static_cast<unsigned>(workers));
      for (std::size_t i = 1; i < chunks.size(); ++i) {
        EXPECT_LE(chunks[i].height, chunks[i - 1].height) << i;
        EXPECT_EQ(chunks[i - 1].height % 2, 0) << i;
      }
    }
  }
}

// The weight of a chunk: its rows' numbers. Some workers request the next chunk, as often as they
// like, others do not.
struct CountRows {
  int requests;
  Moments operator()(const PixelBox& chunk, NextChunk next) const {
    Moments sums;
    for (int y = chunk.y; y < chunk.y + chunk.height; ++y) {
      ++sums.weight;
      sums.y += y;
    }
    const PixelBox coming = requests > 0 ? next() : PixelBox{};
    for (int i = 1; i < requests; ++i) EXPECT_EQ(next(), coming);
    return sums;
  }
};

TEST(RowScheduler, WorkersDoEveryRowWithAndWithoutPrefetch) {
  for (const int requests : {0, 1, 3}) {
    RowScheduler scheduler({0, 0, 8, 1080}, 3);
    Moments sums;
    for (const int worker : {1, 0, 2}) sums += scheduler.run(worker, CountRows{requests});
    EXPECT_EQ(sums.weight, 1080u);
    EXPECT_EQ(sums.y, 1080 * 1079 / 2);
  }
}

TEST(RowScheduler, ThreadsDoEveryRowOnce) {
  constexpr int workers = 4;
  for (const auto first : {RowScheduler::First::reserved, RowScheduler::First::on_demand}) {
    for (int round = 0; round < 50; ++round) {
      RowScheduler scheduler({0, 0, 8, 4352}, workers, first);
      std::vector<PartialMoments> parts(workers);
      {
        std::vector<std::jthread> threads;
        threads.reserve(workers);
        for (int w = 0; w < workers; ++w)
          threads.emplace_back(
              [&, w] { parts[static_cast<std::size_t>(w)].moments = scheduler.run(w, CountRows{w % 2}); });
      }
      Moments sums;
      for (const PartialMoments& part : parts) sums += part.moments;
      EXPECT_EQ(sums.weight, 4352u);
      EXPECT_EQ(sums.y, 4352 * 4351 / 2);
    }
  }
}

TEST(NextChunk, IsEmptyByDefault) {
  EXPECT_EQ(NextChunk()(), PixelBox{});
  auto take = [] { return PixelBox{1, 2, 3, 4}; };
  EXPECT_EQ(NextChunk(take)(), (PixelBox{1, 2, 3, 4}));
}

}  // namespace
}  // namespace triptych::skin_tracker
