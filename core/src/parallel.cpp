#include <triptych/core/parallel.hpp>

#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <exception>

#include "host_info.hpp"

// Thread sanitizers do not see the barriers of an OpenMP runtime that was built without them. The function
// with the pragma is therefore left alone, and under a sanitizer Loop orders memory by an atomic of its own,
// which the sanitizer does see. Otherwise it would be one more word for all threads to queue at.
#if defined(__GNUC__)
#define TRIPTYCH_NO_THREAD_SANITIZER __attribute__((no_sanitize("thread")))
#else
#define TRIPTYCH_NO_THREAD_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__)
#define TRIPTYCH_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TRIPTYCH_THREAD_SANITIZER 1
#endif
#endif
#ifndef TRIPTYCH_THREAD_SANITIZER
#define TRIPTYCH_THREAD_SANITIZER 0
#endif

namespace triptych {

namespace {

// One loop in flight, shared by its threads. The first index of a thread is its number; for the others they
// queue up at one word.
class Loop {
 public:
  Loop(std::int64_t count, void (*call)(void*, std::int64_t), void* context)
      : count_(count), call_(call), context_(context) {
    if constexpr (TRIPTYCH_THREAD_SANITIZER) seen_.store(1, std::memory_order_release);
  }

  // Run by each thread: takes indices until none is left or one of the calls has thrown.
  void work(std::int64_t thread, std::int64_t threads) noexcept {
    if constexpr (TRIPTYCH_THREAD_SANITIZER) seen_.load(std::memory_order_acquire);
    for (std::int64_t i = thread; i < count_; i = threads + taken_.fetch_add(1, std::memory_order_relaxed)) {
      if (failed_.load(std::memory_order_relaxed)) break;
      try {
        call_(context_, i);
      } catch (...) {
        if (!failed_.exchange(true)) error_ = std::current_exception();
      }
    }
    if constexpr (TRIPTYCH_THREAD_SANITIZER) seen_.fetch_add(1, std::memory_order_release);
  }

  // Run by the caller once the threads are at rest.
  void rethrow() {
    if constexpr (TRIPTYCH_THREAD_SANITIZER) seen_.load(std::memory_order_acquire);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::int64_t count_;
  void (*call_)(void*, std::int64_t);
  void* context_;
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  alignas(64) std::atomic<std::int64_t> taken_{0};  // alone in its cache line: everybody reads the others
  alignas(64) std::atomic<int> seen_{0};
};

TRIPTYCH_NO_THREAD_SANITIZER void run(Loop& loop, int threads) {
#pragma omp parallel num_threads(threads)
  loop.work(omp_get_thread_num(), omp_get_num_threads());
}

int find_default_threads() {
  const int available = omp_get_max_threads();
  const int quota = std::getenv("OMP_NUM_THREADS") == nullptr ? processor_quota() : 0;
  return std::max(1, quota > 0 ? std::min(available, quota) : available);
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
  if (used <= 1 || omp_in_parallel()) {
    for (std::int64_t i = 0; i < count; ++i) call(context, i);
    return;
  }
  Loop loop(count, call, context);
  run(loop, used);
  loop.rethrow();
}

}  // namespace detail

}  // namespace triptych
