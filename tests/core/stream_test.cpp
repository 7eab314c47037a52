#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/stream.hpp>

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych {
namespace {

static_assert(!std::is_constructible_v<StreamRef, int>);
static_assert(!std::is_constructible_v<StreamRef, std::nullptr_t>);
static_assert(!std::is_default_constructible_v<StreamRef>);
static_assert(!std::is_convertible_v<CUstream_st*, StreamRef>);
static_assert(std::is_convertible_v<const Stream&, StreamRef>);
static_assert(!std::is_copy_constructible_v<Stream> && std::is_nothrow_move_constructible_v<Stream>);
static_assert(!std::is_copy_constructible_v<Event> && std::is_nothrow_move_assignable_v<Event>);

TEST(Stream, WithoutAGpuSaysWhy) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_ERROR(Stream(), Unavailable, cuda_unavailable_reason());
  EXPECT_ERROR(Event(), Unavailable, cuda_unavailable_reason());
}

TEST(Stream, Moves) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  Stream first;
  CUstream_st* const raw = first.get();
  Stream second = std::move(first);
  EXPECT_EQ(second.get(), raw);
  EXPECT_EQ(first.get(), nullptr);  // NOLINT(bugprone-use-after-move): what it leaves is the contract
  Stream third;
  third = std::move(second);
  EXPECT_EQ(third.get(), raw);
  EXPECT_EQ(third.ref().get(), raw);
  EXPECT_FALSE(third.is_capturing());
  third.synchronize();
}

TEST(Stream, CallsTheHostInOrder) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  DeviceBuffer<int> on_device(1);
  PinnedBuffer<int> on_host(2);
  fill_bytes(on_device.span(), 0, stream);
  copy_to_host(DeviceSpan<const int>(on_device.span()), on_host.span().first(1), stream);
  stream.ref().call_on_host([](void* number) { *static_cast<int*>(number) += 7; }, on_host.data());
  copy_to_device(on_host.span().first(1), on_device.span(), stream);
  copy_to_host(DeviceSpan<const int>(on_device.span()), on_host.span().last(1), stream);
  stream.synchronize();
  EXPECT_EQ(on_host.span()[1], 7);
}

TEST(Event, IsReachedInOrder) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  const Stream other;
  Event begin;
  Event end;
  DeviceBuffer<char> buffer(std::int64_t{1} << 28);
  begin.record(stream);
  fill_bytes(buffer.span(), 1, stream);
  end.record(stream);
  other.wait(end);
  other.synchronize();
  EXPECT_TRUE(begin.query());
  EXPECT_TRUE(end.query());
  end.synchronize();
  EXPECT_GT(Event::elapsed_ms(begin, end), 0);
}

TEST(Event, WithoutTimingHasNoTime) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  Event begin(Timing::off);
  Event end(Timing::off);
  begin.record(stream);
  end.record(stream);
  end.synchronize();
  EXPECT_THROW(Event::elapsed_ms(begin, end), CudaError);
  EXPECT_NO_THROW(stream.synchronize());
}

}  // namespace
}  // namespace triptych
