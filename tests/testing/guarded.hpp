// Host and device buffers between guard bytes, so that a test sees writes outside an output. The elements
// themselves start as 0xCD bytes, so that it also sees what was not written.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace triptych::test {

namespace detail {

constexpr std::size_t guard_bytes = 256;
constexpr std::byte guard{0xA5};
constexpr std::byte unwritten{0xCD};

inline std::vector<std::byte> guarded_bytes(std::size_t payload_bytes) {
  std::vector<std::byte> bytes(payload_bytes + 2 * guard_bytes, guard);
  std::fill_n(bytes.begin() + guard_bytes, payload_bytes, unwritten);
  return bytes;
}

inline testing::AssertionResult guards_intact(std::span<const std::byte> bytes) {
  const std::size_t end = bytes.size() - guard_bytes;
  for (std::size_t i = 0; i < guard_bytes; ++i) {
    if (bytes[guard_bytes - 1 - i] != guard)
      return testing::AssertionFailure() << "byte -" << i + 1 << " was overwritten";
    if (bytes[end + i] != guard)
      return testing::AssertionFailure() << "byte end + " << i << " was overwritten";
  }
  return testing::AssertionSuccess();
}

}  // namespace detail

template <class T>
class GuardedHost {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= detail::guard_bytes);

 public:
  explicit GuardedHost(std::int64_t count)
      : bytes_(detail::guarded_bytes(static_cast<std::size_t>(count) * sizeof(T))),
        count_(static_cast<std::size_t>(count)) {}

  std::span<T> span() { return {reinterpret_cast<T*>(bytes_.data() + detail::guard_bytes), count_}; }
  testing::AssertionResult intact() const { return detail::guards_intact(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t count_;
};

// Construction and the members that take no stream argument synchronise the stream given at first.
template <class T>
class GuardedDevice {
 public:
  GuardedDevice(std::int64_t count, StreamRef stream)
      : stream_(stream),
        count_(count),
        bytes_(count * static_cast<std::int64_t>(sizeof(T)) + 2 * std::int64_t{detail::guard_bytes}) {
    copy_to_device(detail::guarded_bytes(static_cast<std::size_t>(count) * sizeof(T)), bytes_.span(),
                   stream_);
    stream_.synchronize();
  }

  DeviceSpan<T> span() { return {reinterpret_cast<T*>(bytes_.data() + detail::guard_bytes), count_}; }

  std::vector<T> to_host() {
    std::vector<T> elements(static_cast<std::size_t>(count_));
    copy_to_host(span(), std::span<T>(elements), stream_);
    stream_.synchronize();
    return elements;
  }

  testing::AssertionResult intact() const {
    std::vector<std::byte> bytes(bytes_.size_bytes());
    copy_to_host(bytes_.span(), std::span<std::byte>(bytes), stream_);
    stream_.synchronize();
    return detail::guards_intact(bytes);
  }

 private:
  StreamRef stream_;
  std::int64_t count_;
  DeviceBuffer<std::byte> bytes_;
};

}  // namespace triptych::test
