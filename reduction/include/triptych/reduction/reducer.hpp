// The object form: a Reducer is made once for a device, owns its stream and scratch memory, and returns
// values.
//
//   Reducer reducer(Device::best());
//   double total = reducer.sum<double, float>(samples);   // accumulator, element
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/reduce.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

namespace triptych::reduction {

// Every call waits for its result. On a GPU, host arrays are first copied into a device buffer, which grows
// to the largest array; after that, a call allocates nothing. The DeviceSpan forms need a reducer on a GPU
// (InvalidArgument otherwise) and wait for work on other streams by wait() alone. The caller's current CUDA
// device is unchanged after each call. On the CPU the stricter level of determinism of the two options
// applies. Move-only; one thread at a time.
class Reducer {
 public:
  explicit Reducer(const Device& device, const Options& options = {}, const CpuOptions& cpu_options = {})
      : device_(device), options_(options), cpu_options_(cpu_options) {
    if (device.is_cuda()) {
      const DeviceGuard guard(device);
      gpu_.emplace();
      return;
    }
    if (cpu_options.threads == 0) cpu_options_.threads = device.threads();
    cpu_options_.determinism = std::max(cpu_options.determinism, options.determinism);
  }

  const Device& device() const { return device_; }

  // Device memory of later calls is read after event, so that another stream may still be writing it. On a
  // GPU the reducer's stream waits and the call returns; on the CPU the call waits. The event may be
  // destroyed or recorded again afterwards.
  void wait(const Event& event) {
    if (gpu_) return gpu_->stream.wait(event);
    event.synchronize();
  }

  template <class A, class T>
  requires SumPair<T, A> A sum(std::span<const T> values) {
    return gpu_ ? sum<A, T>(upload(values, 0)) : sum_cpu<A, T>(values, cpu_options_);
  }
  template <class A, class T>
  requires SumPair<T, A> A sum(DeviceSpan<const T> values) {
    return result_of<A>(
        [&](A* result, Gpu& gpu) { sum_cuda<A, T>(values, result, options_, gpu.workspace, gpu.stream); });
  }

  // The accumulator of the exact sum, whatever the options: to be merged with those of other ranks.
  template <ExactElement T>
  ExactSum<T> sum_exact(std::span<const T> values) {
    return gpu_ ? sum_exact<T>(upload(values, 0)) : sum_exact_cpu<T>(values, cpu_options_.threads);
  }
  template <ExactElement T>
  ExactSum<T> sum_exact(DeviceSpan<const T> values) {
    return result_of<ExactSum<T>>(
        [&](ExactSum<T>* result, Gpu& gpu) { sum_exact_cuda<T>(values, result, gpu.workspace, gpu.stream); });
  }

  template <Element T>
  T min(std::span<const T> values) {
    return gpu_ ? min<T>(upload(values, 0)) : min_cpu<T>(values, cpu_options_);
  }
  template <Element T>
  T min(DeviceSpan<const T> values) {
    return result_of<T>(
        [&](T* result, Gpu& gpu) { min_cuda<T>(values, result, options_, gpu.workspace, gpu.stream); });
  }

  template <Element T>
  T max(std::span<const T> values) {
    return gpu_ ? max<T>(upload(values, 0)) : max_cpu<T>(values, cpu_options_);
  }
  template <Element T>
  T max(DeviceSpan<const T> values) {
    return result_of<T>(
        [&](T* result, Gpu& gpu) { max_cuda<T>(values, result, options_, gpu.workspace, gpu.stream); });
  }

  template <Element T>
  Indexed<T> argmin(std::span<const T> values) {
    return gpu_ ? argmin<T>(upload(values, 0)) : argmin_cpu<T>(values, cpu_options_);
  }
  template <Element T>
  Indexed<T> argmin(DeviceSpan<const T> values) {
    return result_of<Indexed<T>>([&](Indexed<T>* result, Gpu& gpu) {
      argmin_cuda<T>(values, result, options_, gpu.workspace, gpu.stream);
    });
  }

  template <Element T>
  Indexed<T> argmax(std::span<const T> values) {
    return gpu_ ? argmax<T>(upload(values, 0)) : argmax_cpu<T>(values, cpu_options_);
  }
  template <Element T>
  Indexed<T> argmax(DeviceSpan<const T> values) {
    return result_of<Indexed<T>>([&](Indexed<T>* result, Gpu& gpu) {
      argmax_cuda<T>(values, result, options_, gpu.workspace, gpu.stream);
    });
  }

  template <class A, class T>
  requires DotAccumulator<T, A> A dot(std::span<const T> a, std::span<const T> b) {
    return gpu_ ? dot<A, T>(upload(a, 0), upload(b, 1)) : dot_cpu<A, T>(a, b, cpu_options_);
  }
  template <class A, class T>
  requires DotAccumulator<T, A> A dot(DeviceSpan<const T> a, DeviceSpan<const T> b) {
    return result_of<A>(
        [&](A* result, Gpu& gpu) { dot_cuda<A, T>(a, b, result, options_, gpu.workspace, gpu.stream); });
  }

  template <MomentElement T>
  Moments moments(std::span<const T> values) {
    return gpu_ ? moments<T>(upload(values, 0)) : moments_cpu<T>(values, cpu_options_);
  }
  template <MomentElement T>
  Moments moments(DeviceSpan<const T> values) {
    return result_of<Moments>([&](Moments* result, Gpu& gpu) {
      moments_cuda<T>(values, result, options_, gpu.workspace, gpu.stream);
    });
  }

 private:
  static constexpr std::int64_t result_bytes = sizeof(ExactSum<double>);  // the largest result

  struct Gpu {
    Stream stream;
    Workspace workspace;
    DeviceBuffer<std::byte> result;
    PinnedBuffer<std::byte> host_result;
    std::array<DeviceBuffer<std::byte>, 2> staging;

    Gpu() : result(result_bytes), host_result(result_bytes) {}
  };

  // Enqueues a copy of a host array to a buffer of the reducer.
  template <class T>
  DeviceSpan<const T> upload(std::span<const T> values, std::size_t slot) {
    require(values.data() != nullptr || values.empty(), "a span of ", values.size(),
            " elements has no data (null pointer)");
    const DeviceGuard guard(device_);
    auto& staging = gpu_->staging[slot];
    if (staging.size_bytes() < values.size_bytes())
      staging = DeviceBuffer<std::byte>(static_cast<std::int64_t>(values.size_bytes()));
    const DeviceSpan<T> copy(reinterpret_cast<T*>(staging.data()), static_cast<std::int64_t>(values.size()));
    copy_to_device(values, copy, gpu_->stream);
    return copy;
  }

  // Calls enqueue(result, gpu), waits, and returns the value at result.
  template <class R, class Enqueue>
  R result_of(Enqueue&& enqueue) {
    static_assert(sizeof(R) <= result_bytes);
    if (!gpu_)
      throw InvalidArgument(
          "this reducer runs on the CPU and cannot read device memory: construct it with Device::cuda()");
    const DeviceGuard guard(device_);
    enqueue(reinterpret_cast<R*>(gpu_->result.data()), *gpu_);
    copy_to_host(DeviceSpan<const std::byte>(gpu_->result.data(), sizeof(R)),
                 gpu_->host_result.span().first(sizeof(R)), gpu_->stream);
    gpu_->stream.ref().synchronize();
    R value;
    std::memcpy(&value, gpu_->host_result.data(), sizeof(R));
    return value;
  }

  Device device_;
  Options options_;
  CpuOptions cpu_options_;
  std::optional<Gpu> gpu_;
};

}  // namespace triptych::reduction
