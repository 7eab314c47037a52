// DeviceSpan: a non-owning range of elements in device memory. It is a distinct type, so that device memory
// cannot be passed where host memory (std::span) is meant, and host code cannot dereference it.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/host_device.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace triptych {

// Where the elements of a view live.
enum class Space { host, device };

template <class T>
class DeviceSpan {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  DeviceSpan() = default;

  // InvalidArgument (on the host) when size is negative, the number of bytes overflows, or data is null and
  // size is not 0.
  TRIPTYCH_HD DeviceSpan(T* data, std::int64_t size) : data_(data), size_(size) {
    require_on_host(size >= 0, "a device span cannot have ", size, " elements");
    require_on_host(size <= INT64_MAX / static_cast<std::int64_t>(sizeof(T)), "a device span of ", size,
                    " elements of ", sizeof(T), " bytes is larger than the address space");
    require_on_host(data != nullptr || size == 0, "a device span of ", size,
                    " elements has no data (null pointer)");
  }

  template <class U>
  requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>) TRIPTYCH_HD DeviceSpan(DeviceSpan<U> other)
      : data_(other.data()), size_(other.size()) {}

  TRIPTYCH_HD T* data() const { return data_; }
  TRIPTYCH_HD std::int64_t size() const { return size_; }
  TRIPTYCH_HD std::size_t size_bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  TRIPTYCH_HD bool empty() const { return size_ == 0; }

  // InvalidArgument (on the host) unless 0 <= offset, 0 <= count and offset + count <= size().
  TRIPTYCH_HD DeviceSpan subspan(std::int64_t offset, std::int64_t count) const {
    require_on_host(offset >= 0 && count >= 0 && offset <= size_ && count <= size_ - offset, "elements [",
                    offset, ", ", offset, " + ", count, ") lie outside a device span of ", size_,
                    " elements");
    return DeviceSpan(data_ + offset, count);
  }
  TRIPTYCH_HD DeviceSpan first(std::int64_t count) const { return subspan(0, count); }

#if defined(__CUDACC__)
  // Unchecked.
  __device__ T& operator[](std::int64_t i) const { return data_[i]; }
#endif

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace triptych
