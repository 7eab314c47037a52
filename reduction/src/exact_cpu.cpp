// ExactSum on the CPU. A group of elements is added up in double precision, as deposits: a running sum that
// starts at a large power of two takes the upper bits of each element exactly, and the rest of the element
// goes to the next level. When a rest remains after the last level, the group is added as integers instead.
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/simd/pack_baseline.hpp>
#include <triptych/reduction/collective/chunks.hpp>
#include <triptych/reduction/exact.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace triptych::reduction {

namespace {

using Doubles = simd::Pack<double, simd::Baseline>;
using FourDoubles = simd::Vector<double, 32>;

constexpr int log_group = 9;
constexpr int group_size = 1 << log_group;  // elements

// 1.5 x 2^exponent
double start_of(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52 | std::uint64_t{1} << 51);
}

constexpr int chain_count = 4;  // independent running values, which hide the latency of an operation

// The exponent of the largest magnitude of a group: |x| < 2^(result + 1). 1024 when the group has a NaN or an
// infinity, -1023 when all elements are zero or subnormal doubles. Numbers without their signs compare as
// integers, a double by its upper word.
template <class T>
int max_exponent_of(const T* x) {
  using Words = simd::Pack<std::int32_t, simd::Baseline>;
  constexpr int word_count = static_cast<int>(sizeof(T) / 4);
  const auto* words = reinterpret_cast<const std::int32_t*>(x);
  Words largest[chain_count] = {};
  for (int i = 0; i < group_size * word_count; i += chain_count * Words::lanes) {
    for (int c = 0; c < chain_count; ++c) {
      const Words w = Words::load(words + i + c * Words::lanes);
      largest[c] = max_ordered(largest[c], Words{w.v & 0x7fffffffu});
    }
  }
  std::uint32_t all = 0;
  for (const Words& w : largest)
    for (int lane = word_count - 1; lane < Words::lanes; lane += word_count) all = std::max(all, w.v[lane]);
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<int>(all >> 20) - 1023;
  } else {
    return static_cast<int>(std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(all)}) >> 52) - 1023;
  }
}

// Loads chain_count x Doubles::lanes elements. A conversion of 16 bytes at once is one instruction per pack.
template <class T>
void load_packs(const T* x, Doubles (&packs)[chain_count]) {
  if constexpr (std::is_same_v<T, double>) {
    for (int c = 0; c < chain_count; ++c) packs[c] = Doubles::load(x + c * Doubles::lanes);
  } else {
    for (int c = 0; c < chain_count; c += 2) {
      const auto four = __builtin_convertvector(
          simd::Pack<float, simd::Baseline>::load(x + c * Doubles::lanes).v, FourDoubles);
      packs[c] = {Doubles::V{four[0], four[1]}};
      packs[c + 1] = {Doubles::V{four[2], four[3]}};
    }
  }
}

// Adds up a group in Levels levels; sum[l] is exact when the result is true. |Sum of a group| <
// 2^(exponent + 1) group_size, a quarter of the start, so that a running sum keeps its exponent and thus its
// lowest bit. A rest is below half of that bit, which gives the exponent of the next level.
template <int Levels, class T>
bool deposit_group(const T* x, int exponent, double (&sum)[Levels]) {
  double start[Levels];
  Doubles acc[Levels][chain_count];
  for (int l = 0; l < Levels; ++l) {
    start[l] = start_of(exponent + log_group + 3 - l * (52 - log_group - 1));
    for (Doubles& a : acc[l]) a = Doubles::all(start[l]);
  }
  using Bits = simd::Vector<std::uint64_t>;
  Bits rests[chain_count] = {};
  for (int i = 0; i < group_size; i += chain_count * Doubles::lanes) {
    Doubles rest[chain_count];
    load_packs(x + i, rest);
    for (int l = 0; l < Levels; ++l) {
      for (int c = 0; c < chain_count; ++c) {
        const Doubles t = acc[l][c] + rest[c];
        rest[c] = rest[c] - (t - acc[l][c]);
        acc[l][c] = t;
      }
    }
    for (int c = 0; c < chain_count; ++c) rests[c] |= (Bits)rest[c].v;
  }
  for (int l = 0; l < Levels; ++l) {
    sum[l] = 0;
    for (const Doubles& a : acc[l]) sum[l] += (a.v[0] - start[l]) + (a.v[1] - start[l]);
  }
  const Bits any = (rests[0] | rests[1]) | (rests[2] | rests[3]);
  return (any[0] | any[1]) << 1 == 0;  // zeros of any sign
}

