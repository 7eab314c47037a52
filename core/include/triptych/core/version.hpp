// The version of these headers, and of the library that was linked.
#pragma once

#define TRIPTYCH_VERSION_MAJOR 0
#define TRIPTYCH_VERSION_MINOR 2
#define TRIPTYCH_VERSION_PATCH 0

namespace triptych {

// "major.minor.patch" of the linked library.
const char* version() noexcept;

}  // namespace triptych
