// The sums over a region in bands of rows, from the top, for a host that watches them come in.
#pragma once

#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <cstdint>

namespace triptych::skin_tracker {

// Rows of a band; the first one begins at the even row at or above the region's first.
constexpr int band_rows = 8;
// The words of a band: two for each sum, its lower half first, each with the call's number in its upper half;
// then room to the next band's.
constexpr int band_words = 12, band_stride = 16;
// From one band's word in BandCall::over to the next one's.
constexpr int band_over_stride = 8;

// What a call needs besides the pixels; see reduction::RangeCall. All but `taken` is page-locked.
struct BandCall {
  std::uint32_t number;
  const std::uint32_t* over;
  std::uint32_t* taken;
  std::uint64_t* sums;  // band_stride words for each band
  int blocks;
};

// Enqueues and returns. The frame may lie on the host, page-locked, as the GPU sees it. The region is not
// empty.
void sum_bands_cuda(const DeviceFrame& frame, const Region& region, const LinearFilter& filter,
                    const BandCall& call, StreamRef stream);
void sum_bands_cuda(const DeviceFrame& frame, const Region& region, DeviceSpan<const std::uint16_t> table,
                    const BandCall& call, StreamRef stream);

}  // namespace triptych::skin_tracker
