// CUDA graphs: work that is captured once and then launched many times, each time at the cost of one launch.
#pragma once

#include <triptych/core/stream.hpp>

#include <cstddef>
#include <memory>
#include <utility>

struct CUgraphExec_st;

namespace triptych {

class Graph;

namespace detail {

struct GraphDeleter {
  void operator()(CUgraphExec_st* executable) const noexcept;
};

// A capture in progress on stream. Its destructor ends an unfinished capture and discards the recorded work.
class Capture {
 public:
  explicit Capture(StreamRef stream);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  Graph finish();

 private:
  StreamRef stream_;
  bool active_ = true;
};

}  // namespace detail

// An executable graph. Move-only. The memory that its nodes access must outlive it.
class Graph {
 public:
  // Records the work that enqueue() enqueues on stream, without running it. An exception from enqueue ends
  // the capture, so that the stream is usable again, and is rethrown. CudaError when some work cannot be
  // captured. The capture is local to the calling thread: enqueue must not synchronise or allocate; other
  // threads may.
  template <class F>
  static Graph capture(StreamRef stream, F&& enqueue) {
    detail::Capture capture(stream);
    std::forward<F>(enqueue)();
    return capture.finish();
  }

  // Enqueues the whole graph on stream and returns.
  void launch(StreamRef stream) const;
  std::size_t node_count() const noexcept { return node_count_; }

 private:
  friend class detail::Capture;
  Graph(CUgraphExec_st* executable, std::size_t node_count) noexcept
      : executable_(executable), node_count_(node_count) {}

  std::unique_ptr<CUgraphExec_st, detail::GraphDeleter> executable_;
  std::size_t node_count_;
};

}  // namespace triptych
