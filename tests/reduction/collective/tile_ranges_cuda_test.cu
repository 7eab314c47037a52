// Sums of ranges of tiles in a host mailbox: each result is what its block has summed so far, whether the
// kernel was launched for the call or was resident, and a resident kernel ends after its time.
#include <triptych/core/clock.hpp>
#include <triptych/reduction/collective/tile_ranges.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "reduction/collective/numbered_tiles.cuh"
#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych::reduction {
namespace {

using test::expected;
using test::Numbers;

// Another kernel for the same mailbox, whose command has an odd number of words, more than one per lane.
struct ManyWords : Numbers {
  std::uint32_t filler[35] = {};
  __device__ Item item(int) const { return {static_cast<int>(filler[0] + filler[34])}; }
};

constexpr double soon_us = 5e6;
constexpr int blocks = 3;

class TileRangesCuda : public testing::Test {
 protected:
  void SetUp() override { TRIPTYCH_REQUIRE_CUDA_OR_SKIP(); }
};

template <class Condition>
bool comes_true(const Condition& condition) {
  const Stopwatch watch;
  while (!condition() && watch.elapsed_us() < soon_us) {
  }
  return condition();
}

// One call and what it leaves.
template <class S>
void expect_call(HostMailbox& mailbox, const S& source, int tiles_per_range, int ranges, int item) {
  SCOPED_TRACE(testing::Message() << ranges << " ranges of " << tiles_per_range);
  mailbox.next_call();
  for (int r = 0; r < ranges; ++r) EXPECT_FALSE(mailbox.has_result(r));
  start_tile_ranges(source, tiles_per_range, ranges, mailbox);
  for (int r = 0; r < ranges; ++r) {
    ASSERT_TRUE(comes_true([&] { return mailbox.has_result(r); })) << r;
    for (int k = 0; k < Numbers::words; ++k) {
      std::uint64_t sum = 0;
      for (int of_block = r; of_block >= 0; of_block -= blocks)
        sum += expected(of_block * tiles_per_range, (of_block + 1) * tiles_per_range, item, k);
      EXPECT_EQ(mailbox.word(r, k), sum) << r;
    }
  }
  for (int r = ranges; r < mailbox.max_ranges(); ++r) EXPECT_FALSE(mailbox.has_result(r));
  mailbox.end();
}

TEST_F(TileRangesCuda, ResultsAreTheSumsOfTheirBlocks) {
  for (const double persistent_us : {0.0, 2e5}) {
    SCOPED_TRACE(persistent_us);
    HostMailbox mailbox(45, Numbers::words, blocks, persistent_us, 0xfffffff0);  // the numbers wrap around
    for (const int ranges : {1, 2, 5, 40})
      for (const int tiles_per_range : {1, 3, 4, 5, 11})
        expect_call(mailbox, Numbers{}, tiles_per_range, ranges, 0);
  }
}

TEST_F(TileRangesCuda, AKernelStaysResidentForItsTimeAndEnds) {
  HostMailbox mailbox(20, Numbers::words, blocks, 2e5);
  EXPECT_FALSE(mailbox.kernel_is_waiting());
  expect_call(mailbox, Numbers{}, 2, 20, 0);
  EXPECT_TRUE(mailbox.kernel_is_waiting());
  expect_call(mailbox, Numbers{}, 3, 20, 0);
  EXPECT_TRUE(mailbox.kernel_is_waiting());
  const Stopwatch watch;
  EXPECT_TRUE(comes_true([&] { return !mailbox.kernel_is_waiting(); }));
  EXPECT_GT(watch.elapsed_us(), 1e5);
  expect_call(mailbox, Numbers{}, 1, 7, 0);
  EXPECT_TRUE(mailbox.kernel_is_waiting());
  mailbox.stop_kernel();
  EXPECT_FALSE(mailbox.kernel_is_waiting());
  expect_call(mailbox, Numbers{}, 1, 7, 0);
}

TEST_F(TileRangesCuda, TwoKernelsShareAMailbox) {
  HostMailbox mailbox(20, Numbers::words, blocks, 2e5);
  ManyWords many;
  for (std::uint32_t k = 0; k < 6; ++k) {
    expect_call(mailbox, Numbers{}, 2, 20, 0);
    many.filler[0] = k;
    many.filler[34] = 10 * k;
    expect_call(mailbox, many, 2, 20, static_cast<int>(11 * k));
    many.filler[34] = 20 * k;
    expect_call(mailbox, many, 2, 20, static_cast<int>(21 * k));
  }
}

TEST_F(TileRangesCuda, TheGpuStopsWhenTheCallIsOver) {
  HostMailbox mailbox(100000, Numbers::words, blocks, 2e5);
  for (const bool ready : {false, true}) {
    SCOPED_TRACE(ready);
    EXPECT_EQ(mailbox.kernel_is_waiting(), ready);
    mailbox.next_call();
    mailbox
        .end();  // before it has begun: each block does the range that it has, and some more until it is told
    start_tile_ranges(Numbers{}, 1, 100000, mailbox);
    EXPECT_TRUE(comes_true([&] { return mailbox.has_result(0); }));
    mailbox.stop_kernel();
    EXPECT_FALSE(mailbox.has_result(99999));
    expect_call(mailbox, Numbers{}, 2, 20, 0);  // and the next call is whole again
  }
}

TEST_F(TileRangesCuda, CallsThatAreNotAwaitedDoNotDisturbTheNext) {
  HostMailbox mailbox(5000, Numbers::words, blocks, 2e5);
  expect_call(mailbox, Numbers{}, 2, 20, 0);
  for (int k = 0; k < 1000; ++k) {  // the host needs no range of these
    mailbox.next_call();
    start_tile_ranges(Numbers{}, 1 + k % 3, 5000, mailbox);
    mailbox.end();
  }
  expect_call(mailbox, Numbers{}, 2, 20, 0);
}

TEST_F(TileRangesCuda, RefusesWhatHasNoRoom) {
  HostMailbox mailbox(4, Numbers::words, blocks, 0);
  mailbox.next_call();
  EXPECT_ERROR(start_tile_ranges(Numbers{}, 1, 5, mailbox), InvalidArgument, "holds 4");
  EXPECT_ERROR(start_tile_ranges(Numbers{}, 0, 4, mailbox), InvalidArgument, "0 tiles");
  EXPECT_ERROR(HostMailbox(0, 1, 1, 0), InvalidArgument, "0 ranges");
  EXPECT_ERROR(HostMailbox(1, 1, 1, -1), InvalidArgument, "-1 us");
  EXPECT_ERROR(HostMailbox(1, 1, 1, 1e7), InvalidArgument, "persistent kernel");
}

}  // namespace
}  // namespace triptych::reduction
