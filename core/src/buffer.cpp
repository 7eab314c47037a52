#include <triptych/core/buffer.hpp>
#include <triptych/core/error.hpp>

#include <atomic>
#include <limits>

#include "runtime.hpp"

namespace triptych {

namespace {
std::atomic<std::int64_t> device_allocations{0};
std::atomic<std::int64_t> pinned_allocations{0};
}  // namespace

std::int64_t device_allocation_count() noexcept { return device_allocations; }
std::int64_t pinned_allocation_count() noexcept { return pinned_allocations; }

namespace detail {

void Free::operator()(void* data) const noexcept { runtime::free(kind, data); }

Allocation allocate(MemoryKind kind, std::int64_t count, std::size_t element_bytes) {
  require(count >= 0, "a buffer cannot have ", count, " elements");
  require(static_cast<std::size_t>(count) <= std::numeric_limits<std::size_t>::max() / element_bytes,
          "a buffer of ", count, " elements of ", element_bytes, " bytes is larger than an address space");
  Allocation memory(nullptr, Free{kind});
  if (count == 0) return memory;
  memory.reset(runtime::allocate(kind, static_cast<std::size_t>(count) * element_bytes));
  ++(kind == MemoryKind::device ? device_allocations : pinned_allocations);
  return memory;
}

void copy_bytes(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes, CopyKind kind,
                StreamRef stream) {
  require(to_bytes == from_bytes, "cannot copy ", from_bytes, " bytes into ", to_bytes,
          ": the sizes must match");
  require((to != nullptr && from != nullptr) || to_bytes == 0, "cannot copy ", to_bytes,
          " bytes: a span has no data (null pointer)");
  if (to_bytes != 0) runtime::copy(to, from, to_bytes, kind, stream.get());
}

void fill_bytes(void* data, std::size_t bytes, int byte, StreamRef stream) {
  require(byte >= 0 && byte <= 255, "cannot fill with ", byte, ": a byte is 0..255");
  if (bytes != 0) runtime::fill(data, byte, bytes, stream.get());
}

}  // namespace detail

}  // namespace triptych
