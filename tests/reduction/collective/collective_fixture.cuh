// For tests of the collectives: a device function called by every thread, its results compared bit by bit
// with those of a host function, and host functions that add up in the orders that the headers state.
#pragma once

#include <triptych/core/cuda.cuh>
#include <triptych/reduction/monoid.hpp>

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "testing/cuda_fixture.hpp"

namespace triptych::test {

template <class F, class In, class Out>
__global__ void call_kernel(F function, const In* in, Out* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = function(in[i]);
}

template <class T>
bool same_bits(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  } else {
    return a == b;
  }
}

template <class T>
testing::AssertionResult same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size())
    return testing::AssertionFailure() << a.size() << " and " << b.size() << " values";
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_bits<T>(a[i], b[i])) return testing::AssertionFailure() << "value " << i << " differs";
  return testing::AssertionSuccess();
}

class CollectiveCuda : public CudaFixture {
 protected:
  // function(in[i]) by thread i, in blocks of that many threads.
  template <class F, class In>
  auto call(F function, const std::vector<In>& in, int threads) {
    using Out = std::decay_t<decltype(function(in[0]))>;
    const DeviceBuffer<In> input = upload(in);
    GuardedDevice<Out> output(static_cast<std::int64_t>(in.size()), stream());
    const LaunchShape shape{static_cast<unsigned>(in.size()) / static_cast<unsigned>(threads),
                            static_cast<unsigned>(threads)};
    launch(call_kernel<F, In, Out>, shape, stream(), function, input.data(), output.span().data());
    std::vector<Out> result = output.to_host();
    EXPECT_TRUE(output.intact());
    return result;
  }

  // The function has the oracle's results for `in`, and others when the input at `changed` becomes `to`.
  // oracle(values of a group) gives a result for each; a group is what works together.
  template <class F, class In, class Oracle>
  void expect_oracle(F function, std::vector<In> in, int threads, int group, const Oracle& oracle,
                     std::size_t changed, const In& to) {
    using Out = std::decay_t<decltype(function(in[0]))>;
    std::vector<Out> expected;
    for (auto rest = std::span<const In>(in); !rest.empty(); rest = rest.subspan(std::size_t(group))) {
      const std::vector<Out> part = oracle(rest.first(std::size_t(group)));
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_TRUE(same_bits(call(function, in, threads), expected));
    in[changed] = to;
    EXPECT_FALSE(same_bits(call(function, in, threads), expected));
  }
};

// What warp_all_reduce leaves in lane i: i with i ^ 16, then i ^ 8, ... i ^ 1.
template <class V, class Combine>
std::vector<V> butterfly(std::span<const V> lanes, const Combine& combine) {
  std::vector<V> v(lanes.begin(), lanes.end());
  for (std::size_t offset = v.size() / 2; offset > 0; offset /= 2) {
    const std::vector<V> last = v;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = combine(last[i], last[i ^ offset]);
  }
  return v;
}

// What warp_reduce leaves in lane 0: i with i + n/2, then i + n/4, ...
template <class V, class Combine>
V tree(std::span<const V> values, const Combine& combine) {
  std::vector<V> v(values.begin(), values.end());
  for (std::size_t offset = v.size() / 2; offset > 0; offset /= 2)
    for (std::size_t i = 0; i < offset; ++i) v[i] = combine(v[i], v[i + offset]);
  return v[0];
}

// The value in all threads, or in the first alone.
template <class V>
std::vector<V> in_all(std::size_t count, const V& value) {
  return std::vector<V>(count, value);
}
template <class V>
std::vector<V> in_first(std::size_t count, const V& value) {
  std::vector<V> v(count, V{});
  v[0] = value;
  return v;
}

// The warps' results of a function, one after the other.
template <class V, class F>
std::vector<V> of_warps(std::span<const V> values, const F& of_warp) {
  std::vector<V> results;
  for (std::size_t i = 0; i < values.size(); i += 32) results.push_back(of_warp(values.subspan(i, 32)));
  return results;
}

}  // namespace triptych::test
