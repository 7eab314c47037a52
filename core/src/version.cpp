#include <triptych/core/version.hpp>

#define TRIPTYCH_TEXT_OF(x) #x
#define TRIPTYCH_TEXT(x) TRIPTYCH_TEXT_OF(x)

namespace triptych {

const char* version() noexcept {
  return TRIPTYCH_TEXT(TRIPTYCH_VERSION_MAJOR) "." TRIPTYCH_TEXT(TRIPTYCH_VERSION_MINOR) "." TRIPTYCH_TEXT(
      TRIPTYCH_VERSION_PATCH);
}

}  // namespace triptych
