// Warp collectives against host loops in the stated order.
#include <triptych/reduction/collective/warp.cuh>

#include <array>
#include <limits>
#include <utility>

#include "reduction/collective/collective_fixture.cuh"
#include "testing/random.hpp"

namespace triptych::reduction {
namespace {

using test::butterfly;
using test::in_all;
using test::random_values;

constexpr int threads = 64;  // two warps: they must not disturb each other
constexpr int warp = 32;
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class WarpCuda : public test::CollectiveCuda {
 protected:
  // A function of a warp whose lanes all have oracle(values).
  template <class F, class V, class Oracle>
  void expect_in_all_lanes(F function, const std::vector<V>& in, const Oracle& oracle, std::size_t changed,
                           const V& to) {
    expect_oracle(
        function, in, threads, warp,
        [&](std::span<const V> v) { return in_all(v.size(), static_cast<V>(oracle(v))); }, changed, to);
  }
};

// Of large and small magnitudes, so that every order gives other bits.
template <class T>
std::vector<T> floats(std::uint64_t seed) {
  std::vector<T> values = random_values<T>(threads, T(-1), T(1), seed);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] *= T(1 << 20);
  return values;
}

struct Words {
  std::uint16_t a, b, c, d, e;  // ten bytes: the last word is half full
  friend bool operator==(const Words&, const Words&) = default;
};

std::vector<Words> words() {
  std::vector<Words> v;
  for (std::uint16_t i = 0; i < threads; ++i) {
    const auto next = [&](int k) { return static_cast<std::uint16_t>(997 * (i + 1) + 131 * k); };
    v.push_back({next(0), next(1), next(2), next(3), next(4)});
  }
  return v;
}

template <int Distance>
struct ShuffleXor {
  template <class V>
  __device__ V operator()(const V& v) const {
    return shuffle_xor(v, Distance);
  }
};
template <int Distance>
struct ShuffleDown {
  template <class V>
  __device__ V operator()(const V& v) const {
    return shuffle_down(v, Distance);
  }
};
template <int Lane>
struct Broadcast {
  template <class V>
  __device__ V operator()(const V& v) const {
    return broadcast(v, Lane);
  }
};

TEST_F(WarpCuda, ExchangesMoveWholeValues) {
  const auto expect_moves = [&](auto in, auto other) {
    using V = std::decay_t<decltype(other)>;
    const auto from = [](auto source) {
      return [=](std::span<const V> v) {
        std::vector<V> moved;
        for (std::size_t i = 0; i < v.size(); ++i) moved.push_back(v[source(i)]);
        return moved;
      };
    };
    expect_oracle(ShuffleXor<1>{}, in, threads, warp, from([](std::size_t i) { return i ^ 1; }), 7, other);
    expect_oracle(ShuffleXor<16>{}, in, threads, warp, from([](std::size_t i) { return i ^ 16; }), 40, other);
    expect_oracle(ShuffleDown<5>{}, in, threads, warp,
                  from([](std::size_t i) { return i + 5 < 32 ? i + 5 : i; }), 63, other);
    expect_oracle(Broadcast<0>{}, in, threads, warp, from([](std::size_t) { return 0u; }), 32, other);
    expect_oracle(Broadcast<31>{}, in, threads, warp, from([](std::size_t) { return 31u; }), 31, other);
  };
  expect_moves(floats<float>(1), 0.5f);
  expect_moves(floats<double>(2), 0.5);
  expect_moves(random_values<std::int64_t>(threads, -1000000000000, 1000000000000, 3), std::int64_t{5});
  expect_moves(words(), Words{1, 2, 3, 4, 5});
}

struct ShuffleInHalf {
  __device__ double operator()(double v) const {
    if (threadIdx.x % 32 >= 16) return v;
    return shuffle_xor(v, 8, 0xffffu);
  }
};
struct Uniform {
  __device__ unsigned operator()(unsigned v) const { return warp_uniform(broadcast(v, 3)); }
};

TEST_F(WarpCuda, MembersAndUniformWords) {
  const auto in_half = [](std::span<const double> v) {
    std::vector<double> moved;
    for (std::size_t i = 0; i < v.size(); ++i) moved.push_back(i < 16 ? v[i ^ 8] : v[i]);
    return moved;
  };
  expect_oracle(ShuffleInHalf{}, floats<double>(4), threads, warp, in_half, 9, 0.5);
  expect_in_all_lanes(
      Uniform{}, random_values<unsigned>(threads, 0, 0xffffffff, 5), [](auto v) { return v[3]; }, 35, 0u);
}

struct WarpSum {
  template <class V>
  __device__ V operator()(V v) const {
    return warp_sum(v);
  }
};
struct AllReduceSum {
  template <class V>
  __device__ V operator()(V v) const {
    return warp_all_reduce(v, Sum<V>{});
  }
};

TEST_F(WarpCuda, FloatSumsHaveTheStatedOrder) {
  const auto expect_sums = [&](auto in) {
    using T = typename decltype(in)::value_type;
    const auto ordered = [](std::span<const T> v) { return butterfly(v, Sum<T>{}); };
    expect_oracle(WarpSum{}, in, threads, warp, ordered, 13, T(3));
    expect_oracle(AllReduceSum{}, in, threads, warp, ordered, 50, T(3));
    T sequential = 0;
    for (int i = 0; i < warp; ++i) sequential += in[std::size_t(i)];
    EXPECT_NE(sequential, butterfly(std::span<const T>(in).first(warp), Sum<T>{})[0])
        << "both orders give the same bits";
  };
  expect_sums(floats<float>(6));
  expect_sums(floats<double>(7));
}

template <class U>
U sum_of(std::span<const U> v) {
  std::uint64_t sum = 0;
  for (const U x : v) sum += static_cast<std::uint64_t>(x);
  return static_cast<U>(sum);
}

TEST_F(WarpCuda, IntegerSumsWrapAround) {
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  expect_in_all_lanes(WarpSum{}, random_values<unsigned>(threads, 0, 0xffffffff, 8), sum_of<unsigned>, 1, 0u);
  expect_in_all_lanes(WarpSum{}, random_values<int>(threads, -2147483647, 2147483647, 9), sum_of<int>, 1, 0);
  expect_in_all_lanes(WarpSum{}, random_values<std::uint64_t>(threads, 0, all, 10), sum_of<std::uint64_t>, 33,
                      std::uint64_t{0});
  expect_in_all_lanes(WarpSum{}, std::vector(threads, all), sum_of<std::uint64_t>, 0, all - 1);
}

template <int bits>
struct SumBits {
  __device__ std::uint64_t operator()(std::uint64_t v) const { return warp_sum_bits<bits>(v); }
};

TEST_F(WarpCuda, SumsOfNarrowWordsAreExact) {
  const auto expect_bits = [&](auto function, int bits) {
    const std::uint64_t largest = (std::uint64_t{1} << bits) - 1;
    for (const auto& in :
         {random_values<std::uint64_t>(threads, 0, largest, 11), std::vector(threads, largest)})
      expect_in_all_lanes(function, in, sum_of<std::uint64_t>, 63, std::uint64_t{1});
  };
  expect_bits(SumBits<28>{}, 28);
  expect_bits(SumBits<48>{}, 48);
  expect_bits(SumBits<54>{}, 54);
  expect_bits(SumBits<55>{}, 55);
}

// In lane 0 of each warp.
template <int Lanes, class M>
struct Reduce {
  __device__ typename M::Value operator()(typename M::Value v) const {
    v = warp_reduce<Lanes>(v, M{});
    return threadIdx.x % 32 == 0 ? v : typename M::Value{};
  }
};

TEST_F(WarpCuda, ReducesTheFirstLanesAsATree) {
  const auto expect_tree = [&](auto function, std::size_t lanes, auto in, auto combine) {
    using V = typename decltype(in)::value_type;
    expect_oracle(
        function, in, threads, warp,
        [&](std::span<const V> v) { return test::in_first(warp, test::tree(v.first(lanes), combine)); },
        lanes - 1, V(3));
  };
  expect_tree(Reduce<1, Sum<float>>{}, 1, floats<float>(12), Sum<float>{});
  expect_tree(Reduce<2, Sum<float>>{}, 2, floats<float>(12), Sum<float>{});
  expect_tree(Reduce<8, Sum<float>>{}, 8, floats<float>(12), Sum<float>{});
  expect_tree(Reduce<32, Sum<float>>{}, 32, floats<float>(12), Sum<float>{});
  expect_tree(Reduce<32, Sum<double>>{}, 32, floats<double>(12), Sum<double>{});
  const auto any = random_values<std::uint64_t>(threads, 0, ~std::uint64_t{0}, 13);
  expect_tree(Reduce<32, SumWords>{}, 32, any, Sum<std::uint64_t>{});
  expect_tree(Reduce<4, SumWords>{}, 4, any, Sum<std::uint64_t>{});
}

template <int Lanes>
struct GroupSum {
  template <class V>
  __device__ V operator()(V v) const {
    return group_sum<Lanes>(v);
  }
};
struct GroupSumInHalf {
  __device__ float operator()(float v) const { return threadIdx.x % 32 < 16 ? group_sum<4>(v, 0xffffu) : v; }
};

template <class T>
std::vector<T> neighbours_first(std::span<const T> group) {
  std::vector<T> v(group.begin(), group.end());
  for (std::size_t offset = 1; offset < v.size(); offset *= 2) {
    const std::vector<T> last = v;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = last[i] + last[i ^ offset];
  }
  return v;
}

TEST_F(WarpCuda, GroupsAddUpNeighboursFirst) {
  const auto expect_groups = [&](auto in) {
    using T = typename decltype(in)::value_type;
    expect_oracle(GroupSum<2>{}, in, threads, 2, neighbours_first<T>, 9, T(3));
    expect_oracle(GroupSum<4>{}, in, threads, 4, neighbours_first<T>, 9, T(3));
    expect_oracle(GroupSum<8>{}, in, threads, 8, neighbours_first<T>, 63, T(3));
    expect_oracle(GroupSum<16>{}, in, threads, 16, neighbours_first<T>, 63, T(3));
  };
  expect_groups(floats<float>(14));
  expect_groups(floats<double>(15));
  expect_groups(random_values<std::uint64_t>(threads, 0, ~std::uint64_t{0}, 16));
  const auto half = [](std::span<const float> v) {
    std::vector<float> sums;
    for (std::size_t i = 0; i < 16; i += 4) {
      const auto part = neighbours_first(v.subspan(i, 4));
      sums.insert(sums.end(), part.begin(), part.end());
    }
    sums.insert(sums.end(), v.begin() + 16, v.end());
    return sums;
  };
  expect_oracle(GroupSumInHalf{}, floats<float>(17), threads, warp, half, 15, 3.0f);
}

struct WarpMax {
  template <class V>
  __device__ V operator()(V v) const {
    return warp_max(v);
  }
};
struct WarpMin {
  template <class V>
  __device__ V operator()(V v) const {
    return warp_min(v);
  }
};
template <class M, class V>
V extreme(std::span<const V> v) {
  V best = M{}.identity();
  for (const V x : v) best = M{}(best, x);
  return best;
}

TEST_F(WarpCuda, ExtremesPassOverNaNs) {
  auto in = floats<float>(18);
  in[3] = nan, in[20] = inf, in[40] = nan, in[41] = -inf;
  expect_in_all_lanes(WarpMax{}, in, extreme<Max<float>, float>, 20, nan);
  expect_in_all_lanes(WarpMin{}, in, extreme<Min<float>, float>, 41, nan);
  auto wide = std::vector<double>(in.begin(), in.end());
  expect_in_all_lanes(WarpMax{}, wide, extreme<Max<double>, double>, 20, double{nan});
  std::vector<float> one(threads, nan);  // a single number among NaNs, and infinities alone
  one[5] = 7;
  std::fill(one.begin() + 32, one.end(), -inf);
  expect_in_all_lanes(WarpMax{}, one, extreme<Max<float>, float>, 5, 8.0f);
  expect_in_all_lanes(WarpMin{}, one, extreme<Min<float>, float>, 5, 8.0f);
  auto bits = random_values<unsigned>(threads, 1, 0xfffffffe, 19);
  bits[31] = 0xffffffff, bits[32] = 0;
  expect_in_all_lanes(WarpMax{}, bits, extreme<Max<unsigned>, unsigned>, 31, 0u);
  expect_in_all_lanes(WarpMin{}, bits, extreme<Min<unsigned>, unsigned>, 32, 0xffffffffu);
}

struct WarpArgMin {
  template <class T>
  __device__ Indexed<T> operator()(Indexed<T> v) const {
    return warp_arg_min(v);
  }
};

TEST_F(WarpCuda, OfEqualMinimaTheLowestIndex) {
  const auto expect_arg_min = [&](auto number) {
    using T = decltype(number);
    std::vector<Indexed<T>> in;
    for (int i = 0; i < threads; ++i) in.push_back({T(50 + i % 7), 1000 - 3 * i});
    in[9].value = in[17].value = in[30].value = T(4);  // lane 30 has the lowest index of the three
    in[40].value = in[41].value = T(-2);
    if constexpr (std::is_floating_point_v<T>) in[2].value = static_cast<T>(nan);
    const auto naive = [](std::span<const Indexed<T>> v) {
      Indexed<T> best{std::numeric_limits<T>::infinity(), no_index};
      if constexpr (!std::is_floating_point_v<T>) best.value = std::numeric_limits<T>::max();
      for (const auto& x : v)
        if (x.value < best.value || (x.value == best.value && x.index < best.index)) best = x;
      return best;
    };
    EXPECT_EQ(naive(std::span<const Indexed<T>>(in).first(32)), (Indexed<T>{T(4), 1000 - 90}));
    expect_in_all_lanes(WarpArgMin{}, in, naive, 30, Indexed<T>{T(5), 0});
  };
  expect_arg_min(float{});
  expect_arg_min(double{});
  expect_arg_min(int{});
}

struct InclusiveSum {
  template <class V>
  __device__ V operator()(V v) const {
    return warp_inclusive_sum(v);
  }
};

TEST_F(WarpCuda, InclusiveSums) {
  const auto expect_scan = [&](auto in) {  // integers, so that floats are exact in any order
    using T = typename decltype(in)::value_type;
    const auto scan = [](std::span<const T> v) {
      std::vector<T> sums;
      T sum = 0;
      for (const T x : v) sums.push_back(sum += x);
      return sums;
    };
    expect_oracle(InclusiveSum{}, in, threads, warp, scan, 33, T(3));
  };
  const auto whole = random_values<int>(threads, -1000, 1000, 20);
  expect_scan(whole);
  expect_scan(random_values<unsigned>(threads, 0, 0xffffffff, 21));
  expect_scan(random_values<std::uint64_t>(threads, 0, ~std::uint64_t{0}, 22));
  expect_scan(std::vector<float>(whole.begin(), whole.end()));
  expect_scan(std::vector<double>(whole.begin(), whole.end()));
}

// Lane i has the sum of row i % 11.
template <int Rows>
struct RowSums {
  __device__ float operator()(const std::array<float, Rows>& of_lane) const {
    float rows[Rows];
    for (int r = 0; r < Rows; ++r) rows[r] = of_lane[static_cast<std::size_t>(r)];
    const WarpRowSums<Rows> sums(rows);
    return sums[static_cast<int>(threadIdx.x % 11)];
  }
};

template <int Rows>
void row_sums_oracle(std::span<const std::array<float, Rows>> lanes, std::size_t first_thread,
                     std::vector<float>& sums) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::size_t r = (first_thread + i) % 11;
    std::vector<float> row;
    for (const auto& lane : lanes) row.push_back(r < Rows ? lane[r] : 0.0f);
    sums.push_back(butterfly(std::span<const float>(row), Sum<float>{})[i]);
  }
}

TEST_F(WarpCuda, SumsOfSeveralRowsHaveTheOrderOfOne) {
  const auto expect_rows = [&]<int Rows>(std::integral_constant<int, Rows>) {
    SCOPED_TRACE(Rows);
    std::vector<std::array<float, Rows>> in(threads);
    for (std::size_t r = 0; r < Rows; ++r) {
      const auto row = floats<float>(23 + r);
      for (std::size_t i = 0; i < in.size(); ++i) in[i][r] = row[i];
    }
    auto changed = in[44];
    changed[Rows - 1] += 1000;
    const auto both = [](std::span<const std::array<float, Rows>> lanes) {
      std::vector<float> sums;
      row_sums_oracle<Rows>(lanes.first(32), 0, sums);
      row_sums_oracle<Rows>(lanes.subspan(32), 32, sums);
      return sums;
    };
    expect_oracle(RowSums<Rows>{}, in, threads, threads, both, 44, changed);
  };
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (expect_rows(std::integral_constant<int, i + 1>{}), ...);
  }
  (std::make_integer_sequence<int, 9>{});
}

}  // namespace
}  // namespace triptych::reduction
