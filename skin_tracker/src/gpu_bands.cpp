#include "gpu_bands.hpp"

#include <triptych/core/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "activated.hpp"
#include "bands_cuda.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr int sum_words = sizeof(Sums) / sizeof(std::uint64_t);
static_assert(2 * sum_words == band_words && std::is_trivially_copyable_v<Sums>);

// Enough to keep the bus busy while the cores are at work, too. More would leave more bands half done when
// the two sides meet.
constexpr int blocks = 8;

// atomic_ref takes no const words.
template <class Word>
Word load(const Word& word) {
  return std::atomic_ref(const_cast<Word&>(word)).load(std::memory_order_relaxed);
}

}  // namespace

GpuBands::GpuBands(const std::optional<LinearFilter>& filter, DeviceSpan<const std::uint16_t> table,
                   int height, Device device)
    : filter_(filter), table_(table), device_(activated(device)) {
  const int most_bands = height / band_rows + 2;
  sums_ = PinnedBuffer<std::uint64_t>(std::int64_t{most_bands} * band_stride);
  over_ = PinnedBuffer<std::uint32_t>(std::int64_t{most_bands} * band_over_stride);
  taken_ = DeviceBuffer<std::uint32_t>(2);
  std::fill_n(sums_.data(), sums_.size(), 0);
  std::fill_n(over_.data(), over_.size(), 0);
  const std::uint32_t none[2] = {};
  copy_to_device(std::span<const std::uint32_t>(none), taken_.span(), stream_);
  stream_.synchronize();
}

GpuBands::~GpuBands() { abandon(); }

void GpuBands::plan(const Region& region, int rows) {
  ++number_;
  region_ = {region.x, region.y, region.width, rows};
  const int first = region.y / 2 * 2;
  count_ = (region.y + rows - first + band_rows - 1) / band_rows;
}

Region GpuBands::band(int i) const {
  const int first = region_.y / 2 * 2 + i * band_rows;
  const int top = std::max(first, region_.y);
  return {region_.x, top, region_.width, std::min(first + band_rows, region_.y + region_.height) - top};
}

void GpuBands::start(const DeviceFrame& frame) {
  device_.activate();
  const BandCall call{number_, over_.data(), taken_.data(), sums_.data(), blocks};
  filter_ ? sum_bands_cuda(frame, region_, *filter_, call, stream_)
          : sum_bands_cuda(frame, region_, table_, call, stream_);
}

// The last word first: it changes late, and as long as it has not the others need no look.
bool GpuBands::is_in(int i) const {
  const std::uint64_t* const word = sums_.data() + std::int64_t{i} * band_stride;
  for (int k = band_words - 1; k >= 0; --k) {
    if (load(word[k]) >> 32 != number_) return false;
  }
  return true;
}

Sums GpuBands::sums(int i) const {
  const std::uint64_t* const word = sums_.data() + std::int64_t{i} * band_stride;
  std::uint64_t words[sum_words];
  for (int k = 0; k < sum_words; ++k) {
    words[k] = (load(word[2 * k]) & 0xffffffffu) | load(word[2 * k + 1]) << 32;
  }
  Sums sums;
  std::memcpy(static_cast<void*>(&sums), words, sizeof sums);
  return sums;
}

void GpuBands::end() {
  for (int i = 0; i < count_; ++i)
    std::atomic_ref(over_.data()[i * band_over_stride]).store(number_, std::memory_order_relaxed);
}

void GpuBands::abandon() noexcept {
  end();
  try {
    stream_.synchronize();
  } catch (...) {  // it has ended, if by an error
  }
}

}  // namespace triptych::skin_tracker
