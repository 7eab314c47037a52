// Compiled a second time with TRIPTYCH_CUB_VERSION=newer and the headers of that CCCL.
#include <triptych/core/buffer.hpp>
#include <triptych/core/cuda.cuh>

#include <cub/device/device_reduce.cuh>
#include <cuda/version>

#include "cub_peer.hpp"

#if !defined(TRIPTYCH_CUB_VERSION)
#define TRIPTYCH_CUB_VERSION toolkit
#endif

// CCCL 3.1 has the first environments with a determinism.
#if CCCL_VERSION >= 3001000 && __has_include(<cuda/__execution/determinism.h>)
#define TRIPTYCH_CUB_GPU_TO_GPU 1
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/stream_ref>
#else
#define TRIPTYCH_CUB_GPU_TO_GPU 0
#endif

namespace triptych::bench {

#if TRIPTYCH_CUB_GPU_TO_GPU
// A memory resource of one buffer, which grows at the first call: an environment takes temporary storage from
// a resource at every call, which would be timed too.
template <CubVersion>
class OneBuffer {
 public:
  explicit OneBuffer(DeviceBuffer<std::byte>& buffer) : buffer_(&buffer) {}

  void* allocate_sync(std::size_t bytes, std::size_t = 1) {
    if (buffer_->size_bytes() < bytes) *buffer_ = DeviceBuffer<std::byte>(static_cast<std::int64_t>(bytes));
    return buffer_->data();
  }
  void deallocate_sync(void*, std::size_t, std::size_t = 1) noexcept {}
  void* allocate(cuda::stream_ref, std::size_t bytes, std::size_t = 1) { return allocate_sync(bytes); }
  void deallocate(cuda::stream_ref, void*, std::size_t, std::size_t = 1) noexcept {}
  bool operator==(const OneBuffer& other) const { return buffer_ == other.buffer_; }
  bool operator!=(const OneBuffer& other) const { return buffer_ != other.buffer_; }
  friend void get_property(const OneBuffer&, cuda::mr::device_accessible) noexcept {}

 private:
  DeviceBuffer<std::byte>* buffer_;
};

#endif

namespace {

constexpr CubVersion this_version = CubVersion::TRIPTYCH_CUB_VERSION;

template <class T>
class PlainSum : public CubSum<T> {
 public:
  explicit PlainSum(std::int64_t n) : n_(n) {
    std::size_t bytes = 0;
    TRIPTYCH_CUDA_CHECK(
        cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<T*>(nullptr), n));
    temporary_ = DeviceBuffer<std::byte>(static_cast<std::int64_t>(bytes));
  }
  void operator()(const T* values, T* result, StreamRef stream) override {
    std::size_t bytes = temporary_.size_bytes();
    TRIPTYCH_CUDA_CHECK(
        cub::DeviceReduce::Sum(temporary_.data(), bytes, values, result, n_, to_cuda(stream)));
  }

 private:
  std::int64_t n_;
  DeviceBuffer<std::byte> temporary_;
};

#if TRIPTYCH_CUB_GPU_TO_GPU
template <class T>
class ReproducibleSum : public CubSum<T> {
 public:
  explicit ReproducibleSum(std::int64_t n) : n_(n) {}
  void operator()(const T* values, T* result, StreamRef stream) override {
    namespace execution = cuda::std::execution;
    const auto environment = execution::env{
        cuda::execution::require(cuda::execution::determinism::gpu_to_gpu),
        execution::prop{cuda::get_stream_t{}, cuda::stream_ref{to_cuda(stream)}},
        execution::prop{cuda::mr::__get_memory_resource_t{}, OneBuffer<this_version>(temporary_)}};
    TRIPTYCH_CUDA_CHECK(cub::DeviceReduce::Sum(values, result, n_, environment));
  }

 private:
  std::int64_t n_;
  DeviceBuffer<std::byte> temporary_;
};
#endif

}  // namespace

template <>
std::string CubPeer<this_version>::version() {
  return std::to_string(CCCL_MAJOR_VERSION) + "." + std::to_string(CCCL_MINOR_VERSION) + "." +
         std::to_string(CCCL_PATCH_VERSION);
}

template <>
bool CubPeer<this_version>::has_gpu_to_gpu() {
  return TRIPTYCH_CUB_GPU_TO_GPU != 0;
}

template <>
template <class T>
std::unique_ptr<CubSum<T>> CubPeer<this_version>::sum(std::int64_t n, bool gpu_to_gpu) {
  if (!gpu_to_gpu) return std::make_unique<PlainSum<T>>(n);
#if TRIPTYCH_CUB_GPU_TO_GPU
  if constexpr (std::is_floating_point_v<T>) return std::make_unique<ReproducibleSum<T>>(n);
#endif
  return nullptr;
}

#define TRIPTYCH_SUM(T) template std::unique_ptr<CubSum<T>> CubPeer<this_version>::sum<T>(std::int64_t, bool);
TRIPTYCH_SUM(float)
TRIPTYCH_SUM(double)
TRIPTYCH_SUM(std::int32_t)
TRIPTYCH_SUM(std::int64_t)
#undef TRIPTYCH_SUM

}  // namespace triptych::bench
