#include <triptych/core/device_guard.hpp>

#include "runtime.hpp"

namespace triptych {

DeviceGuard::DeviceGuard(int ordinal) {
  if (ordinal < 0) return;
  const int current = runtime::current_device();
  if (current == ordinal) return;
  runtime::set_device(ordinal);
  restored_ = current;
}

int current_gpu() { return runtime::current_device(); }

DeviceGuard::~DeviceGuard() {
  if (restored_ >= 0) runtime::restore_device(restored_);
}

}  // namespace triptych
