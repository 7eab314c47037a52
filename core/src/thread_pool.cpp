#include <triptych/core/cpu_pause.hpp>

#include <algorithm>
#include <chrono>
#include <exception>

#include "host_info.hpp"
#include "thread_pool.hpp"

namespace triptych {

namespace {

// Longer than a caller waits for a GPU between two loops of a frame: waking 15 threads can take as long as
// the frame.
constexpr std::chrono::microseconds spin_time{2000};
constexpr int polls_per_clock = 64;
constexpr int polls_before_yield = 4096;

// The role of the calling thread: of a trivial type, which stays readable while the thread ends.
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
  const std::uint64_t loop = (command_.load(std::memory_order_relaxed) >> thread_bits) + 1;
  command_.store(loop << thread_bits, std::memory_order_release);
  command_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::grow(int threads) {
  try {
    while (static_cast<int>(threads_.size()) + 1 < threads) {
      const int thread = static_cast<int>(threads_.size()) + 1;
      if (static_cast<int>(parts_.size()) < thread) parts_.emplace_back();
      threads_.emplace_back([this, thread, &part = parts_.back()] { run_thread(thread, part); });
    }
  } catch (const std::exception&) {  // the system has no thread or no memory left: run with fewer
  }
}

bool ThreadPool::Part::claim(std::uint64_t loop) {
  std::uint64_t last = begun.load(std::memory_order_relaxed);
  return last < loop && begun.compare_exchange_strong(last, loop, std::memory_order_relaxed);
}

void ThreadPool::run(int threads, Work work, void* context) {
  threads = static_cast<int>(std::min<std::uint64_t>(max_threads, static_cast<std::uint64_t>(threads)));
  if (static_cast<int>(threads_.size()) + 1 < threads) {
    may_spin_.store(threads <= usable_processors(), std::memory_order_relaxed);
    grow(threads);
    threads = std::min(threads, static_cast<int>(threads_.size()) + 1);
  }
  work_ = work;
  context_ = context;
  const std::uint64_t loop = (command_.load(std::memory_order_relaxed) >> thread_bits) + 1;
  command_.store(loop << thread_bits | static_cast<std::uint64_t>(threads), std::memory_order_release);
  command_.notify_all();

  role = Role::busy;
  work(context, 0, threads);
  for (int thread = 1; thread < threads; ++thread) {
    Part& part = parts_[static_cast<std::size_t>(thread - 1)];
    if (!part.claim(loop)) continue;
    work(context, thread, threads);
    part.done.store(loop, std::memory_order_relaxed);
  }
  role = Role::caller;
  int polls = 0;
  for (int thread = 1; thread < threads; ++thread) {
    const Part& part = parts_[static_cast<std::size_t>(thread - 1)];
    while (part.done.load(std::memory_order_acquire) != loop) {
      cpu_pause();
      if (++polls > polls_before_yield) std::this_thread::yield();  // the other threads may need this core
    }
  }
}

void ThreadPool::run_thread(int thread, Part& part) {
  role = Role::busy;
  // A thread starts before the command of its first loop is stored, and waits for that command.
  std::uint64_t command = 0;
  while (true) {
    command = wait_for_command(command);
    const int threads = static_cast<int>(command & max_threads);
    if (threads == 0) return;
    // work_ and context_ may be read only after a successful claim: the loop then waits for this thread.
    const std::uint64_t loop = command >> thread_bits;
    if (thread >= threads || !part.claim(loop)) continue;
    work_(context_, thread, threads);
    part.done.store(loop, std::memory_order_release);
  }
}

// The next command after the last one.
std::uint64_t ThreadPool::wait_for_command(std::uint64_t last) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  for (int polls = 1;; ++polls) {
    const std::uint64_t command = command_.load(std::memory_order_acquire);
    if (command != last) return command;
    cpu_pause();
    if (polls % polls_per_clock == 0 &&
        (!may_spin_.load(std::memory_order_relaxed) || Clock::now() - started > spin_time))
      command_.wait(last, std::memory_order_relaxed);
  }
}

}  // namespace triptych
