// The sizes at which reductions are tested: around a warp, a block, a tile, a frame and 2^24.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace triptych::test {

// $TRIPTYCH_TEST_LARGEST excludes larger sizes, for slow tools such as sanitizers.
inline std::int64_t largest_size() {
  const char* value = std::getenv("TRIPTYCH_TEST_LARGEST");
  return value == nullptr ? INT64_MAX : std::strtoll(value, nullptr, 10);
}

// The number of runs in tests of equal bits: a hundred, fewer under slow tools.
inline int hundred_runs() { return largest_size() < 100000 ? 3 : 100; }

inline std::vector<std::int64_t> test_sizes() {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t n : {0, 1, 31, 32, 33, 255, 256, 257, 1000, 4095, 4099, 16385, 65537, 131077,
                               600011, 2073600, (1 << 24) + 3}) {
    if (n <= largest_size()) sizes.push_back(n);
  }
  return sizes;
}

}  // namespace triptych::test
