// Device: where an object runs (the CPU, one GPU, several GPUs, or a GPU and the CPU together) and the
// properties of that hardware.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triptych {

enum class DeviceKind {
  cpu,
  cuda,        // one GPU
  cuda_group,  // several GPUs that share the work
  joint        // one GPU and the CPU, which share every input
};
std::string to_string(DeviceKind kind);

// For a CPU, name is the model, multiprocessors the number of logical cores, memory_bytes the main memory;
// the other members are 0.
struct DeviceProperties {
  std::string name;
  std::size_t memory_bytes = 0;
  int multiprocessors = 0;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  int max_threads_per_multiprocessor = 0;
  std::size_t shared_memory_per_block_optin = 0;  // bytes
  std::size_t l2_bytes = 0;
  int driver_version = 0;   // the newest CUDA version that the driver supports: 1000 * major + 10 * minor
  int runtime_version = 0;  // the CUDA version that this library was linked with, in the same form
};

// A copyable value for set-up code. An object that cannot run on a kind of device throws InvalidArgument,
// which names the supported kinds.
class Device {
 public:
  // threads 0 means default_threads(); InvalidArgument when negative.
  static Device cpu(int threads = 0);
  // Unavailable with the reason when there is no CUDA or no such GPU; InvalidArgument when ordinal is
  // negative.
  static Device cuda(int ordinal = 0);
  // Several GPUs; a list of one GPU gives the kind cuda. A GPU may be listed more than once. InvalidArgument
  // when the list is empty.
  static Device cuda(std::vector<int> ordinals);
  // One GPU and CPU threads (0: default_threads()) together.
  static Device joint(int ordinal = 0, int threads = 0);
  // The first GPU when there is one, else the CPU; never throws for lack of a GPU.
  static Device best();
  // "cpu", "cuda", "cuda:1", "cuda:0,1", "joint" or "best", for command lines. InvalidArgument, which lists
  // these forms, for any other text.
  static Device parse(std::string_view text);

  DeviceKind kind() const noexcept { return kind_; }
  // True for every kind but cpu.
  bool is_cuda() const noexcept { return kind_ != DeviceKind::cpu; }
  // The number of the GPU (of the first one of a group); -1 for a CPU.
  int ordinal() const noexcept { return ordinals_.empty() ? -1 : ordinals_.front(); }
  // The numbers of all GPUs; empty for a CPU.
  std::span<const int> ordinals() const noexcept { return ordinals_; }
  // Threads for CPU work on behalf of this device: at least 1.
  int threads() const noexcept { return threads_; }
  // Of the GPU (the first one of a group), or of the CPU.
  const DeviceProperties& properties() const noexcept { return properties_; }
  // One line for a log or a terminal.
  std::string describe() const;

  // Makes the GPU (the first one of a group) current for the calling thread; does nothing for a CPU. See
  // DeviceGuard (device_guard.hpp) for a scope that restores the caller's GPU.
  void activate() const;

 private:
  Device(DeviceKind kind, std::vector<int> ordinals, int threads, DeviceProperties properties);

  DeviceKind kind_;
  std::vector<int> ordinals_;
  int threads_;
  DeviceProperties properties_;
};

// InvalidArgument, which names the object and the supported kinds, unless device is of one of the kinds.
void require_kind(const Device& device, std::span<const DeviceKind> kinds, std::string_view object);

// Activates the device and returns it: for a member initialiser that precedes members allocated on that
// device.
Device activated(Device device);

bool built_with_cuda() noexcept;
// The number of usable GPUs; 0 when built without CUDA, without a driver or without a GPU.
int cuda_device_count() noexcept;
// One sentence: why cuda_device_count() is 0; empty when it is not 0.
std::string cuda_unavailable_reason();
// Throws Unavailable with the name of the function and the reason: the body of every _cuda function in a
// build without CUDA.
[[noreturn]] void throw_cuda_unavailable(const char* function);

}  // namespace triptych
