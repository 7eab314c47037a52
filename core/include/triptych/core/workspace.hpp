// Device scratch memory that operations share: it grows to the largest size in use and is then reused without
// allocation.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace triptych {

// For one stream at a time: operations that use the same workspace must be ordered on one stream. Move-only.
class Workspace {
 public:
  // The number of 32-bit words that are 0 between operations. An operation may count in them and must reset
  // them to 0 before it ends.
  static constexpr int ticket_count = 65536;

  // Empty: no memory and no tickets until the first reserve (of 0 bytes too).
  Workspace() = default;

  // Grows the scratch area to at least that many bytes; does nothing when it is large enough. Growing
  // allocates, loses the contents and enqueues the zeroing of the tickets. The replaced memory stays
  // allocated until the workspace dies, since enqueued work and captured graphs may still use it; each growth
  // at least doubles the size, so that it is never more than the current memory. InvalidArgument when the
  // workspace has to grow while stream is capturing. After an exception the workspace is unchanged.
  void reserve(std::size_t bytes, StreamRef stream);

  // Device pointers, null before the first reserve. scratch() is aligned to 256 bytes.
  std::byte* scratch() noexcept { return memory_.empty() ? nullptr : memory_.data() + ticket_bytes; }
  std::uint32_t* tickets() noexcept { return reinterpret_cast<std::uint32_t*>(memory_.data()); }
  std::size_t bytes() const noexcept { return memory_.empty() ? 0 : memory_.size_bytes() - ticket_bytes; }

 private:
  static constexpr std::size_t ticket_bytes = ticket_count * sizeof(std::uint32_t);

  DeviceBuffer<std::byte> memory_;  // the tickets, then the scratch area
  std::vector<DeviceBuffer<std::byte>> replaced_;
};

}  // namespace triptych
