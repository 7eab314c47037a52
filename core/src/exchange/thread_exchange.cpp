#include <triptych/core/exchange.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "exchange/exchange_checks.hpp"

namespace triptych {

namespace {

// What the threads share: the bytes of a collective call, which the last thread to arrive combines, and the
// result, which stays until all have read it.
class ThreadHub {
 public:
  ThreadHub(int size, std::chrono::milliseconds timeout) : size_(size), timeout_(timeout) {}

  int size() const { return size_; }

  // add(shared, is_first) adds a rank's bytes to the shared ones, under the lock; read(shared) takes the
  // result. kind: what is called, to refuse ranks that call different things.
  template <class Add, class Read>
  void combine(const Exchange& exchange, const char* what, std::size_t kind, const Add& add,
               const Read& read) {
    std::unique_lock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    const auto wait = [&](auto&& ready) {
      changed_.wait_until(lock, deadline, [&] { return broken_ || ready(); });
      if (broken_) throw Error(detail::broken_sentence(failure_));
      if (ready()) return;
      fail(detail::timeout_sentence(exchange, timeout_, what));
    };
    wait([&] { return !is_leaving_; });  // of the call before
    if (arrived_ == 0) kind_ = kind;
    if (kind_ != kind) fail(exchange.describe() + " calls for " + what + ", another rank for something else");
    try {
      add(shared_, arrived_ == 0);
    } catch (const std::exception& e) {
      fail(e.what());
    }
    if (++arrived_ == size_) {
      is_leaving_ = true;
      changed_.notify_all();
    } else {
      wait([&] { return is_leaving_; });
    }
    read(shared_);
    if (--arrived_ == 0) {
      is_leaving_ = false;
      changed_.notify_all();
    }
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) {
    broken_ = true;
    failure_ = sentence;
    changed_.notify_all();
    throw Error(sentence);
  }

  int size_;
  std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::byte> shared_;
  std::size_t kind_ = 0;
  int arrived_ = 0;
  bool is_leaving_ = false, broken_ = false;
  std::string failure_;
};

class ThreadExchange final : public Exchange {
 public:
  ThreadExchange(int rank, std::shared_ptr<ThreadHub> hub) : rank_(rank), hub_(std::move(hub)) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return hub_->size(); }
  std::string describe() const override {
    return "rank " + std::to_string(rank_) + " of " + std::to_string(size()) + " threads";
  }

  void sum(std::span<std::int64_t> values) override {
    const auto numbers = [](std::vector<std::byte>& bytes) {
      return reinterpret_cast<std::uint64_t*>(bytes.data());
    };
    hub_->combine(
        *this, "a sum", 4 * values.size(),
        [&](std::vector<std::byte>& shared, bool is_first) {
          if (is_first) shared.assign(values.size_bytes(), std::byte{0});
          for (std::size_t i = 0; i < values.size(); ++i)
            numbers(shared)[i] += static_cast<std::uint64_t>(values[i]);
        },
        [&](std::vector<std::byte>& shared) {
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::int64_t>(numbers(shared)[i]);
        });
  }

  void gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    detail::check_gather(*this, own.size(), all.size());
    hub_->combine(
        *this, "a gather", 4 * own.size() + 1,
        [&](std::vector<std::byte>& shared, bool is_first) {
          if (is_first) shared.resize(all.size());
          std::copy(own.begin(), own.end(), shared.begin() + static_cast<std::ptrdiff_t>(own.size()) * rank_);
        },
        [&](const std::vector<std::byte>& shared) { std::copy(shared.begin(), shared.end(), all.begin()); });
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    detail::check_root(*this, root);
    hub_->combine(
        *this, "a broadcast", 4 * bytes.size() + 2,
        [&](std::vector<std::byte>& shared, bool) {
          if (rank_ == root) shared.assign(bytes.begin(), bytes.end());
        },
        [&](const std::vector<std::byte>& shared) {
          std::copy(shared.begin(), shared.end(), bytes.begin());
        });
  }

 private:
  int rank_;
  std::shared_ptr<ThreadHub> hub_;
};

}  // namespace

std::vector<std::shared_ptr<Exchange>> make_thread_exchanges(int size, std::chrono::milliseconds timeout) {
  require(size >= 1 && size <= 4096, "cannot make an exchange of ", size, " threads: 1 to 4096 are possible");
  detail::check_timeout(timeout);
  const auto hub = std::make_shared<ThreadHub>(size, timeout);
  std::vector<std::shared_ptr<Exchange>> exchanges;
  exchanges.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) exchanges.push_back(std::make_shared<ThreadExchange>(rank, hub));
  return exchanges;
}

}  // namespace triptych
