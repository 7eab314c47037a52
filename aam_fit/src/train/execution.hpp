// How training runs: on how many threads, and until when.
#pragma once

#include <triptych/aam_fit/train.hpp>
#include <triptych/core/parallel.hpp>

#include <cstdint>
#include <stop_token>
#include <utility>

namespace triptych::aam_fit {

struct Execution {
  Execution(int thread_count = 0, std::stop_token stop_token = {})  // a number of threads is one
      : threads(thread_count), stop(std::move(stop_token)) {}

  // TrainingStopped when a stop was requested. From any thread.
  void check() const {
    if (stop.stop_requested()) throw TrainingStopped();
  }
  // As parallel_chunks() and parallel_for() from 0, with a check before each call.
  template <class F>
  void chunks(std::int64_t count, std::int64_t chunk, F&& body) const {
    parallel_chunks(count, chunk, threads, [&](std::int64_t first, std::int64_t last, std::int64_t number) {
      check();
      body(first, last, number);
    });
  }
  template <class F>
  void each(std::int64_t count, F&& body) const {
    parallel_for(0, count, threads, [&](std::int64_t i) {
      check();
      body(i);
    });
  }

  int threads;  // 0: all cores
  std::stop_token stop;
};

}  // namespace triptych::aam_fit
