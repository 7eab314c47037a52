// What the bindings of Tracker, ParticleFilter, Fitter and FaceTracker share: the object with its lock, the
// inputs in flight, and the methods that are the same for all.
#pragma once

#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/frame_processor.hpp>
#include <triptych/core/stream.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "compute.hpp"
#include "devices.hpp"

namespace triptych::python {

// A FrameProcessor as Python holds it. close() ends its life early and frees its memory.
template <class Object>
class Held {
 public:
  explicit Held(Object object) : object_(std::make_unique<Object>(std::move(object))) {
    if (!object_->device().is_cuda()) return;
    const DeviceGuard guard(object_->device());
    ready_.emplace(Timing::off);
  }

  Object& get() {
    require(object_ != nullptr, "this object was closed");
    return *object_;
  }
  std::mutex& mutex() { return mutex_; }

  // The object reads the array after the work that writes it. To be called before the step() or submit() that
  // takes the array.
  void wait_for(const Array& array) {
    if (!array.on_gpu()) return;
    array.require_on(get().device());
    compute(mutex_, [&] {
      const DeviceGuard guard(get().device());
      array.record_ready(*ready_);
      get().wait(*ready_);
    });
  }

  // Keeps the memory of a submitted input alive until its result was returned.
  void keep(nb::object input) {
    const std::lock_guard lock(inputs_mutex_);
    inputs_.push_back(std::move(input));
  }
  auto next() {
    auto result = compute(mutex_, [&] { return get().next(); });
    nb::object first;  // freed after the lock
    const std::lock_guard lock(inputs_mutex_);
    if (!inputs_.empty()) {
      first = std::move(inputs_.front());
      inputs_.pop_front();
    }
    return result;
  }
  // After a call that dropped what was in flight.
  void forget_inputs() {
    std::deque<nb::object> dropped;  // freed after the lock
    const std::lock_guard lock(inputs_mutex_);
    dropped.swap(inputs_);
  }
  void reset() {
    compute(mutex_, [&] { get().reset(); });
    forget_inputs();
  }
  void close() {
    compute(mutex_, [&] { object_.reset(); });
    forget_inputs();
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Object> object_;
  std::optional<Event> ready_;
  std::mutex inputs_mutex_;  // for a Python without the GIL
  std::deque<nb::object> inputs_;
};

// Adds next, in_flight, reset, latency, device, close, the context manager and repr. `name` is for repr.
template <class Object, class... Extra>
void bind_frame_processor(nb::class_<Held<Object>, Extra...>& type, const char* name) {
  using Self = Held<Object>;
  type.def("next", &Self::next,
           "The result of the first input that was submitted and not yet returned; waits for it.")
      .def_prop_ro(
          "in_flight",
          [](Self& self) { return compute(self.mutex(), [&] { return self.get().in_flight(); }); },
          "Inputs between submit() and next(), at most 3.")
      .def("reset", &Self::reset, "As newly made; drops what is in flight.")
      .def_prop_ro(
          "latency", [](Self& self) { return compute(self.mutex(), [&] { return self.get().latency(); }); },
          "Latencies of the inputs so far, a triptych.Latency.")
      .def_prop_ro(
          "device", [](Self& self) { return name_of(self.get().device()); },
          "\"cpu\", \"cuda:0\" or \"joint\".")
      .def("close", &Self::close,
           "Frees the object's memory and streams; it cannot be used afterwards. `with` does it as well.")
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def(
          "__exit__", [](Self& self, nb::handle, nb::handle, nb::handle) { self.close(); },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def("__repr__",
           [name](Self& self) { return std::string("<") + name + ": " + self.get().describe() + ">"; });
}

}  // namespace triptych::python
