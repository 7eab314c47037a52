#include <triptych/core/span.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <type_traits>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

static_assert(std::is_convertible_v<DeviceSpan<int>, DeviceSpan<const int>>);
static_assert(!std::is_convertible_v<DeviceSpan<const int>, DeviceSpan<int>>);
static_assert(!std::is_constructible_v<DeviceSpan<const float>, DeviceSpan<int>>);
static_assert(!std::is_convertible_v<DeviceSpan<int>, std::span<int>>);
static_assert(!std::is_convertible_v<std::span<int>, DeviceSpan<int>>);
static_assert(std::is_trivially_copyable_v<DeviceSpan<int>>, "kernels take it by value");

// These tests use only addresses, so that host memory can represent device memory.
TEST(DeviceSpan, KnowsItsSize) {
  double memory[7];
  const DeviceSpan<double> span(memory, 7);
  EXPECT_EQ(span.data(), memory);
  EXPECT_EQ(span.size(), 7);
  EXPECT_EQ(span.size_bytes(), 56u);
  EXPECT_FALSE(span.empty());
  const DeviceSpan<const double> constant = span;
  EXPECT_EQ(constant.data(), memory);
  EXPECT_EQ(constant.size(), 7);
}

TEST(DeviceSpan, DefaultIsEmpty) {
  const DeviceSpan<int> span;
  EXPECT_TRUE(span.empty());
  EXPECT_EQ(span.data(), nullptr);
  EXPECT_EQ(span.first(0).size(), 0);
}

TEST(DeviceSpan, CutsOutAPart) {
  int memory[7];
  const DeviceSpan<int> span(memory, 7);
  EXPECT_EQ(span.subspan(2, 3).data(), memory + 2);
  EXPECT_EQ(span.subspan(2, 3).size(), 3);
  EXPECT_EQ(span.subspan(7, 0).size(), 0);
  EXPECT_EQ(span.first(7).size(), 7);
}

TEST(DeviceSpan, RejectsWhatCannotBe) {
  int memory[7];
  EXPECT_ERROR(DeviceSpan<int>(memory, -1), InvalidArgument, "cannot have -1 elements");
  EXPECT_ERROR(DeviceSpan<int>(nullptr, 3), InvalidArgument, "3 elements has no data");
  const DeviceSpan<int> span(memory, 7);
  EXPECT_ERROR(span.subspan(5, 3), InvalidArgument, "[5, 5 + 3) lie outside a device span of 7 elements");
  EXPECT_ERROR(span.subspan(-1, 1), InvalidArgument, "outside");
  EXPECT_ERROR(span.subspan(1, -1), InvalidArgument, "outside");
  EXPECT_ERROR(span.subspan(8, 0), InvalidArgument, "outside");
  EXPECT_ERROR(span.subspan(1, INT64_MAX), InvalidArgument, "outside");
  EXPECT_ERROR(span.first(8), InvalidArgument, "outside");
}

TEST(DeviceSpan, RejectsASizeThatOverflows) {
  double memory[1];
  EXPECT_ERROR(DeviceSpan<double>(memory, INT64_MAX / 8 + 1), InvalidArgument,
               "larger than the address space");
}

}  // namespace
}  // namespace triptych
