// Random arrays and the available strategies, for the tests of the CPU reductions.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/reduction/reduce.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace triptych::reduction::cpu_test {

inline constexpr std::uint64_t seed = 20240607;
inline constexpr std::int64_t sizes[] = {0,   1,   31,   32,    33,      255,
                                         256, 257, 1000, 65537, 2073600, (1 << 24) + 3};
inline constexpr std::int64_t largest = (1 << 24) + 3;

// Integers of the full range, floats in [-1, 1); made once, as long as the largest size.
template <class T>
const std::vector<T>& input() {
  static const std::vector<T> values = [] {
    std::vector<T> v(largest);
    const PhiloxStream random(seed, sizeof(T) + (std::is_signed_v<T> ? 16 : 0));
    for (std::size_t i = 0; i < v.size(); i += 2) {
      const Philox4x32 words = random.block(i);
      for (std::size_t k = 0; k < 2 && i + k < v.size(); ++k) {
        const std::uint64_t bits = std::uint64_t{words.words[2 * k]} << 32 | words.words[2 * k + 1];
        if constexpr (std::is_floating_point_v<T>) {
          v[i + k] = static_cast<T>(static_cast<double>(bits >> 40) * 0x1p-23 - 1);
        } else {
          v[i + k] = static_cast<T>(bits);
        }
      }
    }
    return v;
  }();
  return values;
}

template <class T>
std::span<const T> first(std::int64_t n) {
  return std::span<const T>(input<T>()).first(static_cast<std::size_t>(n));
}

inline bool thrust_is_there() {
  static const bool there = [] {
    const float one[] = {1};
    try {
      return sum_cpu<float, float>(one, {CpuStrategy::thrust_omp, 1}) == 1;
    } catch (const Unavailable& reason) {
      EXPECT_NE(std::string(reason.what()).find("CUDA"), std::string::npos) << reason.what();
      return false;
    }
  }();
  return there;
}

inline std::vector<CpuStrategy> strategies() {
  std::vector<CpuStrategy> all = {CpuStrategy::automatic};
  for (const CpuStrategy s : all_cpu_strategies()) {
    if (s != CpuStrategy::thrust_omp || thrust_is_there()) all.push_back(s);
  }
  return all;
}

}  // namespace triptych::reduction::cpu_test
