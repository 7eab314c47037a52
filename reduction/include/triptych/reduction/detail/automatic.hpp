// The properties of an operation by which Strategy::automatic is resolved.
#pragma once

#include <triptych/reduction/monoid.hpp>
#include <triptych/reduction/source.hpp>
#include <triptych/reduction/strategy.hpp>

#include <cstdint>
#include <type_traits>

namespace triptych::reduction::detail {

inline constexpr int element_count = 6;

// The number of an element type; -1 for others.
template <class T>
constexpr int element_number() {
  constexpr bool is[element_count] = {std::is_same_v<T, float>,        std::is_same_v<T, double>,
                                      std::is_same_v<T, std::int32_t>, std::is_same_v<T, std::uint32_t>,
                                      std::is_same_v<T, std::int64_t>, std::is_same_v<T, std::uint64_t>};
  for (int i = 0; i < element_count; ++i)
    if (is[i]) return i;
  return -1;
}

// The tuned operations are the sums, one per pair of accumulator and element. All other operations, and
// user-defined sources and monoids, are not_tuned.
inline constexpr int not_tuned = -1;
inline constexpr int tuned_operations = element_count * element_count;

template <class A, class T>
inline constexpr int tuned_sum = element_number<A>() < 0 || element_number<T>() < 0
                                     ? not_tuned
                                     : element_number<A>() * element_count + element_number<T>();

template <class S, class M>
inline constexpr int tuned_operation = not_tuned;
template <class A, class T>
inline constexpr int tuned_operation<MappedArray<T, Convert<A>>, Sum<A>> = tuned_sum<A, T>;

// InvalidArgument when the strategy does not have the level of determinism, or an argument is invalid.
void check_reduce(std::int64_t n, const void* result, const Options& options, bool exact);

// The same for a sum of floats with Determinism::exact, which has one strategy.
void check_exact_sum(std::int64_t n, const void* result, const Options& options);

struct Operation {
  int tuned = not_tuned;
  std::int64_t bytes = 0;        // read by the operation
  bool exact = false;            // the monoid
  bool libraries = false;        // CUB and Thrust are compiled in
  bool (*clusters)() = nullptr;  // whether code for clusters was compiled for the current device
};

// The strategy of the options; automatic becomes a strategy that runs on this device.
Strategy resolve(const Options& options, const Operation& operation);

}  // namespace triptych::reduction::detail
