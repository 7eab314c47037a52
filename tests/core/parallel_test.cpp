#include <triptych/core/parallel.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 31, 32, 33, 997, 100000}) {
    for (const int threads : {0, 1, 2, 3, 8}) {
      SCOPED_TRACE(std::to_string(count) + " indices on " + std::to_string(threads) + " threads");
      std::vector<int> visits(static_cast<std::size_t>(count));  // plain ints: each index belongs to one call
      parallel_for(-5, count - 5, threads,
                   [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i + 5)]; });
      EXPECT_EQ(visits, std::vector<int>(static_cast<std::size_t>(count), 1));
    }
  }
}

TEST(ParallelFor, UsesNoMoreThreadsThanAsked) {
  for (const int threads : {1, 2, 5}) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    parallel_for(0, 1000, threads, [&](std::int64_t) {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    EXPECT_LE(seen.size(), static_cast<std::size_t>(threads));
  }
}

TEST(ParallelFor, WorksAtTheEndOfTheIndexRange) {
  std::atomic<std::int64_t> largest{0};
  parallel_for(INT64_MAX - 1, INT64_MAX, 2, [&](std::int64_t i) { largest = i; });
  EXPECT_EQ(largest, INT64_MAX - 1);
}

TEST(ParallelFor, CarriesTheExceptionToTheCaller) {
  for (const int threads : {1, 4}) {
    std::atomic<std::int64_t> calls{0};
    const auto loop = [&] {
      parallel_for(0, 100000, threads, [&](std::int64_t i) {
        ++calls;
        if (i == 17) throw std::out_of_range("index 17");
      });
    };
    EXPECT_ERROR(loop(), std::out_of_range, "index 17");
    EXPECT_LT(calls, 100000);
  }
}

TEST(ParallelFor, SurvivesAnExceptionOnEveryThread) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    EXPECT_ERROR(parallel_for(0, 64, 4, [](std::int64_t) { throw std::runtime_error("all"); }),
                 std::runtime_error, "all");
  }
}

TEST(ParallelFor, NestsAndServesSeveralCallersAtOnce) {
  std::atomic<std::int64_t> sum{0};
  const auto nested = [&] {
    parallel_for(0, 10, 4,
                 [&](std::int64_t i) { parallel_for(0, 10, 4, [&](std::int64_t j) { sum += 10 * i + j; }); });
  };
  std::thread other(nested);
  nested();
  other.join();
  EXPECT_EQ(sum, 2 * 4950);
}

TEST(ParallelFor, RejectsABackwardRange) {
  EXPECT_ERROR(parallel_for(3, 2, 1, [](std::int64_t) {}), InvalidArgument, "from 3 to 2");
}

TEST(ParallelChunks, CutsTheSameChunksForAnyThreads) {
  for (const int threads : {1, 3, 0}) {
    std::vector<std::int64_t> begins(4, -1);
    std::vector<std::int64_t> ends(4, -1);
    parallel_chunks(10, 3, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
      begins[static_cast<std::size_t>(chunk)] = begin;
      ends[static_cast<std::size_t>(chunk)] = end;
    });
    EXPECT_EQ(begins, (std::vector<std::int64_t>{0, 3, 6, 9}));
    EXPECT_EQ(ends, (std::vector<std::int64_t>{3, 6, 9, 10}));
  }
}

TEST(ParallelChunks, TakesChunksLargerThanTheRange) {
  std::int64_t covered = 0;
  parallel_chunks(5, INT64_MAX, 4,
                  [&](std::int64_t begin, std::int64_t end, std::int64_t) { covered += end - begin; });
  EXPECT_EQ(covered, 5);
}

TEST(ParallelChunks, RejectsWhatCannotBe) {
  const auto nothing = [](std::int64_t, std::int64_t, std::int64_t) { FAIL(); };
  parallel_chunks(0, 3, 2, nothing);
  EXPECT_ERROR(parallel_chunks(-1, 3, 2, nothing), InvalidArgument, "-1 elements");
  EXPECT_ERROR(parallel_chunks(4, 0, 2, nothing), InvalidArgument, "chunks of 0");
}

TEST(DefaultThreads, AreAtLeastOne) { EXPECT_GE(default_threads(), 1); }

TEST(DefaultThreads, FollowTheEnvironment) {
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe");  // a fresh process, since OpenMP reads the variable at its start
  setenv("OMP_NUM_THREADS", "3", 1);
  EXPECT_EXIT(std::_Exit(default_threads()), testing::ExitedWithCode(3), "");
  unsetenv("OMP_NUM_THREADS");
}

TEST(ParallelFor, RejectsARangeThatOverflows) {
  EXPECT_ERROR(parallel_for(INT64_MIN, INT64_MAX, 1, [](std::int64_t) {}), InvalidArgument,
               "from -9223372036854775808 to 9223372036854775807");
}

}  // namespace
}  // namespace triptych
