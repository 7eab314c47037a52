// Processors and memory of this machine, as reported by the operating system. Nothing here throws when the
// information is missing.
#pragma once

#include <triptych/core/device.hpp>

#include <istream>
#include <string>

namespace triptych {

DeviceProperties host_properties();

// The processor of a text such as /proc/cpuinfo; "unknown processor" when it does not say.
std::string processor_name(std::istream& cpuinfo);

// The number of processors that this process can use, at least 1: the smaller of its affinity mask and the
// quota of its control group.
int usable_processors();

}  // namespace triptych
