#include <triptych/core/box.hpp>

#include <algorithm>
#include <cstdint>

namespace triptych {

PixelBox clip(const PixelBox& box, int width, int height) {
  const std::int64_t left = std::max(box.x, 0);
  const std::int64_t top = std::max(box.y, 0);
  const std::int64_t right = std::min<std::int64_t>(std::int64_t{box.x} + box.width, width);
  const std::int64_t bottom = std::min<std::int64_t>(std::int64_t{box.y} + box.height, height);
  if (right <= left || bottom <= top) return {};
  return {static_cast<int>(left), static_cast<int>(top), static_cast<int>(right - left),
          static_cast<int>(bottom - top)};
}

}  // namespace triptych
