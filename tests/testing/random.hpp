// Reproducible random inputs. TRIPTYCH_TRACE_SEED(seed) puts the seed into the message of every failure in
// its scope.
#pragma once

#include <triptych/core/philox.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#define TRIPTYCH_TRACE_SEED(seed) SCOPED_TRACE("seed " + std::to_string(seed))

namespace triptych::test {

// Uniformly distributed over [low, high).
template <std::floating_point T>
std::vector<T> random_values(std::int64_t count, T low, T high, std::uint64_t seed) {
  PhiloxStream stream(seed, 0);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    const std::uint32_t bits = stream.next();
    value = low + (high - low) * static_cast<T>(uniform_double(bits, stream.next()));
    if (value >= high) value = low;  // the product was rounded up
  }
  return values;
}

// Uniformly distributed, up to a bias of 2^-32, over low..high, both included.
template <std::integral T>
std::vector<T> random_values(std::int64_t count, T low, T high, std::uint64_t seed) {
  PhiloxStream stream(seed, 0);
  std::vector<T> values(static_cast<std::size_t>(count));
  const std::uint64_t choices = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  for (T& value : values) {
    const std::uint64_t high_bits = stream.next();
    const std::uint64_t bits = high_bits << 32 | stream.next();
    value = static_cast<T>(static_cast<std::uint64_t>(low) + (choices == 0 ? bits : bits % choices));
  }
  return values;
}

// count bytes as text, all 256 values.
inline std::string random_text(std::int64_t count, std::uint64_t seed) {
  const std::vector<std::uint8_t> bytes = random_values<std::uint8_t>(count, 0, 255, seed);
  return {bytes.begin(), bytes.end()};
}

}  // namespace triptych::test
