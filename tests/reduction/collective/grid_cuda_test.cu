// What blocks exchange inside a launch, against host loops in the stated order; words and counters are back
// at zero afterwards.
#include <triptych/reduction/collective/grid.cuh>

#include <algorithm>

#include "reduction/collective/collective_fixture.cuh"
#include "testing/random.hpp"

namespace triptych::reduction {
namespace {

using test::random_values;

class GridCuda : public test::CollectiveCuda {
 protected:
  template <class T>
  std::vector<T> download(const DeviceBuffer<T>& buffer) {
    std::vector<T> values(static_cast<std::size_t>(buffer.size()));
    copy_to_host(buffer.span(), std::span<T>(values), stream());
    stream().synchronize();
    return values;
  }
  template <class T>
  DeviceBuffer<T> zeros(std::int64_t count) {
    DeviceBuffer<T> buffer(count);
    fill_bytes(buffer.span(), 0, stream());
    return buffer;
  }
  template <class T>
  bool is_zero(const DeviceBuffer<T>& buffer) {
    const auto values = download(buffer);
    return std::all_of(values.begin(), values.end(), [](T v) { return v == T{}; });
  }
};

// The block that draws the last ticket adds up what the others have left.
__global__ void ticket_kernel(const unsigned* value, unsigned* left, std::uint32_t* counter, unsigned* ticket,
                              unsigned* sum) {
  if (threadIdx.x != 0) return;
  left[blockIdx.x] = value[blockIdx.x];
  const unsigned drawn = draw_ticket(counter, gridDim.x);
  ticket[blockIdx.x] = drawn;
  if (drawn + 1 < gridDim.x) return;
  unsigned total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += left[b];
  *sum = total;
}

TEST_F(GridCuda, TicketsAreDrawnOnceAndStartAgain) {
  const DeviceBuffer<std::uint32_t> counter = zeros<std::uint32_t>(1);
  for (const unsigned blocks : {1u, 2u, 31u, 33u, 257u}) {
    SCOPED_TRACE(blocks);
    std::vector<unsigned> values = random_values<unsigned>(blocks, 0, 0xffffffff, blocks);
    const auto run = [&] {
      const DeviceBuffer<unsigned> value = upload(values);
      DeviceBuffer<unsigned> left = zeros<unsigned>(blocks), ticket(blocks), sum(1);
      launch(ticket_kernel, {blocks, 32}, stream(), value.data(), left.data(),
             const_cast<std::uint32_t*>(counter.data()), ticket.data(), sum.data());
      std::vector<unsigned> drawn = download(ticket);
      std::sort(drawn.begin(), drawn.end());
      for (unsigned b = 0; b < blocks; ++b) EXPECT_EQ(drawn[b], b);
      EXPECT_TRUE(is_zero(counter));
      return download(sum)[0];
    };
    unsigned expected = 0;
    for (const unsigned v : values) expected += v;
    EXPECT_EQ(run(), expected);
    values[blocks / 2] += 1;
    EXPECT_NE(run(), expected);
  }
}

// Three words, and two 64-bit words that do not fill the last flagged word's neighbour.
struct Triple {
  std::uint32_t a, b, c;
  friend bool operator==(const Triple&, const Triple&) = default;
};
struct AddTriples {
  using Value = Triple;
  static constexpr bool exact = true;
  TRIPTYCH_HD Triple identity() const { return {0, 0, 0}; }
  TRIPTYCH_HD Triple operator()(Triple x, Triple y) const { return {x.a + y.a, x.b + y.b, x.c + y.c}; }
};

template <class M>
__global__ void collect_kernel(const typename M::Value* value, CollectorExchange<typename M::Value> exchange,
                               typename M::Value* result) {
  const int block = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) exchange.send(block, value[block]);
  if (block != exchange.slots - 1 || threadIdx.x >= 32) return;
  const auto total = collect(exchange, M{});
  if (threadIdx.x == 0) *result = total;
}

// Lane l takes the slots l, l + 32, ...; then the lanes as a tree.
template <class M, class V = typename M::Value>
V collected(const std::vector<V>& values, M monoid) {
  std::vector<V> lanes(32, monoid.identity());
  for (std::size_t i = 0; i < values.size(); ++i) lanes[i % 32] = monoid(lanes[i % 32], values[i]);
  return test::tree(std::span<const V>(lanes), monoid);
}

TEST_F(GridCuda, TheCollectorHasAllValuesInOrder) {
  const auto expect_collected = [&](auto on_device, auto monoid, auto make) {
    using M = decltype(on_device);
    using V = typename M::Value;
    for (const int blocks : {1, 2, 31, 33, 257}) {
      SCOPED_TRACE(blocks);
      std::vector<V> values = make(blocks);
      const DeviceBuffer<std::uint64_t> words = zeros<std::uint64_t>(
          static_cast<std::int64_t>(CollectorExchange<V>::bytes(blocks) / sizeof(std::uint64_t)));
      const CollectorExchange<V> exchange{const_cast<std::uint64_t*>(words.data()), blocks};
      const auto run = [&] {
        const DeviceBuffer<V> value = upload(values);
        const V result = result_of<V>([&](V* at) {
          launch(collect_kernel<M>, {static_cast<unsigned>(blocks), 64}, stream(), value.data(), exchange,
                 at);
        });
        EXPECT_TRUE(is_zero(words));
        return result;
      };
      const V expected = collected(values, monoid);
      for (int repeat = 0; repeat < 3; ++repeat) EXPECT_TRUE(test::same_bits(run(), expected));
      values[static_cast<std::size_t>(blocks / 2)] = make(1000)[999];
      EXPECT_TRUE(test::same_bits(run(), collected(values, monoid)));
      EXPECT_FALSE(test::same_bits(run(), expected));
    }
  };
  expect_collected(SumWords{}, Sum<std::uint64_t>{},
                   [](int n) { return random_values<std::uint64_t>(n, 0, ~std::uint64_t{0}, 1); });
  expect_collected(Sum<float>{}, Sum<float>{}, [](int n) {
    std::vector<float> values = random_values<float>(n, -1, 1, 2);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] *= 1 << 20;
    return values;
  });
  expect_collected(Sum<double>{}, Sum<double>{}, [](int n) { return random_values<double>(n, -1, 1, 3); });
  expect_collected(AddTriples{}, AddTriples{}, [](int n) {
    const auto words = random_values<std::uint32_t>(3 * n, 0, 0xffffffff, 4);
    std::vector<Triple> values;
    for (std::size_t i = 0; i < words.size(); i += 3)
      values.push_back({words[i], words[i + 1], words[i + 2]});
    return values;
  });
  expect_collected(ArgMin<double>{}, ArgMin<double>{}, [](int n) {  // the later, the smaller; many ties
    std::vector<Indexed<double>> values;
    for (int i = 0; i < n; ++i) values.push_back({-1.0 * (i / 5), 100000 - i});
    return values;
  });
}

