#include <triptych/core/relax.hpp>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "host_info.hpp"
#include "thread_pool.hpp"

namespace triptych {

namespace {

// Longer than a GPU keeps a caller waiting between two loops of a frame: to wake 15 threads can take as long
// as the frame.
constexpr std::chrono::microseconds look_out{2000};
constexpr int looks_per_clock = 64;
constexpr int looks_before_yield = 4096;

// What the calling thread is: of plain types, which stay readable while the thread ends.
enum class Role { caller, busy, ended };
thread_local Role role = Role::caller;

}  // namespace

ThreadPool* ThreadPool::of_this_thread() {
  if (role != Role::caller) return nullptr;
  struct Owned {
    ThreadPool pool;
    ~Owned() { role = Role::ended; }
  };
  thread_local Owned owned;
  return &owned.pool;
}

ThreadPool::~ThreadPool() {
  const std::uint64_t loop = (order_.load(std::memory_order_relaxed) >> thread_bits) + 1;
  order_.store(loop << thread_bits, std::memory_order_release);
  order_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::grow(int threads) {
  try {
    while (static_cast<int>(threads_.size()) + 1 < threads) {
      const int thread = static_cast<int>(threads_.size()) + 1;
      if (static_cast<int>(parts_.size()) < thread) parts_.emplace_back();
      threads_.emplace_back([this, thread, &part = parts_.back()] { serve(thread, part); });
    }
  } catch (const std::system_error&) {  // the system gives no more
  }
}

bool ThreadPool::Part::take(std::uint64_t loop) {
  std::uint64_t last = begun.load(std::memory_order_relaxed);
  return last < loop && begun.compare_exchange_strong(last, loop, std::memory_order_relaxed);
}

void ThreadPool::run(int threads, Work work, void* context) {
  threads = static_cast<int>(std::min<std::uint64_t>(max_threads, static_cast<std::uint64_t>(threads)));
  if (static_cast<int>(threads_.size()) + 1 < threads) {
    patient_.store(threads <= usable_processors(), std::memory_order_relaxed);
    grow(threads);
    threads = std::min(threads, static_cast<int>(threads_.size()) + 1);
  }
  work_ = work;
  context_ = context;
  const std::uint64_t loop = (order_.load(std::memory_order_relaxed) >> thread_bits) + 1;
  order_.store(loop << thread_bits | static_cast<std::uint64_t>(threads), std::memory_order_release);
  order_.notify_all();

  role = Role::busy;
  work(context, 0, threads);
  for (int thread = 1; thread < threads; ++thread) {
    Part& part = parts_[static_cast<std::size_t>(thread - 1)];
    if (!part.take(loop)) continue;
    work(context, thread, threads);
    part.done.store(loop, std::memory_order_relaxed);
  }
  role = Role::caller;
  int looks = 0;
  for (int thread = 1; thread < threads; ++thread) {
    const Part& part = parts_[static_cast<std::size_t>(thread - 1)];
    while (part.done.load(std::memory_order_acquire) != loop) {
      relax();
      if (++looks > looks_before_yield) std::this_thread::yield();  // its core may be what they wait for
    }
  }
}

void ThreadPool::serve(int thread, Part& part) {
  role = Role::busy;
  // A thread begins before the loop that it was made for is announced: the announcement is what it waits for,
  // whichever number that has.
  std::uint64_t order = 0;
  while (true) {
    order = await_order(order);
    const int threads = static_cast<int>(order & max_threads);
    if (threads == 0) return;
    // Only who has the part may look at what the order is about: the loop then waits for it.
    const std::uint64_t loop = order >> thread_bits;
    if (thread >= threads || !part.take(loop)) continue;
    work_(context_, thread, threads);
    part.done.store(loop, std::memory_order_release);
  }
}

// The next order after the last one.
std::uint64_t ThreadPool::await_order(std::uint64_t last) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  for (int looks = 1;; ++looks) {
    const std::uint64_t order = order_.load(std::memory_order_acquire);
    if (order != last) return order;
    relax();
    if (looks % looks_per_clock == 0 &&
        (!patient_.load(std::memory_order_relaxed) || Clock::now() - started > look_out))
      order_.wait(last, std::memory_order_relaxed);
  }
}

}  // namespace triptych
