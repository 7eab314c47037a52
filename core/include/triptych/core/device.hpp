// Where an object runs: on the CPU, on one GPU, on several GPUs, or on a GPU and the CPU together; and what
// is known about that machine.
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
  joint        // one GPU and the CPU, each a part of every input
};
std::string to_string(DeviceKind kind);

// For a CPU: name is the model, multiprocessors the logical cores, memory_bytes the main memory; the rest is
// 0.
struct DeviceProperties {
  std::string name;
  std::size_t memory_bytes = 0;
  int multiprocessors = 0;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  int max_threads_per_multiprocessor = 0;
  std::size_t shared_memory_per_block_optin = 0;  // bytes
  std::size_t l2_bytes = 0;
  int driver_version = 0;   // the newest CUDA the driver serves, 1000 * major + 10 * minor
  int runtime_version = 0;  // the CUDA this library was linked with, in the same form
};

// A value; copying it is cheap enough for set-up code. An object that cannot run on a kind of device throws
// InvalidArgument and names the kinds that it takes.
class Device {
 public:
  // threads 0 means default_threads(); InvalidArgument when negative.
  static Device cpu(int threads = 0);
  // Unavailable with the reason when there is no CUDA or no such GPU; InvalidArgument when ordinal is
  // negative.
  static Device cuda(int ordinal = 0);
  // Several GPUs; a list of one is that GPU. The same one may be listed again. InvalidArgument when the list
  // is empty.
  static Device cuda(std::vector<int> ordinals);
  // A GPU and that many threads of the CPU together.
  static Device joint(int ordinal = 0, int threads = 0);
  // The first GPU when there is one, else the CPU; never throws for lack of a GPU.
  static Device best();
  // "cpu", "cuda", "cuda:1", "cuda:0,1", "joint" or "best", as command lines have it. InvalidArgument, which
  // lists the forms, for anything else.
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
  // One line for people.
  std::string describe() const;

  // Makes the GPU (the first one of a group) the one on which the calling thread allocates and creates
  // streams; nothing for a CPU.
  void activate() const;

 private:
  Device(DeviceKind kind, std::vector<int> ordinals, int threads, DeviceProperties properties);

  DeviceKind kind_;
  std::vector<int> ordinals_;
  int threads_;
  DeviceProperties properties_;
};

// InvalidArgument, naming the object and the kinds it takes, unless device is of one of them.
void require_kind(const Device& device, std::span<const DeviceKind> kinds, std::string_view object);

// Activates the device and returns it: for a member whose siblings are allocated on that device.
Device activated(Device device);

bool built_with_cuda() noexcept;
// Usable GPUs; 0 when built without CUDA, without a driver or without a GPU.
int cuda_device_count() noexcept;
// Why cuda_device_count() is 0, in a sentence; empty when it is not.
std::string cuda_unavailable_reason();
// Throws Unavailable, naming the function that cannot run and the reason: the body of every _cuda function in
// a build without CUDA.
[[noreturn]] void throw_cuda_unavailable(const char* function);

}  // namespace triptych
