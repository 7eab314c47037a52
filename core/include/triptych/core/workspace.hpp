// Device scratch memory that operations share: reserved once for the largest size, then reused without
// allocating.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/stream.hpp>

#include <cstddef>
#include <cstdint>

namespace triptych {

// Serves one stream at a time: operations that use the same workspace must be ordered on one stream.
// Move-only.
class Workspace {
 public:
  // Words that are 0 between operations; an operation may count in them and must leave them at 0 when it
  // finishes.
  static constexpr int ticket_count = 65536;

  // Empty: no memory, no tickets, until the first reserve (also of 0 bytes).
  Workspace() = default;

  // Grows the scratch area to at least bytes, never shrinks it; its contents are lost when it grows. Growing
  // synchronises stream, allocates, and enqueues the zeroing of the tickets; when nothing has to grow,
  // nothing happens. InvalidArgument when it would have to grow while stream is capturing. When it throws,
  // the workspace is unchanged.
  void reserve(std::size_t bytes, StreamRef stream);

  // Device pointers, null before the first reserve. scratch() is aligned to 256 bytes.
  std::byte* scratch() noexcept { return memory_.empty() ? nullptr : memory_.data() + ticket_bytes; }
  std::uint32_t* tickets() noexcept { return reinterpret_cast<std::uint32_t*>(memory_.data()); }
  std::size_t bytes() const noexcept { return memory_.empty() ? 0 : memory_.size_bytes() - ticket_bytes; }

 private:
  static constexpr std::size_t ticket_bytes = ticket_count * sizeof(std::uint32_t);

  DeviceBuffer<std::byte> memory_;  // the tickets, then the scratch area
};

}  // namespace triptych