// An ExactSum whose carries are delayed.
template <ExactElement T>
class DelayedSum {
 public:
  explicit DelayedSum(ExactSum<T>& sum) : sum_(sum) {}
  ~DelayedSum() { sum_.normalise(); }
  DelayedSum(const DelayedSum&) = delete;
  DelayedSum& operator=(const DelayedSum&) = delete;

  void add_each(const T* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (!detail::is_finite(x[i])) {
        ++sum_.words[ExactSum<T>::digit_count + detail::special_kind(x[i])];
        continue;
      }
      const auto [position, integer] = detail::to_integer(x[i]);
      detail::add_integer(sum_.words, position, integer);
      count_addition();
    }
  }

  void add_group(const T* x) {
    const int exponent = max_exponent_of(x);
    if (exponent == -1023) return add_each_unless_zero(x);
    // the starts of three levels are normal numbers
    if (exponent < -900 || exponent > 1000) return add_each(x, group_size);
    constexpr int levels = std::is_same_v<T, float> ? 1 : 2;  // for exponents that differ by at most 16 or 30
    if (deposit<levels>(x, exponent) || deposit<levels + 1>(x, exponent)) return;
    add_each(x, group_size);
  }

 private:
  // A sum of 2^10 elements, each at most 2^52 in the upper digit, fits.
  static constexpr int max_additions = 1024;

  void add_each_unless_zero(const T* x) {
    if (std::any_of(x, x + group_size, [](T v) { return v != 0; })) add_each(x, group_size);
  }

  void count_addition() {
    if (--additions_left_ > 0) return;
    sum_.normalise();
    additions_left_ = max_additions;
  }

  template <int Levels>
  bool deposit(const T* x, int exponent) {
    double sum[Levels];
    if (!deposit_group(x, exponent, sum)) return false;
    for (const double s : sum) add_double(s);
    return true;
  }

  // s is a multiple of 2^scale of T.
  void add_double(double s) {
    auto [position, integer] = detail::to_integer(s);
    position += detail::ExactFormat<double>::scale - detail::ExactFormat<T>::scale;
    if (integer == 0) return;
    if (position < 0) integer >>= -position, position = 0;
    detail::add_integer(sum_.words, position, integer);
    count_addition();
  }

  ExactSum<T>& sum_;
  int additions_left_ = max_additions;
};

template <class T>
void require_data(std::span<const T> values) {
  require(values.data() != nullptr || values.empty(), "a span of ", values.size(),
          " elements has no data (null pointer)");
}

}  // namespace

template <ExactElement T>
void ExactSum<T>::add(std::span<const T> values) {
  require_data(values);
  DelayedSum<T> sum(*this);
  const T* x = values.data();
  auto left = static_cast<std::int64_t>(values.size());
  for (; left >= group_size; x += group_size, left -= group_size) sum.add_group(x);
  sum.add_each(x, left);
}

template <ExactElement T>
ExactSum<T> sum_exact_cpu(std::span<const T> values, int threads) {
  require_data(values);
  require(threads >= 0, "cannot reduce with ", threads, " threads; 0 means all usable cores");
  constexpr std::int64_t min_chunk = 1 << 15;
  const auto n = static_cast<std::int64_t>(values.size());
  const std::int64_t workers = threads > 0 ? threads : default_threads();
  const std::int64_t chunk = std::max(min_chunk, n / (4 * workers) + 1);
  ExactSum<T> all;
  if (n <= 2 * min_chunk || workers == 1) {
    all.add(values);
    return all;
  }
  std::vector<ExactSum<T>> parts(static_cast<std::size_t>(chunk_count(n, chunk)));
  fold_chunks(
      std::span(parts), n, chunk, static_cast<int>(workers),
      [&](ExactSum<T>& part, std::int64_t begin, std::int64_t end) {
        part.add(values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
      },
      [&](const ExactSum<T>& part) { all.merge(part); });
  return all;
}

#define TRIPTYCH_EXACT_CPU(T)                         \
  template void ExactSum<T>::add(std::span<const T>); \
  template ExactSum<T> sum_exact_cpu(std::span<const T>, int);
TRIPTYCH_EXACT_CPU(float)
TRIPTYCH_EXACT_CPU(double)
#undef TRIPTYCH_EXACT_CPU

}  // namespace triptych::reduction
