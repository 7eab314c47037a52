// What the operating system says about this machine's processors and memory. Nothing here throws for lack of
// an answer.
#pragma once

#include <triptych/core/device.hpp>

namespace triptych {

DeviceProperties host_properties();

// Processors' worth of time that the control group grants, rounded up; 0 when it sets no limit.
int processor_quota();

}  // namespace triptych
