// Where an object runs: a CPU with so many threads, or one CUDA GPU; and what is known about that machine.
#pragma once

#include <cstddef>
#include <string>

namespace triptych {

enum class DeviceKind { cpu, cuda };

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

// A value; copying it is cheap enough for set-up code.
class Device {
 public:
  // threads 0 means default_threads(); InvalidArgument when negative.
  static Device cpu(int threads = 0);
  // Unavailable with the reason when there is no CUDA or no such GPU; InvalidArgument when ordinal is
  // negative.
  static Device cuda(int ordinal = 0);
  // The first GPU when there is one, else the CPU; never throws for lack of a GPU.
  static Device best();

  DeviceKind kind() const noexcept { return kind_; }
  bool is_cuda() const noexcept { return kind_ == DeviceKind::cuda; }
  // The GPU's number; -1 for a CPU.
  int ordinal() const noexcept { return ordinal_; }
  // Threads for CPU work on behalf of this device: at least 1.
  int threads() const noexcept { return threads_; }
  const DeviceProperties& properties() const noexcept { return properties_; }
  // One line for people.
  std::string describe() const;

  // Makes a GPU the one on which the calling thread allocates and creates streams; nothing for a CPU.
  void activate() const;

 private:
  Device(DeviceKind kind, int ordinal, int threads, DeviceProperties properties);

  DeviceKind kind_;
  int ordinal_;
  int threads_;
  DeviceProperties properties_;
};

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
