#include <triptych/core/device.hpp>

#include <cmath>
#include <sstream>
#include <utility>

#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>

#include "host_info.hpp"
#include "runtime.hpp"

namespace triptych {

namespace {

std::string in_gibibytes(std::size_t bytes) {
  std::ostringstream text;
  text << std::llround(static_cast<double>(bytes) * 0x1p-30) << " GiB";
  return text.str();
}

}  // namespace

Device::Device(DeviceKind kind, int ordinal, int threads, DeviceProperties properties)
    : kind_(kind), ordinal_(ordinal), threads_(threads), properties_(std::move(properties)) {}

Device Device::cpu(int threads) {
  require(threads >= 0, "a CPU cannot run ", threads, " threads; 0 means as many as there are cores");
  return {DeviceKind::cpu, -1, threads == 0 ? default_threads() : threads, host_properties()};
}

Device Device::cuda(int ordinal) {
  require(ordinal >= 0, "GPUs count from 0; ", ordinal, " is no GPU");
  const int count = cuda_device_count();
  if (count == 0) throw Unavailable(cuda_unavailable_reason());
  if (ordinal >= count) {
    throw Unavailable("GPU " + std::to_string(ordinal) + " was asked for, but this machine has " +
                      std::to_string(count) + ", counted from 0");
  }
  return {DeviceKind::cuda, ordinal, default_threads(), runtime::device_properties(ordinal)};
}

Device Device::best() { return cuda_device_count() > 0 ? cuda() : cpu(); }

std::string Device::describe() const {
  const DeviceProperties& p = properties_;
  std::ostringstream line;
  if (is_cuda()) {
    line << "GPU " << ordinal_ << ": " << p.name << ", compute capability " << p.compute_capability_major
         << '.' << p.compute_capability_minor << ", " << p.multiprocessors << " multiprocessors, "
         << in_gibibytes(p.memory_bytes);
  } else {
    line << "CPU: " << p.name << ", " << threads_ << " of " << p.multiprocessors << " logical cores, "
         << in_gibibytes(p.memory_bytes);
  }
  return line.str();
}

void Device::activate() const {
  if (is_cuda()) runtime::set_device(ordinal_);
}

Device activated(Device device) {
  device.activate();
  return device;
}

bool built_with_cuda() noexcept { return runtime::built_with_cuda(); }
int cuda_device_count() noexcept { return runtime::device_count(); }
std::string cuda_unavailable_reason() { return runtime::unavailable_reason(); }
void throw_cuda_unavailable(const char* function) {
  throw Unavailable(std::string(function) + ": " + cuda_unavailable_reason() + ": use the CPU form");
}

}  // namespace triptych
