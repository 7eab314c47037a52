// RangeDesk: where a host and a GPU that work on one thing side by side leave words for each other. The host
// leaves orders, the GPU the sums of ranges (tile_ranges.cuh) as they come, and neither ever waits at a
// fence: every word carries the number of the call that it belongs to and so says itself whether it is there.
//
// After a call the GPU stays at the ready for a while. An order that finds it there begins 6 us earlier than
// a launch on an H200; meanwhile a few of its multiprocessors are busy with waiting, and a call that waits
// for the whole GPU waits that long.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>
#include <span>

namespace triptych::reduction {

// The words, as a kernel sees them.
struct RangeWords {
  std::uint32_t number = 0;  // of the call that the kernel is launched with
  // On the host, page-locked.
  const std::uint64_t* order = nullptr;    // a 32-bit word of the order each, below the call's number
  const std::uint64_t* control = nullptr;  // the number of the last call that is over, below that of the
                                           // launch that is to end
  std::uint32_t* left = nullptr;           // the launch that has ended
  std::uint64_t* letters = nullptr;        // the sums of each range, in halves, and a time, at multiples of
  std::int32_t stride = 0;
  // On the GPU: for one block that looks at the host's words to hand them on to the others.
  std::uint64_t* relay = nullptr;
  std::uint32_t* relayed_over = nullptr;
  std::uint32_t* relayed_left = nullptr;
  std::uint64_t patience_ns = 0;
};

// For one thread at a time, but for is_in() and sum().
class RangeDesk {
 public:
  static constexpr int max_order_words = 128;

  // For calls of up to so many ranges with so many sums each, by so many blocks. After a call the GPU stays
  // at the ready for so long; 0: not at all. last_number: of the call before the first, for tests. On the
  // current device.
  RangeDesk(int max_ranges, int sums, int blocks, double ready_us, std::uint32_t last_number = 0);
  RangeDesk(const RangeDesk&) = delete;
  RangeDesk& operator=(const RangeDesk&) = delete;
  ~RangeDesk();  // the GPU leaves

  int max_ranges() const { return max_ranges_; }
  int blocks() const { return blocks_; }

  // A kernel waits for an order: the next call begins at once.
  bool is_waiting() const;
  // The next call begins: no range is in. Then start_tile_ranges() starts it, once.
  void next_call();
  // By any thread, any time; costs little, and is true for good once it is. Ranges range, range - blocks(),
  // range - 2 blocks(), ... are done by one block in this order, from the last one to this one: all are in.
  bool is_in(int range) const;
  // Has the range's words brought to this core, which will soon look at them; does not wait for them.
  void ask_for(int range) const;
  // Of all of those together, when this one is in: sum k, modulo 2^64, and the time that the block has taken
  // since it began the call, by the GPU's clock.
  std::uint64_t sum(int range, int k) const;
  double elapsed_us(int range) const;
  // The call is over: the GPU stops soon, nobody looks at the ranges that are not in yet.
  void end();
  // The GPU has stopped and left when this returns, whatever went wrong.
  void leave() noexcept;

  // What start_tile_ranges() needs: whether that kernel waits for an order, how one is given to it, and what
  // it is launched with.
  bool is_ready(const void* kernel) const;
  void order(std::span<const std::uint32_t> words);
  const RangeWords& words_for_launch(const void* kernel);
  void launched(const void* kernel);
  StreamRef stream() const { return stream_; }

 private:
  void ask_to_leave() noexcept;

  int max_ranges_, sums_, blocks_;
  double ready_us_;
  Stopwatch since_end_;           // of the last call
  std::uint32_t number_;          // of the call; never 0
  std::uint32_t started_ = 0;     // the last one that was started
  std::uint32_t launch_ = 0;      // the number of the call that the kernel was launched with
  const void* kernel_ = nullptr;  // null before the first
  Stream stream_;
  PinnedBuffer<std::uint64_t> host_, letters_;
  DeviceBuffer<std::uint64_t> relay_;
  RangeWords words_;
};

}  // namespace triptych::reduction
