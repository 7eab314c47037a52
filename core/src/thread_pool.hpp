// ThreadPool: threads that persist between loops, so that a parallel loop of a few microseconds pays. After a
// loop they spin for a while before they sleep. Each calling thread has its own pool, as with OpenMP.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

namespace triptych {

class ThreadPool {
 public:
  // The function that each thread runs: thread is its number (0: the caller), threads their count. Must not
  // throw.
  using Work = void (*)(void* context, int thread, int threads);

  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();  // joins the threads

  // Runs work for each thread number, on the calling thread and on threads - 1 others, and returns when all
  // are done. The caller runs the parts that no thread has begun when its own part is done, so that it never
  // waits for a thread without a core. Uses fewer threads when the system cannot create more.
  void run(int threads, Work work, void* context);

  // The pool of the calling thread. Null in threads of a pool and inside a loop: a nested loop runs on its
  // thread alone. Null also while the thread ends.
  static ThreadPool* of_this_thread();

 private:
  static constexpr int thread_bits = 16;
  static constexpr std::uint64_t max_threads = (1u << thread_bits) - 1;

  // The number of the last loop in which the part of a thread was begun (by the thread or by the caller), and
  // of the last in which it was done. In its own cache line: threads that end together would contend for a
  // shared one.
  struct alignas(64) Part {
    std::atomic<std::uint64_t> begun{0}, done{0};
    // Claims the part in this loop; false when it was claimed before.
    bool claim(std::uint64_t loop);
  };

  void grow(int threads);
  void run_thread(int thread, Part& part);
  std::uint64_t wait_for_command(std::uint64_t last);

  std::deque<Part> parts_;  // of threads_; a deque, whose elements do not move when it grows
  std::vector<std::thread> threads_;
  Work work_ = nullptr;
  void* context_ = nullptr;
  std::atomic<bool> may_spin_{true};  // there are no more threads than cores
  // The number of the loop, and in the lower bits the number of its threads. A thread that has no part reads
  // nothing else, since the other members may already belong to the next loop. 0 threads: end.
  alignas(64) std::atomic<std::uint64_t> command_{1};
};

}  // namespace triptych
