// Dot products of byte triples: every available path against the formula, in every layout.
#include <triptych/core/simd/byte_triples.hpp>
#include <triptych/core/simd/dispatch.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "testing/random.hpp"

namespace triptych {
namespace {

enum class Layout { three, four, yuyv, nv12 };

#define TRIPTYCH_SIMD_SOURCE "core/simd/triple_operations.inl"
#define TRIPTYCH_SIMD_BYTE_TRIPLES
#include <triptych/core/simd/for_each_set.hpp>

// Bytes at the end of a page before an inaccessible one: a read past the end is a fault.
class BytesAtTheEnd {
 public:
  explicit BytesAtTheEnd(const std::vector<std::uint8_t>& bytes)
      : memory_(static_cast<std::uint8_t*>(
            mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
        data_(memory_ + page - bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data_);
    mprotect(memory_ + page, page, PROT_NONE);
  }
  ~BytesAtTheEnd() { munmap(memory_, 2 * page); }
  BytesAtTheEnd(const BytesAtTheEnd&) = delete;
  const std::uint8_t* data() const { return data_; }

 private:
  static constexpr std::size_t page = 65536;
  std::uint8_t *memory_, *data_;
};

class TriplePath : public testing::TestWithParam<CpuPath> {};

TEST_P(TriplePath, HasTheDotProductsOfEveryLayout) {
  constexpr int count = 80;
  constexpr std::int32_t most = 127 * 0x010101;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    std::vector<std::uint8_t> bytes = test::random_values<std::uint8_t>(4 * count, 0, 255, seed);
    std::vector<std::uint8_t> pairs = test::random_values<std::uint8_t>(count, 0, 255, seed + 1000);
    if (seed < 2) std::fill(bytes.begin(), bytes.end(), std::uint8_t{255});
    const auto random = test::random_values<std::int32_t>(4, -most, most, seed);
    const std::int32_t sign = seed == 0 ? 1 : -1;
    const std::int32_t c[4] = {seed < 2 ? sign * most : random[0], seed < 2 ? sign * most : random[1],
                               seed < 2 ? sign * most : random[2], random[3]};
    for (const Layout layout : {Layout::three, Layout::four, Layout::yuyv, Layout::nv12}) {
      const int each = layout == Layout::three  ? 3
                       : layout == Layout::four ? 4
                       : layout == Layout::yuyv ? 2
                                                : 1;
      const BytesAtTheEnd p({bytes.begin(), bytes.begin() + each * count}), q(pairs);
      std::int32_t found[count];
      (TRIPTYCH_SIMD_CHOOSE(GetParam(), dots))(layout, p.data(), q.data(), count, c, found);
      for (int i = 0; i < count; ++i) {
        const std::uint8_t* at = p.data() + each * i;
        const std::uint8_t* two = p.data() + i / 2 * 4;
        const std::uint8_t* pair = pairs.data() + i / 2 * 2;
        const std::uint8_t b[3] = {layout == Layout::yuyv ? two[i % 2 * 2] : at[0],
                                   layout == Layout::nv12   ? pair[0]
                                   : layout == Layout::yuyv ? two[1]
                                                            : at[1],
                                   layout == Layout::nv12   ? pair[1]
                                   : layout == Layout::yuyv ? two[3]
                                                            : at[2]};
        const std::int64_t sum =
            std::int64_t{c[0]} * b[0] + std::int64_t{c[1]} * b[1] + std::int64_t{c[2]} * b[2] + c[3];
        ASSERT_EQ(found[i], static_cast<std::int32_t>(sum))
            << "layout " << static_cast<int>(layout) << ", " << i;
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<CpuPath>& info) {
  return std::string(to_string(info.param));
}
INSTANTIATE_TEST_SUITE_P(ByteTriples, TriplePath,
                         testing::ValuesIn(simd::available_byte_triple_paths().begin(),
                                           simd::available_byte_triple_paths().end()),
                         name_of);

}  // namespace
}  // namespace triptych
