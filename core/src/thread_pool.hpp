// Threads that stay between loops, so that a loop of some microseconds over all cores is worth it: they look
// out for the next loop for a while before they sleep. A calling thread has a pool of its own, as it would
// with OpenMP.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

namespace triptych {

class ThreadPool {
 public:
  // What each thread runs: its number, the caller's being 0, and how many there are. Must not throw.
  using Work = void (*)(void* context, int thread, int threads);

  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();  // waits for the threads' end

  // Runs work for each of the thread numbers, on the calling thread and on threads - 1 others, and returns
  // when all of them are done. What a thread has not begun when the caller is done, the caller does itself:
  // on a busy machine nobody waits for a thread that gets no core. Takes fewer when the system gives no more.
  void run(int threads, Work work, void* context);

  // The pool of the calling thread. Null in a pool's own threads and while the caller is at work in a loop:
  // a loop inside a loop runs on the thread that comes to it. Null also when the thread is ending.
  static ThreadPool* of_this_thread();

 private:
  static constexpr int thread_bits = 16;
  static constexpr std::uint64_t max_threads = (1u << thread_bits) - 1;

  // The last loop in which a thread's part was begun, by itself or by the caller, and the last in which it
  // was done. In a cache line of its own: threads that end together would queue up at a word that they share.
  struct alignas(64) Part {
    std::atomic<std::uint64_t> begun{0}, done{0};
    // Whether the part is still to be had in this loop; it is then the asker's.
    bool take(std::uint64_t loop);
  };

  void grow(int threads);
  void serve(int thread, Part& part);
  std::uint64_t await_order(std::uint64_t last);

  std::deque<Part> parts_;  // of threads_; stays where it is when it grows
  std::vector<std::thread> threads_;
  Work work_ = nullptr;
  void* context_ = nullptr;
  std::atomic<bool> patient_{true};  // no more threads than cores: looking out takes nothing from anybody
  // The number of the loop, and in its lower bits how many threads take part, so that one that does not
  // learns so without a look at what may already belong to the next loop. 0 threads: the end.
  alignas(64) std::atomic<std::uint64_t> order_{1};
};

}  // namespace triptych
