// CUDA streams and events without a CUDA header. Without a usable GPU the constructors of Stream and Event
// throw Unavailable with the reason; a failing CUDA call throws CudaError. Destructors do not throw and do
// not synchronise.
#pragma once

#include <cstddef>
#include <memory>

struct CUstream_st;
struct CUevent_st;

namespace triptych {

// Whether an event records its time. Events without a time are cheaper.
enum class Timing { off, on };

class StreamRef;

namespace detail {
struct StreamDeleter {
  void operator()(CUstream_st* stream) const noexcept;
};
struct EventDeleter {
  void operator()(CUevent_st* event) const noexcept;
};
}  // namespace detail

// A point in a stream's work. Move-only.
class Event {
 public:
  explicit Event(Timing timing = Timing::on);

  CUevent_st* get() const noexcept { return event_.get(); }

  // Records the point after all work enqueued on stream so far; does not synchronise.
  void record(StreamRef stream);
  // Blocks the host until the recorded point is reached; returns at once when nothing was recorded.
  void synchronize() const;
  // True when the recorded point has been reached; does not synchronise.
  bool query() const;
  // Milliseconds of device time between two recorded and reached events that were made with Timing::on.
  static double elapsed_ms(const Event& begin, const Event& end);

 private:
  std::unique_ptr<CUevent_st, detail::EventDeleter> event_;
};

// A non-owning reference to a stream, which must outlive it; cheap to copy. It cannot be constructed from a
// literal 0 or nullptr, so that nobody uses the legacy default stream by accident.
class StreamRef {
 public:
  explicit StreamRef(CUstream_st* stream) noexcept : stream_(stream) {}
  StreamRef(int) = delete;
  StreamRef(std::nullptr_t) = delete;

  CUstream_st* get() const noexcept { return stream_; }

  // Blocks the host until all enqueued work has finished; throws CudaError for the errors of that work.
  void synchronize() const;
  // True between the beginning and the end of a graph capture.
  bool is_capturing() const;
  // Work that is enqueued later on this stream waits, on the device, for event.
  void wait(const Event& event) const;
  // Enqueues function(argument), which a thread of the driver calls after all work before it; later work on
  // the stream waits for it. It must not throw or call CUDA, and argument must live until then. Not called
  // when the work before it has failed.
  void call_on_host(void (*function)(void*), void* argument) const;

 private:
  CUstream_st* stream_;
};

// An owned stream on the current device that does not synchronise with the legacy default stream. Move-only.
// Work that is still enqueued when the stream is destroyed runs to its end.
class Stream {
 public:
  Stream();

  CUstream_st* get() const noexcept { return stream_.get(); }
  StreamRef ref() const noexcept { return StreamRef(get()); }
  operator StreamRef() const noexcept { return ref(); }

  void synchronize() const { ref().synchronize(); }
  bool is_capturing() const { return ref().is_capturing(); }
  void wait(const Event& event) const { ref().wait(event); }

 private:
  std::unique_ptr<CUstream_st, detail::StreamDeleter> stream_;
};

}  // namespace triptych
