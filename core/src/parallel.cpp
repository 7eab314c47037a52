#include <triptych/core/parallel.hpp>

#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <exception>

#include "host_info.hpp"

// Thread sanitizers do not see the barriers of an OpenMP runtime that was built without them. The function
// with the pragma is therefore left alone, and Loop orders memory by its own atomics, which the sanitizer
// does see.
#if defined(__GNUC__)
#define TRIPTYCH_NO_THREAD_SANITIZER __attribute__((no_sanitize("thread")))
#else
#define TRIPTYCH_NO_THREAD_SANITIZER
#endif

namespace triptych {

namespace {

// One loop in flight, shared by its threads.
class Loop {
 public:
  Loop(std::int64_t count, void (*call)(void*, std::int64_t), void* context)
      : count_(count), call_(call), context_(context) {
    next_.store(0, std::memory_order_release);
  }

  // Run by each thread: takes indices until none is left or one of the calls has thrown.
  void work() noexcept {
    for (std::int64_t i = take(); i < count_; i = take()) {
      try {
        call_(context_, i);
      } catch (...) {
        if (!failed_.exchange(true)) error_ = std::current_exception();
        next_ = count_;
      }
    }
    finished_.fetch_add(1, std::memory_order_release);
  }

  // Run by the caller once the threads are at rest.
  void rethrow() {
    finished_.load(std::memory_order_acquire);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::int64_t take() {
    const std::int64_t seen =
        next_.load(std::memory_order_acquire);  // also orders what the constructor wrote
    return seen < count_ ? next_.fetch_add(1) : seen;
  }

  std::int64_t count_;
  void (*call_)(void*, std::int64_t);
  void* context_;
  std::exception_ptr error_;
  std::atomic<std::int64_t> next_;
  std::atomic<bool> failed_{false};
  std::atomic<int> finished_{0};
};

TRIPTYCH_NO_THREAD_SANITIZER void run(Loop& loop, int threads) {
#pragma omp parallel num_threads(threads)
  loop.work();
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
