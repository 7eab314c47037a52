// What a block does together, against host loops in the stated order, for blocks of 1 to 32 warps.
#include <triptych/reduction/collective/block.cuh>

#include <limits>
#include <utility>

#include "reduction/collective/collective_fixture.cuh"
#include "testing/random.hpp"

namespace triptych::reduction {
namespace {

using test::butterfly;
using test::in_all;
using test::in_first;
using test::of_warps;
using test::random_values;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class BlockCuda : public test::CollectiveCuda {
 protected:
  // f(the number of threads as a type) for every size of block.
  template <class F>
  void for_each_size(F f) {
    const auto call = [&](auto threads) {
      SCOPED_TRACE(testing::Message() << threads() << " threads");
      f(threads);
    };
    call(std::integral_constant<int, 32>{});
    call(std::integral_constant<int, 64>{});
    call(std::integral_constant<int, 128>{});
    call(std::integral_constant<int, 256>{});
    call(std::integral_constant<int, 1024>{});
  }

  // Two blocks of the function; the last input but one is changed.
  template <int Threads, class F, class V, class Oracle>
  void expect_block(F function, const std::vector<V>& in, const Oracle& oracle, const V& to) {
    expect_oracle(function, in, Threads, Threads, oracle, in.size() - 2, to);
  }
};

template <class T>
std::vector<T> floats(int threads, std::uint64_t seed) {
  std::vector<T> values = random_values<T>(2 * threads, T(-1), T(1), seed);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] *= T(1 << 20);
  return values;
}
std::vector<std::uint64_t> any_words(int threads, std::uint64_t seed) {
  return random_values<std::uint64_t>(2 * threads, 0, ~std::uint64_t{0}, seed);
}

template <int Threads, class M>
struct Reduce {  // twice: the second call must not read shared memory of the first
  __device__ typename M::Value operator()(typename M::Value v) const {
    block_reduce<Threads>(M{}.identity(), M{});
    __syncthreads();
    v = block_reduce<Threads>(v, M{});
    return threadIdx.x == 0 ? v : typename M::Value{};
  }
};

TEST_F(BlockCuda, ReduceIsATreeOfTrees) {
  for_each_size([&]<int Threads>(std::integral_constant<int, Threads>) {
    const auto tree_of_trees = [](auto add) {
      return [=](auto v) {
        using V = std::decay_t<decltype(v[0])>;
        const auto one = [&](std::span<const V> part) { return test::tree(part, add); };
        return in_first(v.size(), one(of_warps<V>(v, one)));
      };
    };
    expect_block<Threads>(Reduce<Threads, Sum<float>>{}, floats<float>(Threads, 1),
                          tree_of_trees(Sum<float>{}), 3.0f);
    expect_block<Threads>(Reduce<Threads, Sum<double>>{}, floats<double>(Threads, 2),
                          tree_of_trees(Sum<double>{}), 3.0);
    expect_block<Threads>(Reduce<Threads, SumWords>{}, any_words(Threads, 3),
                          tree_of_trees(Sum<std::uint64_t>{}), std::uint64_t{3});
  });
}

template <int Threads, class M>
struct AllReduce {
  __device__ typename M::Value operator()(typename M::Value v) const {
    __shared__ typename M::Value of_warp[Threads / 32];
    return block_all_reduce<Threads>(v, M{}, of_warp);
  }
};

TEST_F(BlockCuda, AllReduceIsAButterflyOfButterflies) {
  for_each_size([&]<int Threads>(std::integral_constant<int, Threads>) {
    const auto expect_sums = [&](auto in) {
      using T = typename decltype(in)::value_type;
      const auto twice = [](std::span<const T> v) {
        const auto one = [](std::span<const T> part) { return butterfly(part, Sum<T>{})[0]; };
        std::vector<T> warps = of_warps(v, one);
        warps.resize(32, T{0});
        return in_all(v.size(), one(warps));
      };
      expect_block<Threads>(AllReduce<Threads, Sum<T>>{}, in, twice, T(3));
    };
    expect_sums(floats<float>(Threads, 4));
    expect_sums(floats<double>(Threads, 5));
  });
}

template <int Threads>
struct BlockSum {
  __device__ std::uint64_t operator()(std::uint64_t v) const {
    __shared__ std::uint64_t of_warp[Threads / 32];
    return block_sum<Threads>(v, of_warp);
  }
};
template <int Threads>
struct BlockMin {
  __device__ unsigned operator()(unsigned v) const {
    __shared__ unsigned of_warp[Threads / 32];
    return block_min<Threads>(v, of_warp);
  }
};
template <int Threads>
struct BlockMax {
  __device__ double operator()(double v) const {
    __shared__ double of_warp[Threads / 32];
    return block_max<Threads>(v, of_warp);
  }
};

TEST_F(BlockCuda, SumsAndExtremesInAllThreads) {
  for_each_size([&]<int Threads>(std::integral_constant<int, Threads>) {
    const auto fold = [](auto monoid) {
      return [=](auto v) {
        auto best = monoid.identity();
        for (const auto x : v) best = monoid(best, x);
        return in_all(v.size(), best);
      };
    };
    expect_block<Threads>(BlockSum<Threads>{}, any_words(Threads, 6), fold(Sum<std::uint64_t>{}),
                          std::uint64_t{3});
    expect_block<Threads>(BlockMin<Threads>{}, random_values<unsigned>(2 * Threads, 1, ~0u, 7),
                          fold(Min<unsigned>{}), 0u);
    auto values = floats<double>(Threads, 8);
    values[0] = values[values.size() - 1] = nan;
    expect_block<Threads>(BlockMax<Threads>{}, values, fold(Max<double>{}), inf);
    expect_block<Threads>(BlockMax<Threads>{}, std::vector(2 * Threads, -inf), fold(Max<double>{}), -1.0);
  });
}

template <int Threads>
struct SumInOrder {
  template <class T>
  __device__ T operator()(T v) const {
    __shared__ T of_warp[Threads / 32];
    v = block_sum_in_order<Threads>(v, of_warp);
    return threadIdx.x == 0 ? v : T{};
  }
};

TEST_F(BlockCuda, SumInOrderTakesOneWarpAfterTheOther) {
  for_each_size([&]<int Threads>(std::integral_constant<int, Threads>) {
    const auto expect_sums = [&](auto in) {
      using T = typename decltype(in)::value_type;
      const auto in_order = [](std::span<const T> v) {
        T total = 0;
        for (const T part : of_warps(v, [](auto warp) { return butterfly(warp, Sum<T>{})[0]; }))
          total += part;
        return in_first(v.size(), total);
      };
      expect_block<Threads>(SumInOrder<Threads>{}, in, in_order, T(3));
    };
    expect_sums(floats<float>(Threads, 9));
    expect_sums(floats<double>(Threads, 10));
  });
}

// The thread's sum, or the block's.
template <int Threads, bool Total>
struct InclusiveSum {
  template <class T>
  __device__ T operator()(T v) const {
    __shared__ T of_warp[Threads / 32];
    T total;
    v = block_inclusive_sum<Threads>(v, of_warp, total);
    return Total ? total : v;
  }
};

TEST_F(BlockCuda, InclusiveSumsAndTheirTotal) {
  for_each_size([&]<int Threads>(std::integral_constant<int, Threads>) {
    const auto expect_sums = [&](auto in) {  // integers, so that floats are exact in any order
      using T = typename decltype(in)::value_type;
      const auto scan = [](std::span<const T> v) {
        std::vector<T> sums;
        T sum = 0;
        for (const T x : v) sums.push_back(sum += x);
        return sums;
      };
      const auto total = [&](std::span<const T> v) { return in_all(v.size(), scan(v).back()); };
      expect_block<Threads>(InclusiveSum<Threads, false>{}, in, scan, T(3000));
      expect_block<Threads>(InclusiveSum<Threads, true>{}, in, total, T(3000));
    };
    const auto whole = random_values<int>(2 * Threads, -1000, 1000, 11);
    expect_sums(whole);
    expect_sums(any_words(Threads, 12));
    expect_sums(std::vector<float>(whole.begin(), whole.end()));
    expect_sums(std::vector<double>(whole.begin(), whole.end()));
  });
}

}  // namespace
}  // namespace triptych::reduction
