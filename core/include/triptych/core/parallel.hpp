// Parallel loops over the cores, by threads that persist between loops: an empty loop costs about a
// microsecond on 16 cores.
//
// A loop returns when all iterations are done. After an exception in the body no further iterations start,
// and one exception is rethrown to the caller when all threads have stopped. threads <= 0 means
// default_threads(). A loop inside the body of another runs on its thread alone. The assignment of iterations
// to threads varies, so reproducible results must depend on the index or the chunk, not on the thread.
#pragma once

#include <triptych/core/error.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace triptych {

// OMP_NUM_THREADS when it is set, else the cores that this process may use, by its affinity mask and the
// quota of its control group.
int default_threads();

namespace detail {

// Calls call(context, i) for every i in [0, count), on at most `threads` threads.
void run_indexed(std::int64_t count, int threads, void (*call)(void* context, std::int64_t i), void* context);

}  // namespace detail

// Divides [0, count) into chunks of the given size (the last may be shorter) and calls body(begin, end,
// chunk_index) for each. The chunks do not depend on the number of threads. InvalidArgument when count < 0 or
// chunk < 1.
template <class F>
void parallel_chunks(std::int64_t count, std::int64_t chunk, int threads, F&& body) {
  require(count >= 0, "cannot loop over ", count, " elements");
  require(chunk >= 1, "cannot divide a loop into chunks of ", chunk, " elements");
  struct Context {
    std::int64_t count, chunk;
    std::remove_reference_t<F>* body;
  } context{count, chunk, std::addressof(body)};
  const auto call = [](void* raw, std::int64_t i) {
    const Context& c = *static_cast<const Context*>(raw);
    const std::int64_t begin = i * c.chunk;
    (*c.body)(begin, begin + std::min(c.chunk, c.count - begin), i);
  };
  detail::run_indexed(count / chunk + (count % chunk != 0), threads, call, &context);
}

// Calls body(i) for every i in [begin, end). InvalidArgument when end < begin or end - begin overflows.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, int threads, F&& body) {
  require(begin <= end && (begin >= 0 || end <= INT64_MAX + begin), "cannot loop from ", begin, " to ", end);
  constexpr std::int64_t chunks_per_thread = 8;  // balances the load between fast and slow threads
  const std::int64_t workers = threads > 0 ? threads : default_threads();
  const std::int64_t chunk = std::max<std::int64_t>(1, (end - begin) / (workers * chunks_per_thread));
  parallel_chunks(end - begin, chunk, threads, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    for (std::int64_t i = first; i < last; ++i) body(begin + i);
  });
}

}  // namespace triptych
