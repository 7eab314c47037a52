#include <triptych/core/error.hpp>
#include <triptych/reduction/host_mailbox.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

namespace triptych::reduction {

namespace {

constexpr int line = 8;  // words: host and GPU write to different lines

// atomic_ref takes no const words.
template <class Word>
Word load(const Word& word) {
  return std::atomic_ref(const_cast<Word&>(word)).load(std::memory_order_relaxed);
}

// Share of persistent_us in which a command is sent: later the kernel may already be ending, and the command
// would be lost.
constexpr double safe_part = 0.75;

constexpr std::uint64_t numbered(std::uint32_t number, std::uint32_t value) {
  return std::uint64_t{number} << 32 | value;
}

}  // namespace

HostMailbox::HostMailbox(int max_ranges, int sums, int blocks, double persistent_us,
                         std::uint32_t last_number)
    : max_ranges_(max_ranges),
      sums_(sums),
      blocks_(blocks),
      persistent_us_(persistent_us),
      number_(last_number) {
  require(max_ranges >= 1 && sums >= 1 && blocks >= 1, "a mailbox cannot hold ", max_ranges, " ranges of ",
          sums, " sums by ", blocks, " blocks");
  require(persistent_us >= 0 && persistent_us <= 1e6, "a persistent kernel cannot wait for ", persistent_us,
          " us; give 0 to a million");
  words_.stride = (2 * sums + 1 + line - 1) / line * line;
  host_ = PinnedBuffer<std::uint64_t>(max_command_words + 2 * line);
  results_ = PinnedBuffer<std::uint64_t>(std::int64_t{max_ranges} * words_.stride);
  relay_ = DeviceBuffer<std::uint64_t>(max_command_words + 2 * line);
  // A word that was not written yet carries the last number.
  std::fill_n(results_.data(), results_.size(), numbered(number_, 0));
  std::fill_n(host_.data(), host_.size(), numbered(number_, 0));
  const std::vector<std::uint64_t> none(static_cast<std::size_t>(relay_.size()), numbered(number_, number_));
  copy_to_device(std::span<const std::uint64_t>(none), relay_.span(), stream_);
  stream_.synchronize();

  std::uint64_t* const control = host_.data() + max_command_words;
  *control = numbered(0, number_);
  words_.command = host_.data();
  words_.control = control;
  words_.ended = reinterpret_cast<std::uint32_t*>(control + line);
  *words_.ended = number_;
  words_.results = results_.data();
  words_.relay = relay_.data();
  words_.relayed_over = reinterpret_cast<std::uint32_t*>(relay_.data() + max_command_words);
  words_.relayed_end = words_.relayed_over + 2 * line;
  words_.persistent_ns = static_cast<std::uint64_t>(std::llround(persistent_us * 1e3));
}

HostMailbox::~HostMailbox() { stop_kernel(); }

void HostMailbox::next_call() {
  ++number_;
  if (number_ == 0) number_ = 1;
}

// The last word first: it is written last, so that one load is enough while the range is not done.
bool HostMailbox::has_result(int range) const {
  const std::uint64_t* const words = results_.data() + std::int64_t{range} * words_.stride;
  for (int k = 2 * sums_; k >= 0; --k) {
    if (load(words[k]) >> 32 != number_) return false;
  }
  return true;
}

void HostMailbox::prefetch(int range) const {
  for (int k = 0; k < words_.stride; k += line)
    __builtin_prefetch(results_.data() + std::int64_t{range} * words_.stride + k);
}

std::uint64_t HostMailbox::word(int range, int k) const {
  const std::uint64_t* const halves =
      results_.data() + std::int64_t{range} * words_.stride + std::int64_t{2} * k;
  return (load(halves[0]) & 0xffffffffu) | load(halves[1]) << 32;
}

double HostMailbox::elapsed_us(int range) const {
  const std::uint64_t time = load(results_.data()[std::int64_t{range} * words_.stride + 2 * sums_]);
  return 1e-3 * static_cast<double>(time & 0xffffffffu);
}

void HostMailbox::end() {
  std::atomic_ref(host_.data()[max_command_words]).store(numbered(0, number_), std::memory_order_release);
  since_end_ = Stopwatch();
}

void HostMailbox::request_stop() noexcept {
  std::atomic_ref(host_.data()[max_command_words])
      .store(numbered(launch_, started_), std::memory_order_release);
}

void HostMailbox::stop_kernel() noexcept {
  if (kernel_ == nullptr) return;
  request_stop();
  try {
    stream_.synchronize();
  } catch (...) {  // it has ended, if by an error
  }
  kernel_ = nullptr;
}

bool HostMailbox::kernel_is_waiting() const {
  return kernel_ != nullptr && load(*words_.ended) != launch_ &&
         since_end_.elapsed_us() < safe_part * persistent_us_;
}

bool HostMailbox::accepts_command(const void* kernel) const {
  return kernel == kernel_ && kernel_is_waiting();
}

void HostMailbox::command(std::span<const std::uint32_t> words) {
  require(words.size() <= max_command_words, "a command of ", words.size(), " words is longer than ",
          max_command_words);
  for (std::size_t i = 0; i < words.size(); ++i)
    std::atomic_ref(host_.data()[i]).store(numbered(number_, words[i]), std::memory_order_release);
  started_ = number_;
}

// The same kernel, if it is still resident, is told to stop, and the launch waits for that on the stream. A
// different kernel must have ended: it would misread the next command.
const MailboxWords& HostMailbox::words_for_launch(const void* kernel) {
  kernel == kernel_ ? request_stop() : stop_kernel();
  words_.number = number_;
  return words_;
}

void HostMailbox::launched(const void* kernel) {
  kernel_ = kernel;
  launch_ = started_ = number_;
}

}  // namespace triptych::reduction
