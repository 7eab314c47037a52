// What the operating system says about this machine's processors and memory. Nothing here throws for lack of
// an answer.
#pragma once

#include <triptych/core/device.hpp>

namespace triptych {

DeviceProperties host_properties();

// Processors that this process can keep busy, at least 1: those it may run on, and no more than the control
// group grants it time for.
int usable_processors();

}  // namespace triptych
