// Exchange: one rank, and ranks that are threads; what they agree on, and how they fail.
#include <triptych/core/exchange.hpp>
#include <triptych/core/nccl_exchange.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <thread>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

using namespace std::chrono_literals;
using Exchanges = std::vector<std::shared_ptr<Exchange>>;

// Runs work on a thread for each rank; the sentences of the exceptions, empty where there was none.
std::vector<std::string> run(const Exchanges& exchanges, const std::function<void(Exchange&)>& work) {
  std::vector<std::string> failures(exchanges.size());
  std::vector<std::thread> threads;
  threads.reserve(exchanges.size());
  for (std::size_t i = 0; i < exchanges.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        work(*exchanges[i]);
      } catch (const Error& e) {
        failures[i] = e.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

void expect_all(const std::vector<std::string>& failures, const std::string& part) {
  for (const std::string& failure : failures)
    EXPECT_NE(failure.find(part), std::string::npos) << "'" << failure << "' lacks '" << part << "'";
}

void expect_none(const std::vector<std::string>& failures) {
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

void sum_gather_broadcast(Exchange& exchange) {
  const int rank = exchange.rank(), size = exchange.size();
  for (int round = 0; round < 20; ++round) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(round * 7));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = (static_cast<std::int64_t>(i) - 3) * (std::int64_t{1} << 40) + rank;
    exchange.sum(values);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i],
                (static_cast<std::int64_t>(i) - 3) * (std::int64_t{1} << 40) * size + size * (size - 1) / 2);

    const std::int32_t own = 100 * rank + round;
    std::vector<std::int32_t> all(static_cast<std::size_t>(size));
    exchange.gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
    for (int r = 0; r < size; ++r) ASSERT_EQ(all[static_cast<std::size_t>(r)], 100 * r + round);

    std::int32_t sent = own;
    exchange.broadcast(std::as_writable_bytes(std::span(&sent, 1)), round % size);
    ASSERT_EQ(sent, 100 * (round % size) + round);
  }
}

TEST(Exchange, OneRankAndThreadsSumGatherAndBroadcast) {
  sum_gather_broadcast(*make_single_exchange());
  for (const int size : {1, 2, 3, 7}) expect_none(run(make_thread_exchanges(size), sum_gather_broadcast));
}

TEST(Exchange, SumsWrapInsteadOfOverflowing) {
  expect_none(run(make_thread_exchanges(2), [](Exchange& exchange) {
    std::int64_t value = std::numeric_limits<std::int64_t>::max();
    exchange.sum({&value, 1});
    EXPECT_EQ(value, -2);
  }));
}

TEST(Exchange, ArgumentsAreChecked) {
  const auto single = make_single_exchange();
  std::byte bytes[3] = {};
  EXPECT_THROW(single->gather(std::span<const std::byte>(bytes, 1), std::span(bytes, 2)), InvalidArgument);
  EXPECT_THROW(single->broadcast(bytes, 1), InvalidArgument);
  EXPECT_THROW(single->broadcast(bytes, -1), InvalidArgument);
  EXPECT_THROW(make_thread_exchanges(0), InvalidArgument);
  EXPECT_THROW(make_thread_exchanges(5000), InvalidArgument);
  EXPECT_THROW(make_thread_exchanges(2, 0ms), InvalidArgument);
  EXPECT_THROW(make_nccl_exchange(nullptr, Device::cpu()), Error);
  EXPECT_THROW(make_nccl_exchange(single, Device::cpu()), Error);
  EXPECT_FALSE(single->sums_on_device());
}

TEST(Exchange, AFailureOfOneRankIsAnErrorOnAll) {
  const Exchanges exchanges = make_thread_exchanges(3);
  expect_all(run(exchanges, [](Exchange& e) { agree(e, e.rank() == 1 ? "the disk is full" : ""); }),
             "rank 1 of 3 failed: the disk is full");
  // The failing rank keeps its own exception.
  const auto failures = run(exchanges, [](Exchange& e) {
    agree_on(e, [&] {
      if (e.rank() == 2) throw InvalidArgument("too many points");
    });
  });
  EXPECT_EQ(failures[2], "too many points");
  EXPECT_EQ(failures[0], "rank 2 of 3 failed: too many points");
  // The exchange is usable afterwards.
  expect_none(run(exchanges, [](Exchange& e) { agree(e, ""); }));
  expect_none(run(exchanges, sum_gather_broadcast));
}

TEST(Exchange, DifferentBytesAreAnErrorOnAll) {
  const Exchanges exchanges = make_thread_exchanges(3);
  const auto compare = [](Exchange& e, int value) {
    require_same(e, std::as_bytes(std::span(&value, 1)), "the options");
  };
  expect_none(run(exchanges, [&](Exchange& e) { compare(e, 4); }));
  expect_all(run(exchanges, [&](Exchange& e) { compare(e, e.rank() == 2 ? 5 : 4); }),
             "the options of rank 2 differ from those of rank 0");
}

TEST(Exchange, AMissingRankIsAnErrorNotAHang) {
  const Exchanges exchanges = make_thread_exchanges(3, 50ms);
  const auto failures = run(exchanges, [](Exchange& e) {
    if (e.rank() != 1) agree(e, "");
  });
  EXPECT_EQ(failures[1], "");
  EXPECT_NE(failures[0].find("another rank has ended, failed or is late"), std::string::npos) << failures[0];
  EXPECT_NE(failures[2].find("another rank has ended, failed or is late"), std::string::npos) << failures[2];
  // The late rank learns of it at once.
  EXPECT_ERROR(agree(*exchanges[1], ""), Error, "this exchange is broken");
}

TEST(Exchange, RanksThatCallDifferentThingsFail) {
  const auto failures = run(make_thread_exchanges(2, 2000ms), [](Exchange& e) {
    std::vector<std::int64_t> values(e.rank() == 0 ? 3 : 4);
    e.sum(values);
  });
  for (const std::string& failure : failures) EXPECT_NE(failure, "");
}

}  // namespace
}  // namespace triptych
