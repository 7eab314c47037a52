// User-defined sources and monoids on the CPU.
#include <triptych/core/error.hpp>
#include <triptych/reduction/transform_reduce_cpu.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace triptych::reduction {
namespace {

constexpr std::int64_t sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 1000, 65537, 2073600, (1 << 24) + 3};
constexpr CpuStrategy generic[] = {CpuStrategy::automatic, CpuStrategy::sequential, CpuStrategy::pairwise,
                                   CpuStrategy::simd, CpuStrategy::threads};

// Scattered numbers of 31 bits from an index.
std::uint64_t scatter(std::int64_t i) { return (static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u) >> 33; }

// Integer moments of pixels, as a tracker sums them: 32 bytes, exact.
struct Blob {
  std::uint64_t mass, x, y;
  std::uint32_t least;
  friend bool operator==(const Blob&, const Blob&) = default;
};
struct MergeBlobs {
  using Value = Blob;
  static constexpr bool exact = true;
  Blob identity() const { return {0, 0, 0, 0xffffffffu}; }
  Blob operator()(Blob a, Blob b) const {
    return {a.mass + b.mass, a.x + b.x, a.y + b.y, a.least < b.least ? a.least : b.least};
  }
};
struct BlobSource {
  Blob operator()(std::int64_t i) const {
    const std::uint64_t w = scatter(i) & 255;
    return {w, w * static_cast<std::uint64_t>(i % 1920), w * static_cast<std::uint64_t>(i / 1920),
            static_cast<std::uint32_t>(scatter(i))};
  }
};

TEST(TransformReduceCpu, StructsMatchAPlainLoop) {
  std::uint64_t mass = 0, x = 0, y = 0;
  std::uint32_t least = 0xffffffffu;
  std::int64_t i = 0;
  for (const std::int64_t n : sizes) {
    for (; i < n; ++i) {
      const std::uint64_t w = scatter(i) & 255;
      mass += w;
      x += w * static_cast<std::uint64_t>(i % 1920);
      y += w * static_cast<std::uint64_t>(i / 1920);
      least = std::min(least, static_cast<std::uint32_t>(scatter(i)));
    }
    for (const CpuStrategy s : generic) {
      EXPECT_EQ(transform_reduce_cpu(BlobSource{}, n, MergeBlobs{}, {s, 0}), (Blob{mass, x, y, least}))
          << to_string(s) << " of " << n;
    }
    EXPECT_EQ(transform_reduce_cpu(BlobSource{}, n, MergeBlobs{}, {CpuStrategy::compensated, 0}),
              (Blob{mass, x, y, least}));  // exact: runs in sequence
  }
}

// A complex sum: not exact, no Sum.
struct Complex {
  double re, im;
};
struct AddComplex {
  using Value = Complex;
  static constexpr bool exact = false;
  Complex identity() const { return {0, 0}; }
  Complex operator()(Complex a, Complex b) const { return {a.re + b.re, a.im + b.im}; }
};

TEST(TransformReduceCpu, RootsOfUnitySumToZero) {
  for (const std::int64_t n : {2L, 31L, 1000L, 65537L}) {
    const auto root = [n](std::int64_t i) {
      const double angle = 2 * M_PI * static_cast<double>(i) / static_cast<double>(n);
      return Complex{std::cos(angle), std::sin(angle)};
    };
    for (const CpuStrategy s : generic) {
      const Complex sum = transform_reduce_cpu(root, n, AddComplex{}, {s, 0});
      // n terms of magnitude 1, each off by an eps of its angle (up to 2 pi), n roundings of partial sums
      // below n / pi
      const double count = static_cast<double>(n);
      const double bound = count * (8 + count / M_PI) * 2.3e-16;
      EXPECT_NEAR(sum.re, 0, bound) << to_string(s);
      EXPECT_NEAR(sum.im, 0, bound) << to_string(s);
    }
    EXPECT_THROW(transform_reduce_cpu(root, n, AddComplex{}, {CpuStrategy::compensated, 0}), InvalidArgument);
  }
}

struct Any {
  using Value = bool;
  static constexpr bool exact = true;
  bool identity() const { return false; }
  bool operator()(bool a, bool b) const { return a || b; }
};

TEST(TransformReduceCpu, BoolsAreSharedByThreadsToo) {
  for (const std::int64_t at : {-1L, 0L, 8191L, 8192L, 199999L}) {
    const auto hit = [at](std::int64_t i) { return i == at; };
    for (const CpuStrategy s : generic) {
      EXPECT_EQ(transform_reduce_cpu(hit, 200000, Any{}, {s, 7}), at >= 0) << to_string(s) << " at " << at;
    }
  }
}

