// Work on threads of its own, one for each device.
#pragma once

#include <triptych/core/error.hpp>

#include <cstddef>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace triptych::capsule_likelihood::detail {

// work(i) on a thread of its own for each i below count. Returns when all are done; then one of the
// exceptions that work threw is thrown. Error when a thread cannot be started: those before it are done.
template <class Work>
void run_on_threads(std::size_t count, const Work& work) {
  std::vector<std::exception_ptr> errors(count);
  std::vector<std::thread> threads;
  threads.reserve(count);
  const auto guarded = [&](std::size_t i) noexcept {
    try {
      work(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::exception_ptr not_started;
  try {
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(guarded, i);
  } catch (...) {  // the threads before it must be joined first
    not_started = std::current_exception();
  }
  for (std::thread& thread : threads) thread.join();
  try {
    if (not_started) std::rethrow_exception(not_started);
  } catch (const std::system_error& error) {
    throw Error("thread " + std::to_string(threads.size() + 1) + " of " + std::to_string(count) +
                " cannot be started: " + error.what());
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace triptych::capsule_likelihood::detail
