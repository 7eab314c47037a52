// Packs of 16 bytes of every number of 4 and 8 bytes against formulas on their elements.
#include <triptych/core/simd/pack_baseline.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "testing/random.hpp"

namespace triptych::simd {
namespace {

template <class T>
class BaselineTest : public testing::Test {};
using Words = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(BaselineTest, Words);

// With every special value; an odd count, so that packs start at any alignment.
template <class T>
std::vector<T> values(std::uint64_t seed) {
  PhiloxStream random(seed, 0);
  std::vector<T> v(301);
  for (T& x : v) {
    const std::uint64_t high = random.next(), bits = high << 32 | random.next();
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T special[] = {T(0),
                               -T(0),
                               std::numeric_limits<T>::infinity(),
                               -std::numeric_limits<T>::infinity(),
                               std::numeric_limits<T>::quiet_NaN(),
                               T(1)};
      x = bits % 3 == 0 ? special[bits / 3 % std::size(special)]
                        : static_cast<T>(static_cast<std::int64_t>(bits)) * T(0x1p-40);
    } else {
      x = bits % 5 == 0 ? static_cast<T>(bits / 5 % 3 - 1) : static_cast<T>(bits);
    }
  }
  return v;
}

template <class T>
bool same(T x, T y) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return (x != x && y != y) || std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y);
}

// The pack's elements are f(a[i + l], b[i + l]).
template <class T, class Packed, class F>
void expect_each(Packed packed, F f) {
  using P = Pack<T, Baseline>;
  const std::vector<T> a = values<T>(1), b = values<T>(2);
  for (std::size_t i = 0; i + P::lanes <= a.size(); ++i) {
    T found[P::lanes];
    packed(P::load(&a[i]), P::load(&b[i])).store(found);
    for (std::size_t l = 0; l < P::lanes; ++l)
      ASSERT_TRUE(same(found[l], static_cast<T>(f(a[i + l], b[i + l])))) << a[i + l] << " and " << b[i + l];
  }
}

template <class T>
auto wrapping(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(x);
  } else {
    return x;
  }
}

TYPED_TEST(BaselineTest, CalculatesElementByElement) {
  using T = TypeParam;
  using P = Pack<T, Baseline>;
  expect_each<T>([](P a, P b) { return a + b; }, [](T a, T b) { return wrapping(a) + wrapping(b); });
  expect_each<T>([](P a, P b) { return a - b; }, [](T a, T b) { return wrapping(a) - wrapping(b); });
  expect_each<T>([](P a, P b) { return a * b; }, [](T a, T b) { return wrapping(a) * wrapping(b); });
  if constexpr (std::is_floating_point_v<T>)
    expect_each<T>([](P a, P b) { return a / b; }, [](T a, T b) { return a / b; });
  expect_each<T>([](P, P) { return P::all(T(-3)); }, [](T, T) { return T(-3); });
}

// -0 is below +0, a NaN x is ignored, a NaN kept stays.
TYPED_TEST(BaselineTest, OrdersZerosAndPassesOverNaN) {
  using T = TypeParam;
  using P = Pack<T, Baseline>;
  const auto negative = [](T x) {
    if constexpr (std::is_floating_point_v<T>) return std::signbit(x);
    return x < T(0);
  };
  expect_each<T>([](P kept, P x) { return min_ordered(kept, x); },
                 [&](T kept, T x) { return x < kept || (x == kept && negative(x)) ? x : kept; });
  expect_each<T>([](P kept, P x) { return max_ordered(kept, x); },
                 [&](T kept, T x) { return x > kept || (x == kept && !negative(x)) ? x : kept; });
}

template <class T, class A>
void expect_widened() {
  using P = Pack<A, Baseline>;
  const std::vector<T> v = values<T>(3);
  for (std::size_t i = 0; i + 4 * P::lanes <= v.size(); ++i) {
    A found[4 * P::lanes];
    P::template load_widened<0>(&v[i]).store(found);
    P::template load_widened<1>(&v[i]).store(found + P::lanes);
    P::template load_widened<2>(&v[i]).store(found + 2 * P::lanes);
    P::template load_widened<3>(&v[i]).store(found + 3 * P::lanes);
    for (std::size_t l = 0; l < 4 * P::lanes; ++l)
      ASSERT_TRUE(same(found[l], static_cast<A>(v[i + l]))) << v[i + l];
  }
}

TEST(Baseline, Widens) {
  expect_widened<float, double>();
  expect_widened<float, float>();
  expect_widened<std::int32_t, std::int64_t>();
  expect_widened<std::uint32_t, std::uint64_t>();
  expect_widened<std::int32_t, double>();
  static_assert(!can_widen<std::uint32_t, std::int64_t> && !can_widen<double, float>);
}

}  // namespace
}  // namespace triptych::simd
