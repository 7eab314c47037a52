// A device copy of values on the host.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace triptych::capsule_likelihood::detail {

// Room for one element at least, so that it has an address. The copy is enqueued: values must live until the
// stream has been synchronised.
template <class T>
DeviceBuffer<T> upload(const std::vector<T>& values, StreamRef stream) {
  const auto count = static_cast<std::int64_t>(values.size());
  DeviceBuffer<T> buffer(std::max<std::int64_t>(1, count));
  if (count > 0) copy_to_device(std::span<const T>(values), buffer.span().first(count), stream);
  return buffer;
}

}  // namespace triptych::capsule_likelihood::detail
