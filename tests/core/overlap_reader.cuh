// A kernel that was compiled as PTX for compute capability 7.5, whatever the architectures of the build: its
// wait_for_previous_grid is empty.
#pragma once

#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

namespace triptych::test {

// Enqueues the copy of from[0] to to[0], with LaunchShape::overlap.
void copy_overlapped(DeviceSpan<const int> from, DeviceSpan<int> to, StreamRef stream);

}  // namespace triptych::test
