// Exchange: sums, gathers and broadcasts over the ranks of a job. A rank is a process, or a thread with an
// Exchange of its own. All sums are of integers, so their result does not depend on the number of ranks, on
// their order or on the network.
//
// Every function but rank(), size() and describe() is collective: all ranks call it, in the same order and
// with the same sizes. A rank that does not take part within the time-out, because it has ended, failed or is
// late, is an Error on all others. After such an Error an exchange is broken: all later calls throw at once.
// Use an exchange from one thread at a time.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triptych {

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  // A phrase: "rank 1 of 4 by MPI".
  virtual std::string describe() const = 0;

  // Each value becomes the sum of the values of all ranks at its place, modulo 2^64.
  virtual void sum(std::span<std::int64_t> values) = 0;
  // all: the bytes of each rank, one after the other. InvalidArgument unless its size is size() times own's.
  virtual void gather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
  // The bytes of root, on all ranks. InvalidArgument when there is no such rank.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;

  // Whether sum_on_device() works.
  virtual bool sums_on_device() const noexcept { return false; }
  // As sum(), of values in device memory: enqueues on stream and returns; can be captured in a graph.
  // Unavailable unless sums_on_device().
  virtual void sum_on_device(DeviceSpan<std::int64_t> values, StreamRef stream);
  // Waits for an event after sums on the device: Error when it is not reached within the time-out.
  virtual void wait(const Event& event) { event.synchronize(); }
};

// For a limit that the caller sets. InvalidArgument unless it is from 1 ms to 1 day.
inline constexpr std::chrono::milliseconds default_exchange_timeout = std::chrono::seconds(60);

// One rank: nothing is exchanged.
std::shared_ptr<Exchange> make_single_exchange();

// The ranks of `size` threads of this process, one exchange for each thread. They may be on different GPUs.
// InvalidArgument unless size is from 1 to 4096.
std::vector<std::shared_ptr<Exchange>> make_thread_exchanges(
    int size, std::chrono::milliseconds timeout = default_exchange_timeout);

// Collective: returns on all ranks, or throws Error on all ranks when one of them has failed. failure: the
// sentence of this rank, empty when it has not failed. The Error names the lowest rank that failed and its
// sentence (up to 400 bytes).
void agree(Exchange& exchange, std::string_view failure);

// Collective: runs work() and agrees on its outcome. A rank whose work throws rethrows that exception.
template <class Work>
void agree_on(Exchange& exchange, Work&& work) {
  std::exception_ptr own;
  std::string failure;
  try {
    std::forward<Work>(work)();
  } catch (const std::exception& e) {
    own = std::current_exception();
    failure = *e.what() == '\0' ? "failed" : e.what();
  }
  try {
    agree(exchange, failure);
  } catch (...) {
    if (own) std::rethrow_exception(own);
    throw;
  }
}

// Collective: Error on all ranks unless each has the same bytes. what: what they are, for the sentence.
void require_same(Exchange& exchange, std::span<const std::byte> bytes, std::string_view what);

}  // namespace triptych
