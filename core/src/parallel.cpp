#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>

#include "host_info.hpp"
#include "thread_pool.hpp"

namespace triptych {

namespace {

// A running loop, shared by its threads. The first index of a thread is its number; further indices come from
// an atomic counter.
class Loop {
 public:
  Loop(std::int64_t count, void (*call)(void*, std::int64_t), void* context)
      : count_(count), call_(call), context_(context) {}

  // Run by each thread: calls until no index is left or a call has thrown.
  void work(std::int64_t thread, std::int64_t threads) noexcept {
    for (std::int64_t i = thread; i < count_; i = threads + taken_.fetch_add(1, std::memory_order_relaxed)) {
      if (failed_.load(std::memory_order_relaxed)) break;
      try {
        call_(context_, i);
      } catch (...) {
        if (!failed_.exchange(true)) error_ = std::current_exception();
      }
      if (count_ <= threads) break;  // one index per thread
    }
  }

  // Called after all threads have stopped.
  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::int64_t count_;
  void (*call_)(void*, std::int64_t);
  void* context_;
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  alignas(64) std::atomic<std::int64_t> taken_{
      0};  // in its own cache line: all threads read the other members
};

int find_default_threads() {
  if (const char* const value = std::getenv("OMP_NUM_THREADS")) {
    const long threads = std::strtol(value, nullptr, 10);
    if (threads >= 1) return static_cast<int>(std::min(threads, 65535L));
  }
  return usable_processors();
}

}  // namespace

int default_threads() {
  static const int threads = find_default_threads();
  return threads;
}

namespace detail {

void run_indexed(std::int64_t count, int threads, void (*call)(void*, std::int64_t), void* context) {
  const std::int64_t wanted = threads > 0 ? threads : default_threads();
  const int used = static_cast<int>(std::min(wanted, count));
  ThreadPool* const pool = used > 1 ? ThreadPool::of_this_thread() : nullptr;
  if (pool == nullptr) {
    for (std::int64_t i = 0; i < count; ++i) call(context, i);
    return;
  }
  Loop loop(count, call, context);
  pool->run(
      used, [](void* raw, int thread, int of) { static_cast<Loop*>(raw)->work(thread, of); }, &loop);
  loop.rethrow();
}

}  // namespace detail

}  // namespace triptych
