#include <triptych/core/parallel.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include "testing/expect_error.hpp"
#include "thread_pool.hpp"

namespace triptych {
namespace {

struct Seen {
  std::vector<int> times;  // plain: a thread's number belongs to it
  std::atomic<int> threads{0};

  explicit Seen(int most) : times(static_cast<std::size_t>(most)) {}
  static void work(void* raw, int thread, int threads) {
    auto& seen = *static_cast<Seen*>(raw);
    ++seen.times[static_cast<std::size_t>(thread)];
    seen.threads = threads;
  }
};

TEST(ThreadPool, RunsEachThreadOnceWhateverTheirNumber) {
  ThreadPool pool;
  for (const int threads : {2, 5, 1, 3, 8, 2, 8}) {
    Seen seen(threads);
    pool.run(threads, &Seen::work, &seen);
    EXPECT_EQ(seen.threads, threads);
    EXPECT_EQ(seen.times, std::vector<int>(static_cast<std::size_t>(threads), 1));
  }
}

// Loops follow each other closely, and with pauses in which the threads fall asleep.
TEST(ThreadPool, NoLoopIsMissed) {
  ThreadPool pool;
  Seen seen(3);
  int loops = 0;
  for (; loops < 2000; ++loops) {
    pool.run(loops % 2 == 0 ? 3 : 2, &Seen::work, &seen);
    if (loops % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(seen.times, (std::vector<int>{2000, 2000, 1000}));
}

// Threads without a core are late for their loops: each part runs once, in its thread or in the caller.
TEST(ThreadPool, ABusyMachineMissesNothingAndDoesNothingTwice) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  const std::int64_t many = 2 * std::int64_t{default_threads()} + 2;
  busy.reserve(static_cast<std::size_t>(many));
  for (std::int64_t i = 0; i < many; ++i)
    busy.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
      }
    });
  ThreadPool pool;
  Seen seen(6);
  constexpr int loops = 300;
  for (int i = 0; i < loops; ++i) {
    pool.run(6, &Seen::work, &seen);
    if (i % 30 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));  // they fall asleep
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
  EXPECT_EQ(seen.times, std::vector<int>(6, loops));
}

// The caller does not wait for a thread that has not begun.
TEST(ThreadPool, TheCallerDoesWhatNobodyHasBegun) {
  ThreadPool pool;
  struct Who {
    std::array<std::thread::id, 64> by;
    static void work(void* raw, int thread, int) {
      static_cast<Who*>(raw)->by[static_cast<std::size_t>(thread)] = std::this_thread::get_id();
    }
  };
  Who who{};
  int by_caller = 0;
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // longer than they spin
    pool.run(64, &Who::work, &who);
    for (std::size_t t = 1; t < who.by.size(); ++t)
      by_caller += who.by[t] == std::this_thread::get_id() ? 1 : 0;
  }
  // Waking 63 threads takes far longer than 63 empty parts.
  EXPECT_GT(by_caller, 0);
}

TEST(ThreadPool, EachCallingThreadHasItsOwn) {
  ThreadPool* const here = ThreadPool::of_this_thread();
  ASSERT_NE(here, nullptr);
  EXPECT_EQ(ThreadPool::of_this_thread(), here);
  std::atomic<bool> busy_has_one{false};
  std::thread([&] {
    ThreadPool* const there = ThreadPool::of_this_thread();
    EXPECT_NE(there, here);
    EXPECT_NE(there, nullptr);
    parallel_for(0, 8, 2, [&](std::int64_t) {
      if (ThreadPool::of_this_thread() != nullptr) busy_has_one = true;  // not inside a loop
    });
  }).join();
  EXPECT_FALSE(busy_has_one);
}

// During its lifetime no thread can start: there is no room for its stack.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_attr_t large;
    pthread_getattr_default_np(&usual_);
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 48);
    pthread_setattr_default_np(&large);
    pthread_attr_destroy(&large);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t usual_;
};

TEST(ThreadPool, RunsWithTheThreadsThatCouldStart) {
  ThreadPool pool;
  Seen two(2), five(5);
  pool.run(2, &Seen::work, &two);
  {
    const NoMoreThreads none;
    EXPECT_THROW(std::thread([] {}).join(), std::system_error);
    pool.run(5, &Seen::work, &five);
    EXPECT_EQ(five.threads, 2);
    EXPECT_EQ(five.times, (std::vector<int>{1, 1, 0, 0, 0}));
  }
  pool.run(5, &Seen::work, &five);
  EXPECT_EQ(five.threads, 5);
  EXPECT_EQ(five.times, (std::vector<int>{2, 2, 1, 1, 1}));
}

TEST(ThreadPool, ALoopWithoutOtherThreadsRunsOnItsCaller) {
  std::int64_t sum = 0;
  std::thread([&] {
    const NoMoreThreads none;
    parallel_for(1, 101, 4, [&](std::int64_t i) { sum += i; });  // plain: one thread
    EXPECT_ERROR(parallel_for(0, 100, 4, [](std::int64_t i) { require(i != 42, "index ", i); }),
                 InvalidArgument, "index 42");
  }).join();
  EXPECT_EQ(sum, 5050);
}

}  // namespace
}  // namespace triptych
