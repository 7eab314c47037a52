// The sums of a frame, by a filter that was fixed for its channels; otherwise as locate.hpp has them.
#pragma once

#include <triptych/skin_tracker/locate.hpp>

namespace triptych::skin_tracker {

void sum_cuda(const DeviceFrame& frame, const Region& region, const FixedFilter& filter, Sums* sums_on_device,
              const reduction::Options& options, Workspace& workspace, StreamRef stream);

}  // namespace triptych::skin_tracker
