// Neumaier's sum: the rounding error of each addition is summed as well and added at the end. The error is
// about 2 eps |sum| + n^2 eps d sum|x| (d: eps of double for floats, else eps) for every order and
// cancellation. Products are split into their rounded value and their rounding error. -ffast-math breaks
// this.
#pragma once

#include <triptych/reduction/source.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace triptych::reduction::detail::cpu {

template <std::floating_point A>
class NeumaierSum {
  // The errors of floats are summed in double: a float sum of millions of them would stop growing.
  using Lost = std::conditional_t<std::same_as<A, float>, double, A>;

 public:
  void add(A x) {
    const A sum = sum_ + x;
    lost_ += static_cast<Lost>(std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_);
    sum_ = sum;
  }
  void add_lost(Lost x) { lost_ += x; }
  // An infinite or NaN sum has no correction.
  A value() const { return std::isfinite(lost_) ? static_cast<A>(static_cast<Lost>(sum_) + lost_) : sum_; }

 private:
  A sum_ = 0;
  Lost lost_ = 0;
};

template <class S, std::floating_point A>
A sum_compensated(const S& source, std::int64_t n) {
  NeumaierSum<A> sum;
  for (std::int64_t i = 0; i < n; ++i) sum.add(source(i));
  return sum.value();
}

// The rounded product. With a fused multiply-add the compiler would fuse a plain product with the addition
// that follows; it does not fuse an explicit fma.
template <std::floating_point A>
inline A rounded_product(A x, A y) {
#if defined(__FP_FAST_FMA) || defined(__FP_FAST_FMAF) || defined(__ARM_FEATURE_FMA)
  return std::fma(x, y, A(-0.0));
#else
  return x * y;
#endif
}

template <class T, std::floating_point A>
A dot_compensated(const ProductOfArrays<T, A>& source, std::int64_t n) {
  NeumaierSum<A> sum;
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::same_as<T, float> && std::same_as<A, float>) {
      const double product = static_cast<double>(source.a[i]) * static_cast<double>(source.b[i]);  // exact
      const float rounded = static_cast<float>(product);
      sum.add(rounded);
      sum.add_lost(product - static_cast<double>(rounded));
    } else {
      const A x = static_cast<A>(source.a[i]);
      const A y = static_cast<A>(source.b[i]);
      const A rounded = rounded_product(x, y);
      sum.add(rounded);
      if constexpr (sizeof(T) == sizeof(A))
        sum.add_lost(std::fma(x, y, -rounded));  // else the product was exact
    }
  }
  return sum.value();
}

template <class S>
struct IsProduct : std::false_type {};
template <class T, class A>
struct IsProduct<ProductOfArrays<T, A>> : std::true_type {};

template <class M>
struct IsFloatingSum : std::false_type {};
template <std::floating_point A>
struct IsFloatingSum<Sum<A>> : std::true_type {};

}  // namespace triptych::reduction::detail::cpu
