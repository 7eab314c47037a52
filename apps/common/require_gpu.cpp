#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>

#include <common/require_gpu.hpp>

namespace triptych::apps {

void require_gpu(const std::string& wish, const std::string& advice) {
  if (cuda_device_count() > 0) return;
  // The advice of the library, after the semicolon, is for programmers.
  const std::string reason = cuda_unavailable_reason();
  throw Unavailable(wish + " needs a GPU: " + reason.substr(0, reason.find(';')) + "; " + advice);
}

}  // namespace triptych::apps