// All blocks exchange Words words of three floats in several rounds. The words depend on the total
// before, so that no round can be mixed up with another. totals: [round][block][word].
template <int Words, int Groups>
__global__ void exchange_kernel(const float3* base, uint4* words, int rounds, float3* totals) {
  __shared__ float4 shares[Groups * Words];
  __shared__ float3 last[Words];
  const int t = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const int blocks = static_cast<int>(gridDim.x);
  if (t < Words) last[t] = make_float3(0, 0, 0);
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    const AllToAllExchange<Words, Groups> exchange{words + (round % 2) * blocks * Words, blocks};
    const auto tag = static_cast<std::uint32_t>(round + 1);
    if (t < Words) {
      const float3 b = base[block * Words + t], l = last[t];
      exchange.send(block, t, make_float3(b.x + 0.5f * l.x, b.y + 0.5f * l.y, b.z + 0.5f * l.z), tag);
    }
    exchange.receive(t, tag, shares, [&](int k, float3 total) {
      last[k] = total;
      totals[(round * blocks + block) * Words + k] = total;
    });
  }
}

// The total of one component over the blocks, in the stated order.
float exchanged(const std::vector<float>& of_block, int groups) {
  float total = 0;
  for (int g = 0; g < groups; ++g) {
    float share = 0;
    for (std::size_t b = static_cast<std::size_t>(g); b < of_block.size();
         b += static_cast<std::size_t>(groups))
      share += of_block[b];
    total = g == 0 ? share : total + share;
  }
  return total;
}

template <int Words, int Groups>
std::vector<float> exchanged_totals(const std::vector<float>& base, std::size_t blocks, int rounds) {
  constexpr std::size_t row = 3 * Words;
  std::vector<float> totals, last(row, 0.0f);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < row; ++k) {
      std::vector<float> of_block;
      for (std::size_t b = 0; b < blocks; ++b) of_block.push_back(base[b * row + k] + 0.5f * last[k]);
      last[k] = exchanged(of_block, Groups);
    }
    for (std::size_t b = 0; b < blocks; ++b) totals.insert(totals.end(), last.begin(), last.end());
  }
  return totals;
}

TEST_F(GridCuda, AllBlocksHaveTheSameTotals) {
  constexpr int rounds = 5;
  const auto expect_exchange = [&]<int Words, int Groups>(std::integral_constant<int, Words>,
                                                          std::integral_constant<int, Groups>) {
    for (const int blocks : {1, 2, 5, 31, 40}) {
      SCOPED_TRACE(testing::Message() << blocks << " blocks, " << Words << " words, " << Groups << " groups");
      const std::int64_t floats = std::int64_t{3} * blocks * Words;
      auto base = random_values<float>(floats, -1, 1, static_cast<std::uint64_t>(blocks));
      for (std::size_t i = 0; i < base.size(); i += 5) base[i] *= 1 << 16;
      const auto run = [&] {
        const DeviceBuffer<float> sent = upload(base);
        DeviceBuffer<uint4> words = zeros<uint4>(std::int64_t{2} * blocks * Words);
        DeviceBuffer<float> totals(rounds * floats);
        const auto* from = reinterpret_cast<const float3*>(sent.data());
        auto* at = words.data();
        auto* to = reinterpret_cast<float3*>(totals.data());
        int count = rounds;
        void* arguments[] = {&from, &at, &count, &to};
        const auto kernel = exchange_kernel<Words, Groups>;
        TRIPTYCH_CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                                        dim3(static_cast<unsigned>(blocks)), dim3(64),
                                                        arguments, 0, to_cuda(stream())));
        return download(totals);
      };
      const auto expected = exchanged_totals<Words, Groups>(base, static_cast<std::size_t>(blocks), rounds);
      EXPECT_TRUE(test::same_bits(run(), expected));
      base[static_cast<std::size_t>(floats / 2)] += 1;
      EXPECT_FALSE(test::same_bits(run(), expected));
    }
  };
  expect_exchange(std::integral_constant<int, 1>{}, std::integral_constant<int, 1>{});
  expect_exchange(std::integral_constant<int, 3>{}, std::integral_constant<int, 4>{});
  expect_exchange(std::integral_constant<int, 8>{}, std::integral_constant<int, 8>{});
}

}  // namespace
}  // namespace triptych::reduction
