// HostMailbox: flagged words in pinned memory by which a host and a persistent kernel exchange commands and
// results while both work on one input. The host writes commands, the GPU writes the sums of ranges
// (tile_ranges.cuh) as they are finished. No fence is needed: every word carries the number of its call,
// which says whether the word is valid.
//
// After a call the kernel stays resident for a while. A command to a resident kernel starts 6 us earlier than
// a launch on an H200. Meanwhile the kernel occupies a few multiprocessors, and a call that synchronises the
// whole GPU waits for it.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>
#include <span>

namespace triptych::reduction {

// The addresses of the words, as a kernel argument.
struct MailboxWords {
  std::uint32_t number = 0;  // of the call that comes with the launch
  // In pinned host memory.
  const std::uint64_t* command = nullptr;  // a 32-bit word of the command each; upper half: the call's number
  const std::uint64_t* control = nullptr;  // lower half: the last call that is over; upper half: the launch
                                           // that must stop
  std::uint32_t* ended = nullptr;          // the launch that has stopped
  std::uint64_t* results = nullptr;        // per range: its sums in halves, and a time
  std::int32_t stride = 0;                 // words from one range to the next
  // In device memory: block 0 polls the host's words and relays them to the other blocks.
  std::uint64_t* relay = nullptr;
  std::uint32_t* relayed_over = nullptr;
  std::uint32_t* relayed_end = nullptr;
  std::uint64_t persistent_ns = 0;
};

// One thread at a time, except has_result(), word(), elapsed_us() and prefetch().
class HostMailbox {
 public:
  static constexpr int max_command_words = 128;

  // For calls of up to max_ranges ranges with `sums` sums each, by that many blocks. The kernel stays
  // resident for persistent_us after a call; 0: it ends. last_number: of the call before the first, for
  // tests. On the current device.
  HostMailbox(int max_ranges, int sums, int blocks, double persistent_us, std::uint32_t last_number = 0);
  HostMailbox(const HostMailbox&) = delete;
  HostMailbox& operator=(const HostMailbox&) = delete;
  ~HostMailbox();  // stops the kernel

  int max_ranges() const { return max_ranges_; }
  int blocks() const { return blocks_; }

  // A resident kernel waits for a command.
  bool kernel_is_waiting() const;
  // Begins the next call: no range has a result. Then start_tile_ranges() starts it, once.
  void next_call();
  // By any thread at any time; cheap; stays true during the call. One block processes the ranges range,
  // range - blocks(), range - 2 blocks(), ... in ascending order: all of them are done.
  bool has_result(int range) const;
  // Prefetches the range's words into this core's cache.
  void prefetch(int range) const;
  // Of all of those ranges together, when has_result(range): sum k modulo 2^64, and the block's time since it
  // began the call, by the GPU's clock.
  std::uint64_t word(int range, int k) const;
  double elapsed_us(int range) const;
  // Ends the call: the GPU skips the ranges that it has not begun.
  void end();
  // Stops the kernel and waits for its end, also after an error.
  void stop_kernel() noexcept;

  // For start_tile_ranges(): whether that kernel is resident and takes a command, the command itself, and the
  // argument of a launch.
  bool accepts_command(const void* kernel) const;
  void command(std::span<const std::uint32_t> words);
  const MailboxWords& words_for_launch(const void* kernel);
  void launched(const void* kernel);
  StreamRef stream() const { return stream_; }

 private:
  void request_stop() noexcept;

  int max_ranges_, sums_, blocks_;
  double persistent_us_;
  Stopwatch since_end_;           // of the last call
  std::uint32_t number_;          // of the call; never 0
  std::uint32_t started_ = 0;     // the last one that was started
  std::uint32_t launch_ = 0;      // the number of the call that the kernel was launched with
  const void* kernel_ = nullptr;  // null before the first
  Stream stream_;
  PinnedBuffer<std::uint64_t> host_, results_;
  DeviceBuffer<std::uint64_t> relay_;
  MailboxWords words_;
};

}  // namespace triptych::reduction
