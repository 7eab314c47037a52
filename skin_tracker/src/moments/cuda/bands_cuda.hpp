// The sums over a region in bands of rows, from the top, for a host that watches them come in.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/reduction/range_desk.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

namespace triptych::skin_tracker {

// Rows of a band; the first one begins at the even row at or above the region's first.
constexpr int band_rows = 4;

// Starts the desk's next call, of a range for each band, and returns; the sums are in the order of Sums. The
// frame may lie on the host, page-locked, as the GPU sees it. The region is not empty, the filter fixed for
// the frame's channels, the desk on that device.
void start_bands_cuda(const DeviceFrame& frame, const Region& region, const FixedFilter& filter,
                      const Device& device, reduction::RangeDesk& desk);

}  // namespace triptych::skin_tracker
