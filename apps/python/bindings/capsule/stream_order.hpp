// Work on GPU arrays of Python, enqueued on a stream of the caller.
#pragma once

#include <triptych/core/stream.hpp>

#include <initializer_list>

#include "../arrays.hpp"

namespace triptych::python::capsule {

struct Argument {
  nb::handle object;
  const char* name;
};

// Whether an argument is an array on a GPU; without asking for its data.
bool is_on_gpu(nb::handle object);

// The stream to enqueue on: the one that was given; the current stream of the library of the first argument
// of torch or CuPy; or the one on which a DeviceArray is filled. InvalidArgument, naming an argument, when
// there is none.
StreamRef stream_for(nb::handle stream, std::initializer_list<Argument> arguments);

// An argument whose data is ordered on that stream. Of a DeviceArray the stream is made to wait for the
// values.
Array array_on(StreamRef stream, nb::handle object, const char* argument);

// Scratch memory serves one stream at a time: orders calls on different streams one after the other.
class StreamOrder {
 public:
  template <class Function>
  void run(StreamRef stream, Function&& function) {
    const bool capturing = stream.is_capturing();
    if (!capturing && any_ && last_ != stream.get()) stream.wait(done_);
    function();
    if (capturing) return;
    done_.record(stream);
    last_ = stream.get();
    any_ = true;
  }
  StreamRef last() const { return StreamRef(last_); }

 private:
  Event done_{Timing::off};
  CUstream_st* last_ = nullptr;
  bool any_ = false;
};

}  // namespace triptych::python::capsule
