#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include "frame/locate_math.hpp"

namespace triptych::skin_tracker {

void check_region(const Region& region, int width, int height) {
  require(region.x >= 0 && region.y >= 0 && region.width >= 0 && region.height >= 0 && region.x <= width &&
              region.y <= height && region.width <= width - region.x && region.height <= height - region.y,
          "a region of ", region.width, " x ", region.height, " at (", region.x, ", ", region.y,
          ") lies outside a frame of ", width, " x ", height, "; clip() it first");
}

Head locate_cpu(const Frame& frame, const LinearFilter& filter, int threads) {
  return head_of(sum_cpu(frame, frame.whole(), filter, threads), frame.width(), frame.height());
}

Head locate_cpu(const Frame& frame, const WeightTable<std::uint16_t>& table, int threads) {
  return head_of(sum_cpu(frame, frame.whole(), table, threads), frame.width(), frame.height());
}

}  // namespace triptych::skin_tracker
