// How a bound method computes: without the GIL, and one call of an object at a time.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>
#include <utility>

namespace triptych::python {

namespace nb = nanobind;

// Calls function() without the GIL, so that other Python threads go on. Nothing in it may touch a Python
// object.
template <class Function>
decltype(auto) compute(Function&& function) {
  const nb::gil_scoped_release release;
  return std::forward<Function>(function)();
}

// The same for a method of an object: calls from several threads take turns.
template <class Function>
decltype(auto) compute(std::mutex& mutex, Function&& function) {
  const nb::gil_scoped_release release;
  const std::lock_guard lock(mutex);
  return std::forward<Function>(function)();
}

}  // namespace triptych::python
