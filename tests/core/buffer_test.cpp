#include <triptych/core/buffer.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"
#include "testing/guarded.hpp"

namespace triptych {
namespace {

static_assert(!std::is_copy_constructible_v<DeviceBuffer<int>> &&
              !std::is_copy_assignable_v<PinnedBuffer<int>>);
static_assert(std::is_nothrow_move_constructible_v<DeviceBuffer<int>>);
static_assert(std::is_same_v<decltype(std::declval<DeviceBuffer<int>&>().span()), DeviceSpan<int>>);
static_assert(
    std::is_same_v<decltype(std::declval<const DeviceBuffer<int>&>().span()), DeviceSpan<const int>>);
static_assert(
    std::is_same_v<decltype(std::declval<const PinnedBuffer<int>&>().span()), std::span<const int>>);

TEST(Buffer, NothingIsAllocatedForNoElements) {
  const std::int64_t before = device_allocation_count();
  DeviceBuffer<int> buffer(0);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.span().size(), 0);
  EXPECT_EQ(device_allocation_count(), before);
}

TEST(Buffer, RejectsWhatCannotBe) {
  EXPECT_ERROR(DeviceBuffer<int>(-1), InvalidArgument, "cannot have -1 elements");
  EXPECT_ERROR(PinnedBuffer<double>(INT64_MAX), InvalidArgument, "larger than an address space");
}

TEST(Buffer, WithoutAGpuSaysWhy) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_ERROR(DeviceBuffer<int>(1), Unavailable, cuda_unavailable_reason());
  EXPECT_ERROR(PinnedBuffer<int>(1), Unavailable, cuda_unavailable_reason());
}

TEST(Buffer, Moves) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  DeviceBuffer<int> first(3);
  const int* const data = first.data();
  DeviceBuffer<int> second = std::move(first);
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second.size(), 3);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): what it leaves is the contract
  EXPECT_EQ(first.size(), 0);
  DeviceBuffer<int> third(5);
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.size(), 3);
  EXPECT_TRUE(second.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(Buffer, CountsAllocations) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const std::int64_t device = device_allocation_count();
  const std::int64_t pinned = pinned_allocation_count();
  const DeviceBuffer<int> a(1);
  const DeviceBuffer<int> b(1);
  const PinnedBuffer<int> c(1);
  EXPECT_EQ(device_allocation_count(), device + 2);
  EXPECT_EQ(pinned_allocation_count(), pinned + 1);
}

TEST(Buffer, TooLargeAnAllocationIsAnErrorOnce) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  EXPECT_ERROR(DeviceBuffer<char>(std::int64_t{1} << 50), CudaError, "out of memory");
  EXPECT_NO_THROW(DeviceBuffer<char>(16));
}

TEST(Copy, RoundTripKeepsTheGuards) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  for (const int count : {0, 1, 31, 32, 33, 997, 100003}) {
    SCOPED_TRACE(count);
    test::GuardedDevice<int> first(count, stream);
    test::GuardedDevice<int> second(count, stream);
    test::GuardedHost<int> back(count);
    std::vector<int> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 1);
    copy_to_device(values, first.span(), stream);
    copy_on_device(first.span(), second.span(), stream);
    copy_to_host(second.span(), back.span(), stream);
    stream.synchronize();
    EXPECT_TRUE(std::equal(values.begin(), values.end(), back.span().begin()));
    EXPECT_EQ(second.to_host(), values);
    EXPECT_TRUE(first.intact());
    EXPECT_TRUE(second.intact());
    EXPECT_TRUE(back.intact());
  }
}

TEST(Copy, FillsBytes) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  test::GuardedDevice<std::uint16_t> buffer(33, stream);
  fill_bytes(buffer.span().subspan(1, 31), 0x7e, stream);
  std::vector<std::uint16_t> expected(33, 0x7e7e);
  expected.front() = expected.back() = 0xcdcd;
  EXPECT_EQ(buffer.to_host(), expected);
  EXPECT_TRUE(buffer.intact());
}

TEST(Copy, GuardsNoticeAWriteOutside) {
  test::GuardedHost<char> host(3);
  EXPECT_TRUE(host.intact());
  host.span().data()[3] = 0;
  EXPECT_FALSE(host.intact());
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  test::GuardedDevice<char> device(3, stream);
  EXPECT_TRUE(device.intact());
  fill_bytes(DeviceSpan<char>(device.span().data() - 1, 1), 0, stream);
  EXPECT_FALSE(device.intact());
}

TEST(Copy, RejectsSizesThatDiffer) {
  int memory[4];  // never dereferenced
  const StreamRef stream(static_cast<CUstream_st*>(nullptr));
  const std::vector<int> three(3);
  std::vector<int> two(2);
  const DeviceSpan<int> four(memory, 4);
  EXPECT_ERROR(copy_to_device(three, four, stream), InvalidArgument, "cannot copy 12 bytes into 16");
  EXPECT_ERROR(copy_to_host(four, two, stream), InvalidArgument, "cannot copy 16 bytes into 8");
  EXPECT_ERROR(copy_on_device(four, four.first(1), stream), InvalidArgument, "cannot copy 16 bytes into 4");
  EXPECT_ERROR(fill_bytes(four, 256, stream), InvalidArgument, "cannot fill with 256");
}

}  // namespace
}  // namespace triptych
