#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>

#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>
#include <utility>

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

std::string to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::cuda_group:
      return "cuda_group";
    case DeviceKind::joint:
      return "joint";
  }
  detail::throw_invalid_argument("there is no device kind ", static_cast<int>(kind));
}

Device::Device(DeviceKind kind, std::vector<int> ordinals, int threads, DeviceProperties properties)
    : kind_(kind), ordinals_(std::move(ordinals)), threads_(threads), properties_(std::move(properties)) {}

Device Device::cpu(int threads) {
  require(threads >= 0, "a CPU cannot run ", threads, " threads; 0 means all usable cores");
  return {DeviceKind::cpu, {}, threads == 0 ? default_threads() : threads, host_properties()};
}

Device Device::cuda(int ordinal) {
  require(ordinal >= 0, "GPUs are numbered from 0; there is no GPU ", ordinal);
  const int count = cuda_device_count();
  if (count == 0) throw Unavailable(cuda_unavailable_reason());
  if (ordinal >= count) {
    throw Unavailable("there is no GPU " + std::to_string(ordinal) + ": this machine has " +
                      std::to_string(count) + ", numbered from 0");
  }
  return {DeviceKind::cuda, {ordinal}, default_threads(), runtime::device_properties(ordinal)};
}

Device Device::cuda(std::vector<int> ordinals) {
  require(!ordinals.empty(), "a device of several GPUs needs at least one GPU");
  for (const int ordinal : ordinals) static_cast<void>(cuda(ordinal));
  Device first = cuda(ordinals.front());
  if (ordinals.size() == 1) return first;
  return {DeviceKind::cuda_group, std::move(ordinals), first.threads_, std::move(first.properties_)};
}

Device Device::joint(int ordinal, int threads) {
  const int cpu_threads = cpu(threads).threads();
  Device gpu = cuda(ordinal);
  return {DeviceKind::joint, {ordinal}, cpu_threads, std::move(gpu.properties_)};
}

Device Device::best() { return cuda_device_count() > 0 ? cuda() : cpu(); }

Device Device::parse(std::string_view text) {
  if (text == "cpu") return cpu();
  if (text == "cuda") return cuda();
  if (text == "joint") return joint();
  if (text == "best") return best();
  constexpr std::string_view prefix = "cuda:";
  std::vector<int> ordinals;
  bool valid = text.substr(0, prefix.size()) == prefix;
  const char* at = valid ? text.data() + prefix.size() : text.data();
  const char* const end = text.data() + text.size();
  while (valid) {
    int ordinal = -1;
    const auto [next, error] = std::from_chars(at, end, ordinal);
    valid = error == std::errc{} && ordinal >= 0 && (next == end || *next == ',');
    ordinals.push_back(ordinal);
    if (next == end) break;
    at = next + 1;
  }
  require(valid, "a device is cpu, cuda, cuda:1, cuda:0,1, joint or best, not '", text, "'");
  return cuda(std::move(ordinals));
}

std::string Device::describe() const {
  const DeviceProperties& p = properties_;
  std::ostringstream line;
  if (kind_ == DeviceKind::cpu) {
    line << "CPU: " << p.name << ", " << threads_ << " of " << p.multiprocessors << " logical cores, "
         << in_gibibytes(p.memory_bytes);
    return line.str();
  }
  line << (ordinals_.size() == 1 ? "GPU " : "GPUs ");
  for (std::size_t i = 0; i < ordinals_.size(); ++i) line << (i == 0 ? "" : ", ") << ordinals_[i];
  line << ": " << p.name << ", compute capability " << p.compute_capability_major << '.'
       << p.compute_capability_minor << ", " << p.multiprocessors << " multiprocessors, "
       << in_gibibytes(p.memory_bytes);
  if (kind_ == DeviceKind::joint) line << "; with " << threads_ << " CPU threads";
  return line.str();
}

void Device::activate() const {
  if (is_cuda()) runtime::set_device(ordinal());
}

void require_kind(const Device& device, std::span<const DeviceKind> kinds, std::string_view object) {
  std::string names;
  for (const DeviceKind kind : kinds) {
    if (device.kind() == kind) return;
    names += (names.empty() ? "" : ", ") + to_string(kind);
  }
  detail::throw_invalid_argument(object, " runs on a device of the kind ", names, ", not ",
                                 to_string(device.kind()));
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
