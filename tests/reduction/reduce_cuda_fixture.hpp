// Options and inputs for the tests of the CUDA reductions; the sums of the inputs are exact in any order.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/reduction/reduce.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sizes.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/random.hpp"

namespace triptych::reduction {

inline Options by(Strategy strategy) { return {strategy, Determinism::not_guaranteed, 0}; }

inline std::vector<Strategy> strategies_and_automatic() {
  std::vector<Strategy> all(all_strategies().begin(), all_strategies().end());
  all.push_back(Strategy::automatic);
  return all;
}

class ReduceCuda : public test::CudaFixture {};

// Elements whose sums are exact in any order: every partial sum is an integer that the accumulator holds.
template <class T>
std::vector<T> exact_values(std::int64_t n, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, float>) {
    const auto steps = test::random_values<std::int32_t>(n, -1, 1, seed);
    return {steps.begin(), steps.end()};
  } else if constexpr (std::is_same_v<T, double>) {
    const auto steps = test::random_values<std::int32_t>(n, -(1 << 20), 1 << 20, seed);
    std::vector<T> values(steps.begin(), steps.end());
    for (T& v : values) v /= 1024;
    return values;
  } else {
    return test::random_values<T>(n, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), seed);
  }
}

template <class A, class T>
A exact_sum(std::span<const T> values) {
  if constexpr (std::is_floating_point_v<T>) {
    long double sum = 0;
    for (const T v : values) sum += v;
    return static_cast<A>(sum);
  } else {
    std::uint64_t sum = 0;  // modulo 2^64, then modulo the accumulator
    for (const T v : values) sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    return static_cast<A>(sum);
  }
}

}  // namespace triptych::reduction
