#include <triptych/core/error.hpp>
#include <triptych/core/workspace.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace triptych {

void Workspace::reserve(std::size_t bytes, StreamRef stream) {
  if (!memory_.empty() && bytes <= this->bytes()) return;
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()) - ticket_bytes;
  require(bytes <= largest, "cannot reserve a workspace of ", bytes, " bytes");
  require(!stream.is_capturing(), "the workspace has to grow, but the stream is capturing: reserve ", bytes,
          " bytes before the capture");
  const std::size_t grown_bytes = std::max(ticket_bytes + bytes, 2 * memory_.size_bytes());
  DeviceBuffer<std::byte> grown(static_cast<std::int64_t>(grown_bytes));
  fill_bytes(grown.span().first(ticket_bytes), 0, stream);
  if (!memory_.empty()) replaced_.push_back(std::move(memory_));
  memory_ = std::move(grown);
}

}  // namespace triptych
