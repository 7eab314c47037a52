// Owning buffers of device memory and of pinned host memory, and asynchronous copies between them.
//
// Buffers are uninitialised and move-only. Allocation throws Unavailable without a usable GPU and CudaError
// when memory runs out. Allocating and freeing may synchronise the device. A count of 0 allocates nothing,
// and data() is null.
#pragma once

#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace triptych {

// The number of allocations of the process so far. Two equal counts show that nothing was allocated between
// them.
std::int64_t device_allocation_count() noexcept;
std::int64_t pinned_allocation_count() noexcept;

namespace detail {

enum class MemoryKind { device, pinned };

struct Free {
  MemoryKind kind;
  void operator()(void* data) const noexcept;
};
using Allocation = std::unique_ptr<void, Free>;

// count * element_bytes bytes; InvalidArgument when count is negative or the product does not fit.
Allocation allocate(MemoryKind kind, std::int64_t count, std::size_t element_bytes);

enum class CopyKind { to_device, to_host, on_device };
void copy_bytes(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes, CopyKind kind,
                StreamRef stream);
void fill_bytes(void* data, std::size_t bytes, int byte, StreamRef stream);

template <class T, MemoryKind kind>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) : memory_(allocate(kind, count, sizeof(T))), size_(count) {}
  Buffer(Buffer&& other) noexcept : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  T* data() noexcept { return static_cast<T*>(memory_.get()); }
  const T* data() const noexcept { return static_cast<const T*>(memory_.get()); }
  std::int64_t size() const noexcept { return size_; }
  std::size_t size_bytes() const noexcept { return static_cast<std::size_t>(size_) * sizeof(T); }
  bool empty() const noexcept { return size_ == 0; }

  // DeviceSpan for device memory, std::span for pinned host memory.
  auto span() noexcept { return make_span(data(), size_); }
  auto span() const noexcept { return make_span(data(), size_); }

 private:
  template <class U>
  static auto make_span(U* data, std::int64_t size) noexcept {
    if constexpr (kind == MemoryKind::device) {
      return DeviceSpan<U>(data, size);
    } else {
      return std::span<U>(data, static_cast<std::size_t>(size));
    }
  }

  Allocation memory_{nullptr, Free{kind}};
  std::int64_t size_ = 0;
};

}  // namespace detail

template <class T>
using DeviceBuffer = detail::Buffer<T, detail::MemoryKind::device>;
template <class T>
using PinnedBuffer = detail::Buffer<T, detail::MemoryKind::pinned>;

// Copies enqueue and return: both sides must live until the copy has run. A copy overlaps with the host only
// when its host side is pinned. InvalidArgument when the sizes differ.
template <class T>
void copy_to_device(std::span<const std::type_identity_t<T>> from, DeviceSpan<T> to, StreamRef stream) {
  detail::copy_bytes(to.data(), to.size_bytes(), from.data(), from.size_bytes(), detail::CopyKind::to_device,
                     stream);
}

template <class T>
void copy_to_host(DeviceSpan<T> from, std::span<std::remove_const_t<T>> to, StreamRef stream) {
  detail::copy_bytes(to.data(), to.size_bytes(), from.data(), from.size_bytes(), detail::CopyKind::to_host,
                     stream);
}

template <class T>
void copy_on_device(DeviceSpan<T> from, DeviceSpan<std::remove_const_t<T>> to, StreamRef stream) {
  detail::copy_bytes(to.data(), to.size_bytes(), from.data(), from.size_bytes(), detail::CopyKind::on_device,
                     stream);
}

// Sets every byte of the span to byte (0..255); enqueues and returns.
template <class T>
void fill_bytes(DeviceSpan<T> to, int byte, StreamRef stream) {
  detail::fill_bytes(to.data(), to.size_bytes(), byte, stream);
}

}  // namespace triptych
