// The types that the operations of reduce.hpp are instantiated for: X(element), or X(accumulator, element).
#pragma once

#include <cstdint>

#define TRIPTYCH_FOR_EACH_ELEMENT(X) \
  X(float) X(double) X(std::int32_t) X(std::uint32_t) X(std::int64_t) X(std::uint64_t)

#define TRIPTYCH_FOR_EACH_SUM(X)  \
  X(float, float)                 \
  X(double, float)                \
  X(double, double)               \
  X(std::int32_t, std::int32_t)   \
  X(std::int64_t, std::int32_t)   \
  X(std::int64_t, std::int64_t)   \
  X(std::uint32_t, std::uint32_t) \
  X(std::uint64_t, std::uint32_t) \
  X(std::uint64_t, std::uint64_t)

#define TRIPTYCH_FOR_EACH_DOT(X) \
  X(float, float) X(double, float) X(double, double) X(std::int64_t, std::int32_t)

#define TRIPTYCH_FOR_EACH_MOMENT_ELEMENT(X) X(float) X(double) X(std::int32_t)
