// The moments of a region in bands of rows, from the top, written to a host mailbox band by band.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/reduction/host_mailbox.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

namespace triptych::skin_tracker {

// Rows of a band; the first one begins at the even row at or above the region's first.
constexpr int band_rows = 4;

// Starts the mailbox's next call with one range per band and returns; the words of a result are in the order
// of Moments. The frame may be in pinned host memory, by device pointers. The region must not be empty, the
// filter must be fixed for the frame's channels, and the mailbox must be on that device.
void start_bands_cuda(const DeviceFrame& frame, const PixelBox& region, const FixedFilter& filter,
                      const Device& device, reduction::HostMailbox& mailbox);

}  // namespace triptych::skin_tracker
