#include <triptych/core/error.hpp>
#include <triptych/reduction/range_desk.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

namespace triptych::reduction {

namespace {

constexpr int line = 8;  // words: what one side writes does not share a line with what the other writes

// atomic_ref takes no const words.
template <class Word>
Word load(const Word& word) {
  return std::atomic_ref(const_cast<Word&>(word)).load(std::memory_order_relaxed);
}

// Of the time that the GPU stays at the ready: an order that is given later may find it leaving, and would be
// lost.
constexpr double trusted_part = 0.75;

constexpr std::uint64_t numbered(std::uint32_t number, std::uint32_t value) {
  return std::uint64_t{number} << 32 | value;
}

}  // namespace

RangeDesk::RangeDesk(int max_ranges, int sums, int blocks, double ready_us, std::uint32_t last_number)
    : max_ranges_(max_ranges), sums_(sums), blocks_(blocks), ready_us_(ready_us), number_(last_number) {
  require(max_ranges >= 1 && sums >= 1 && blocks >= 1, "cannot keep words for ", max_ranges, " ranges of ",
          sums, " sums by ", blocks, " blocks");
  require(ready_us >= 0 && ready_us <= 1e6, "a GPU cannot stay at the ready for ", ready_us,
          " us; give 0 to a million");
  words_.stride = (2 * sums + 1 + line - 1) / line * line;
  host_ = PinnedBuffer<std::uint64_t>(max_order_words + 2 * line);
  letters_ = PinnedBuffer<std::uint64_t>(std::int64_t{max_ranges} * words_.stride);
  relay_ = DeviceBuffer<std::uint64_t>(max_order_words + 2 * line);
  // A word that nobody has written yet carries the last number.
  std::fill_n(letters_.data(), letters_.size(), numbered(number_, 0));
  std::fill_n(host_.data(), host_.size(), numbered(number_, 0));
  const std::vector<std::uint64_t> none(static_cast<std::size_t>(relay_.size()), numbered(number_, number_));
  copy_to_device(std::span<const std::uint64_t>(none), relay_.span(), stream_);
  stream_.synchronize();

  std::uint64_t* const control = host_.data() + max_order_words;
  *control = numbered(0, number_);
  words_.order = host_.data();
  words_.control = control;
  words_.left = reinterpret_cast<std::uint32_t*>(control + line);
  *words_.left = number_;
  words_.letters = letters_.data();
  words_.relay = relay_.data();
  words_.relayed_over = reinterpret_cast<std::uint32_t*>(relay_.data() + max_order_words);
  words_.relayed_left = words_.relayed_over + 2 * line;
  words_.patience_ns = static_cast<std::uint64_t>(std::llround(ready_us * 1e3));
}

RangeDesk::~RangeDesk() { leave(); }

void RangeDesk::next_call() {
  ++number_;
  if (number_ == 0) number_ = 1;
}

// The last word first: it changes late, and as long as it has not the others need no look.
bool RangeDesk::is_in(int range) const {
  const std::uint64_t* const word = letters_.data() + std::int64_t{range} * words_.stride;
  for (int k = 2 * sums_; k >= 0; --k) {
    if (load(word[k]) >> 32 != number_) return false;
  }
  return true;
}

void RangeDesk::ask_for(int range) const {
  for (int k = 0; k < words_.stride; k += line)
    __builtin_prefetch(letters_.data() + std::int64_t{range} * words_.stride + k);
}

std::uint64_t RangeDesk::sum(int range, int k) const {
  const std::uint64_t* const word =
      letters_.data() + std::int64_t{range} * words_.stride + std::int64_t{2} * k;
  return (load(word[0]) & 0xffffffffu) | load(word[1]) << 32;
}

double RangeDesk::elapsed_us(int range) const {
  const std::uint64_t word = load(letters_.data()[std::int64_t{range} * words_.stride + 2 * sums_]);
  return 1e-3 * static_cast<double>(word & 0xffffffffu);
}

void RangeDesk::end() {
  std::atomic_ref(host_.data()[max_order_words]).store(numbered(0, number_), std::memory_order_release);
  since_end_ = Stopwatch();
}

void RangeDesk::ask_to_leave() noexcept {
  std::atomic_ref(host_.data()[max_order_words])
      .store(numbered(launch_, started_), std::memory_order_release);
}

void RangeDesk::leave() noexcept {
  if (kernel_ == nullptr) return;
  ask_to_leave();
  try {
    stream_.synchronize();
  } catch (...) {  // it has ended, if by an error
  }
  kernel_ = nullptr;
}

bool RangeDesk::is_waiting() const {
  return kernel_ != nullptr && load(*words_.left) != launch_ &&
         since_end_.elapsed_us() < trusted_part * ready_us_;
}

bool RangeDesk::is_ready(const void* kernel) const { return kernel == kernel_ && is_waiting(); }

void RangeDesk::order(std::span<const std::uint32_t> words) {
  require(words.size() <= max_order_words, "an order of ", words.size(), " words has no room, ",
          max_order_words, " have");
  for (std::size_t i = 0; i < words.size(); ++i)
    std::atomic_ref(host_.data()[i]).store(numbered(number_, words[i]), std::memory_order_release);
  started_ = number_;
}

// The same kernel, if it is still there, makes room, and the launch waits for that. Another one must be gone:
// it would not understand the next order.
const RangeWords& RangeDesk::words_for_launch(const void* kernel) {
  kernel == kernel_ ? ask_to_leave() : leave();
  words_.number = number_;
  return words_;
}

void RangeDesk::launched(const void* kernel) {
  kernel_ = kernel;
  launch_ = started_ = number_;
}

}  // namespace triptych::reduction
