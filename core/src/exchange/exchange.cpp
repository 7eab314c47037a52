#include <triptych/core/exchange.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include "exchange/exchange_checks.hpp"

namespace triptych {

namespace {

class SingleExchange final : public Exchange {
 public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  std::string describe() const override { return "one rank"; }
  void sum(std::span<std::int64_t>) override {}
  void gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    detail::check_gather(*this, own.size(), all.size());
    std::copy(own.begin(), own.end(), all.begin());
  }
  void broadcast(std::span<std::byte>, int root) override { detail::check_root(*this, root); }
};

constexpr std::size_t max_sentence = 400;
using Sentence = std::array<char, max_sentence>;

// The sentences of all ranks.
std::vector<Sentence> gather_sentences(Exchange& exchange, std::string_view own) {
  Sentence mine{};
  std::copy_n(own.begin(), std::min(own.size(), max_sentence), mine.begin());
  std::vector<Sentence> all(static_cast<std::size_t>(exchange.size()));
  exchange.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  return all;
}

std::string text_of(const Sentence& sentence) {
  return {sentence.begin(), std::find(sentence.begin(), sentence.end(), '\0')};
}

// FNV-1a: to see a difference, not to hide one.
std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte b : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
  return hash;
}

}  // namespace

void Exchange::sum_on_device(DeviceSpan<std::int64_t>, StreamRef) {
  throw Unavailable(describe() + " cannot sum values in device memory: use make_nccl_exchange()");
}

std::shared_ptr<Exchange> make_single_exchange() { return std::make_shared<SingleExchange>(); }

void agree(Exchange& exchange, std::string_view failure) {
  std::int64_t failures = failure.empty() ? 0 : 1;
  exchange.sum({&failures, 1});
  if (failures == 0) return;
  const std::vector<Sentence> sentences = gather_sentences(exchange, failure);
  const auto first =
      std::find_if(sentences.begin(), sentences.end(), [](const Sentence& s) { return s[0] != '\0'; });
  throw Error("rank " + std::to_string(first - sentences.begin()) + " of " + std::to_string(exchange.size()) +
              " failed: " + text_of(*first));
}

void require_same(Exchange& exchange, std::span<const std::byte> bytes, std::string_view what) {
  const std::array<std::uint64_t, 2> own = {bytes.size(), hash_of(bytes)};
  std::vector<std::array<std::uint64_t, 2>> all(static_cast<std::size_t>(exchange.size()));
  exchange.gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] == all[0]) continue;
    throw Error(std::string(what) + " of rank " + std::to_string(i) +
                " differ from those of rank 0: all ranks must have the same");
  }
}

namespace detail {

void check_gather(const Exchange& exchange, std::size_t own, std::size_t all) {
  require(all == own * static_cast<std::size_t>(exchange.size()), "cannot gather ", own, " bytes of each of ",
          exchange.size(), " ranks into ", all, " bytes");
}

void check_root(const Exchange& exchange, int root) {
  require(root >= 0 && root < exchange.size(), "there is no rank ", root, " among ", exchange.size(),
          " to broadcast from");
}

void check_timeout(std::chrono::milliseconds timeout) {
  require(timeout >= std::chrono::milliseconds(1) && timeout <= std::chrono::hours(24),
          "the time-out of an exchange must be from 1 ms to 1 day, not ", timeout.count(), " ms");
}

std::string timeout_sentence(const Exchange& exchange, std::chrono::milliseconds timeout, const char* what) {
  return exchange.describe() + " has waited " + std::to_string(timeout.count()) + " ms for " + what +
         ": another rank has ended, failed or is late";
}

}  // namespace detail

}  // namespace triptych