TEST(TransformReduceCpu, NarrowElementsAndOtherMaps) {
  std::vector<std::uint8_t> bytes(100003);
  std::uint64_t expected = 0, squares = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(scatter(static_cast<std::int64_t>(i)));
    expected += bytes[i];
    squares += std::uint64_t{bytes[i]} * bytes[i];
  }
  const auto n = static_cast<std::int64_t>(bytes.size());
  const auto square = [](std::uint8_t v, std::int64_t) { return std::uint64_t{v} * v; };
  for (const CpuStrategy s : generic) {
    const MappedArray<std::uint8_t, Convert<std::uint64_t>> plain{bytes.data(), {}};
    EXPECT_EQ(transform_reduce_cpu(plain, n, Sum<std::uint64_t>{}, {s, 0}), expected) << to_string(s);
    const MappedArray<std::uint8_t, decltype(square)> mapped{bytes.data(), square};
    EXPECT_EQ(transform_reduce_cpu(mapped, n, Sum<std::uint64_t>{}, {s, 0}), squares) << to_string(s);
    const MappedArray<std::uint8_t, Convert<long double>> wide{bytes.data(), {}};
    EXPECT_EQ(transform_reduce_cpu(wide, n, Sum<long double>{}, {s, 0}), static_cast<long double>(expected))
        << to_string(s);
  }
}

TEST(TransformReduceCpu, EveryIndexIsVisitedOnce) {
  for (const std::int64_t n : {0L, 7L, 8L, 9L, 8192L, 8193L, 100000L}) {
    for (const CpuStrategy s : generic) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
      const auto visit = [&](std::int64_t i) { return ++visits[static_cast<std::size_t>(i)]; };
      EXPECT_EQ(transform_reduce_cpu(visit, n, Sum<std::int64_t>{}, {s, 3}), n) << to_string(s);
      for (const auto& v : visits) ASSERT_EQ(v, 1) << to_string(s);
    }
  }
}

TEST(TransformReduceCpu, ThreadsGiveTheSameBitsForAnyNumberOfThreads) {
  const auto wave = [](std::int64_t i) { return std::sin(static_cast<double>(i)) * 1e3; };
  for (const std::int64_t n : {8193L, 65537L, 1000003L}) {
    const double one = transform_reduce_cpu(wave, n, Sum<double>{}, {CpuStrategy::threads, 1});
    for (const int threads : {2, 3, 7}) {
      const double many = transform_reduce_cpu(wave, n, Sum<double>{}, {CpuStrategy::threads, threads});
      EXPECT_EQ(std::bit_cast<std::uint64_t>(many), std::bit_cast<std::uint64_t>(one))
          << threads << " threads, " << n;
    }
  }
}

TEST(TransformReduceCpu, SplitsMerge) {
  const MergeBlobs merge;
  const Blob whole = transform_reduce_cpu(BlobSource{}, 100000, merge, {});
  for (const std::int64_t cut : {0L, 1L, 33L, 65536L, 100000L}) {
    const auto rest = [cut](std::int64_t i) { return BlobSource{}(cut + i); };
    EXPECT_EQ(merge(transform_reduce_cpu(BlobSource{}, cut, merge, {}),
                    transform_reduce_cpu(rest, 100000 - cut, merge, {})),
              whole);
  }
}

TEST(TransformReduceCpu, ChangedInputIsNoticed) {
  for (const CpuStrategy s : generic) {
    const Blob before = transform_reduce_cpu(BlobSource{}, 70001, MergeBlobs{}, {s, 0});
    const auto changed = [](std::int64_t i) {
      Blob b = BlobSource{}(i);
      if (i == 70000) ++b.mass;
      return b;
    };
    EXPECT_NE(transform_reduce_cpu(changed, 70001, MergeBlobs{}, {s, 0}), before) << to_string(s);
  }
}

TEST(TransformReduceCpu, ExceptionsOfTheSourceReachTheCaller) {
  const auto bad = [](std::int64_t i) -> double {
    if (i == 77777) throw std::runtime_error("element 77777");
    return 1;
  };
  for (const CpuStrategy s : generic) {
    EXPECT_THROW(transform_reduce_cpu(bad, 100000, Sum<double>{}, {s, 4}), std::runtime_error)
        << to_string(s);
  }
}

template <class E, class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

TEST(TransformReduceCpu, BadInputIsRefusedInASentence) {
  const auto one = [](std::int64_t) { return 1.0; };
  const auto run = [&](std::int64_t n, CpuOptions o) { transform_reduce_cpu(one, n, Sum<double>{}, o); };
  EXPECT_NE(message_of<InvalidArgument>([&] { run(-1, {}); }).find("-1"), std::string::npos);
  EXPECT_NE(message_of<InvalidArgument>([&] {
              run(1, {CpuStrategy::simd, -3});
            }).find("-3"),
            std::string::npos);
  EXPECT_NE(message_of<Unavailable>([&] {
              run(1, {CpuStrategy::thrust_omp, 0});
            }).find("threads"),
            std::string::npos);
  const auto complex = [](std::int64_t) { return Complex{1, 1}; };
  EXPECT_NE(message_of<InvalidArgument>([&] {
              transform_reduce_cpu(complex, 1, AddComplex{}, {CpuStrategy::compensated, 0});
            }).find("pairwise"),
            std::string::npos);
}

}  // namespace
}  // namespace triptych::reduction
