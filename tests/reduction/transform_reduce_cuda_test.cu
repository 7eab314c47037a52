// User-defined structs, monoids and index transforms, by every strategy.
#include <triptych/reduction/transform_reduce_cpu.hpp>
#include <triptych/reduction/transform_reduce_libraries.cuh>

#include <gtest/gtest.h>

#include <optional>

#include "sizes.hpp"
#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"
#include "testing/guarded.hpp"

namespace triptych::reduction {
namespace {

// Weight and weighted position, as a tracker sums them. Component-wise, so it defines its own atomic.
struct Blob {
  unsigned long long weight, x, y;
  friend bool operator==(const Blob&, const Blob&) = default;
};

struct AddBlobs {
  using Value = Blob;
  static constexpr bool exact = true;
  TRIPTYCH_HD Blob identity() const { return {0, 0, 0}; }
  TRIPTYCH_HD Blob operator()(Blob a, Blob b) const { return {a.weight + b.weight, a.x + b.x, a.y + b.y}; }
  __device__ static void atomic(Blob* address, Blob v) {
    atomicAdd(&address->weight, v.weight);
    atomicAdd(&address->x, v.x);
    atomicAdd(&address->y, v.y);
  }
};

struct PixelOfFrame {
  std::int64_t width;
  TRIPTYCH_HD Blob operator()(std::int64_t i) const {
    const auto weight = static_cast<unsigned long long>((i * 2654435761u >> 7) & 255);
    return {weight, weight * static_cast<unsigned long long>(i % width),
            weight * static_cast<unsigned long long>(i / width)};
  }
};

// The bounding box of points: 16 bytes without an atomic, so the atomic strategies use a lock.
struct Box {
  int left, top, right, bottom;
  friend bool operator==(const Box&, const Box&) = default;
};

struct Enclose {
  using Value = Box;
  static constexpr bool exact = true;
  TRIPTYCH_HD Box identity() const { return {1 << 30, 1 << 30, -(1 << 30), -(1 << 30)}; }
  TRIPTYCH_HD Box operator()(Box a, Box b) const {
    return {a.left < b.left ? a.left : b.left, a.top < b.top ? a.top : b.top,
            a.right > b.right ? a.right : b.right, a.bottom > b.bottom ? a.bottom : b.bottom};
  }
};

struct Point {
  TRIPTYCH_HD Box operator()(std::int64_t i) const {
    const int x = static_cast<int>((i * 48271) % 1000003) - 500000;
    const int y = static_cast<int>((i * 16807) % 999983) - 400000;
    return {x, y, x, y};
  }
};

class TransformReduceCuda : public testing::Test {
 protected:
  void SetUp() override {
    TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
    stream_.emplace();
  }

  template <class S, class M>
  void expect_every_strategy(const S& source, M monoid, std::int64_t largest) {
    for (const std::int64_t n : test::test_sizes()) {
      if (n > largest) continue;
      auto expected = monoid.identity();
      for (std::int64_t i = 0; i < n; ++i) expected = monoid(expected, source(i));
      for (const Strategy strategy : all_strategies()) {
        test::GuardedDevice<typename M::Value> result(1, stream_->ref());
        const Options options{strategy, Determinism::gpu_to_gpu, 0};
        transform_reduce_cuda(source, n, monoid, result.span().data(), options, workspace_, stream_->ref(),
                              WithLibraries{});
        EXPECT_TRUE(result.to_host()[0] == expected) << to_string(strategy) << ", n = " << n;
        EXPECT_TRUE(result.intact());
      }
    }
  }

  std::optional<Stream> stream_;
  Workspace workspace_;
};

TEST_F(TransformReduceCuda, AStructWithItsOwnAtomic) {
  expect_every_strategy(PixelOfFrame{1920}, AddBlobs{}, (1 << 24) + 3);
}

TEST_F(TransformReduceCuda, AStructThatNeedsALock) { expect_every_strategy(Point{}, Enclose{}, 2073600); }

TEST_F(TransformReduceCuda, LocksAndTicketsAreLeftAtZero) {
  workspace_.reserve(0, stream_->ref());
  expect_every_strategy(Point{}, Enclose{}, 65537);
  std::vector<std::uint32_t> words(Workspace::ticket_count);
  copy_to_host(DeviceSpan<const std::uint32_t>(workspace_.tickets(), Workspace::ticket_count),
               std::span<std::uint32_t>(words), stream_->ref());
  stream_->ref().synchronize();
  for (std::size_t k = 0; k < words.size(); ++k) ASSERT_EQ(words[k], 0u) << "word " << k;
}

TEST_F(TransformReduceCuda, TheCpuTwinAgrees) {
  const std::int64_t n = 600011;
  test::GuardedDevice<Blob> result(1, stream_->ref());
  transform_reduce_cuda(PixelOfFrame{777}, n, AddBlobs{}, result.span().data(), {}, workspace_,
                        stream_->ref());
  EXPECT_TRUE(result.to_host()[0] == transform_reduce_cpu(PixelOfFrame{777}, n, AddBlobs{}, {}));
  EXPECT_FALSE(result.to_host()[0] == transform_reduce_cpu(PixelOfFrame{778}, n, AddBlobs{}, {}));
}

TEST_F(TransformReduceCuda, TheLibrariesMustBeIncluded) {
  test::GuardedDevice<Blob> result(1, stream_->ref());
  const Options options{Strategy::cub_device, Determinism::not_guaranteed, 0};
  EXPECT_ERROR(transform_reduce_cuda(PixelOfFrame{777}, 10, AddBlobs{}, result.span().data(), options,
                                     workspace_, stream_->ref()),
               InvalidArgument, "transform_reduce_libraries.cuh");
  EXPECT_ERROR(transform_reduce_cuda(PixelOfFrame{777}, -1, AddBlobs{}, result.span().data(), {}, workspace_,
                                     stream_->ref()),
               InvalidArgument, "negative");
}

}  // namespace
}  // namespace triptych::reduction
