#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <string>

#include "likelihood/run_on_threads.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood::detail {
namespace {

TEST(RunOnThreads, RunsEachOnceAndThrowsWhatOneThrew) {
  std::atomic<int> runs{0};
  run_on_threads(5, [&](std::size_t i) { runs += 1 << i; });
  EXPECT_EQ(runs, 31);
  runs = 0;
  const auto work = [&](std::size_t i) {
    ++runs;
    if (i == 1) throw InvalidArgument("the second");
  };
  EXPECT_ERROR(run_on_threads(3, work), InvalidArgument, "the second");
  EXPECT_EQ(runs, 3);
  run_on_threads(0, work);
}

#if !defined(TRIPTYCH_SANITIZED)
// Address space for a few stacks of 8 MB, not for 64.
TEST(RunOnThreads, AThreadThatCannotBeStartedIsAnError) {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = static_cast<rlim_t>(pages) * 4096 + (rlim_t{200} << 20);
  std::atomic<int> runs{0};
  const auto work = [&](std::size_t) {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // holds its stack until the limit is met
  };
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  EXPECT_ERROR(run_on_threads(64, work), Error, "of 64 cannot be started");
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_GT(runs, 0);
  EXPECT_LT(runs, 64);
  run_on_threads(4, work);
}
#endif

}  // namespace
}  // namespace triptych::capsule_likelihood::detail
