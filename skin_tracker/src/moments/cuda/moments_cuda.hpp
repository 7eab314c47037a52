// moments_cuda() with a filter that was fixed for the frame's channels.
#pragma once

#include <triptych/skin_tracker/moments.hpp>

namespace triptych::skin_tracker {

void moments_cuda(const DeviceFrame& frame, const PixelBox& region, const FixedFilter& filter,
                  Moments* moments_on_device, const reduction::Options& options, Workspace& workspace,
                  StreamRef stream);

}  // namespace triptych::skin_tracker
