// An even frame in host memory, for the tests of bad arguments.
#pragma once

#include <triptych/skin_tracker/frame.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace triptych::skin_tracker {

inline const std::vector<std::uint8_t>& grey_bytes() {
  static const std::vector<std::uint8_t> bytes(std::size_t{4} * 64 * 48, 200);
  return bytes;
}

// Of at most 64 x 48 pixels.
inline Frame rgb_frame(int width = 64, int height = 48) {
  return {FrameFormat::rgb, grey_bytes().data(), width, height, std::int64_t{3} * width};
}

}  // namespace triptych::skin_tracker
