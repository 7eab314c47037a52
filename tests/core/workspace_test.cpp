#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/workspace.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych {
namespace {

static_assert(!std::is_copy_constructible_v<Workspace> && std::is_nothrow_move_constructible_v<Workspace>);

std::vector<std::uint32_t> tickets(Workspace& workspace, StreamRef stream) {
  std::vector<std::uint32_t> words(Workspace::ticket_count, 1);
  copy_to_host(DeviceSpan<std::uint32_t>(workspace.tickets(), Workspace::ticket_count), words, stream);
  stream.synchronize();
  return words;
}

const std::vector<std::uint32_t> zeros(Workspace::ticket_count, 0);

TEST(Workspace, StartsEmpty) {
  Workspace workspace;
  EXPECT_EQ(workspace.bytes(), 0u);
  EXPECT_EQ(workspace.scratch(), nullptr);
  EXPECT_EQ(workspace.tickets(), nullptr);
}

TEST(Workspace, HasZeroTicketsAfterTheFirstReserve) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  DeviceBuffer<char> dirt(1 << 20);  // memory that the allocator may reuse
  fill_bytes(dirt.span(), 0xff, stream);
  stream.synchronize();
  dirt = {};
  Workspace workspace;
  workspace.reserve(0, stream);
  EXPECT_NE(workspace.tickets(), nullptr);
  EXPECT_EQ(workspace.bytes(), 0u);
  EXPECT_EQ(tickets(workspace, stream), zeros);
}

TEST(Workspace, GrowsAndNeverShrinks) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  Workspace workspace;
  workspace.reserve(1000, stream);
  const std::int64_t allocations = device_allocation_count();
  const std::byte* const scratch = workspace.scratch();
  workspace.reserve(1000, stream);
  workspace.reserve(1, stream);
  EXPECT_EQ(device_allocation_count(), allocations);
  EXPECT_EQ(workspace.scratch(), scratch);
  EXPECT_GE(workspace.bytes(), 1000u);
  workspace.reserve(100001, stream);
  EXPECT_EQ(device_allocation_count(), allocations + 1);
  EXPECT_GE(workspace.bytes(), 100001u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(workspace.scratch()) % 256, 0u);
  fill_bytes(DeviceSpan<std::byte>(workspace.scratch(), 100001), 0xff, stream);
  EXPECT_EQ(tickets(workspace, stream), zeros) << "the scratch area overlaps the tickets";
}

TEST(Workspace, IsUnchangedWhenItCannotGrow) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  Workspace workspace;
  workspace.reserve(100, stream);
  std::byte* const scratch = workspace.scratch();
  EXPECT_THROW(workspace.reserve(std::size_t{1} << 50, stream), CudaError);
  EXPECT_ERROR(workspace.reserve(SIZE_MAX, stream), InvalidArgument, "cannot reserve");
  EXPECT_EQ(workspace.scratch(), scratch);
  EXPECT_EQ(tickets(workspace, stream), zeros);
}

// A captured graph keeps the addresses of its capture.
TEST(Workspace, AGraphIsValidAfterTheWorkspaceHasGrown) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  constexpr std::int64_t size = 1000;
  Workspace workspace;
  workspace.reserve(size, stream);
  DeviceBuffer<std::byte> result(size);
  const Graph graph = Graph::capture(stream, [&] {
    const DeviceSpan<std::byte> scratch(workspace.scratch(), size);
    fill_bytes(scratch, 7, stream);
    copy_on_device(scratch, result.span(), stream);
  });
  const std::byte* const captured = workspace.scratch();
  workspace.reserve(4 * Workspace::ticket_count * sizeof(std::uint32_t), stream);
  EXPECT_NE(workspace.scratch(), captured);
  // Had the old memory been freed, one of these buffers, which are as large, would take its place.
  constexpr std::int64_t replaced = Workspace::ticket_count * std::int64_t{sizeof(std::uint32_t)} + size;
  std::vector<DeviceBuffer<std::byte>> others;
  for (int i = 0; i < 64; ++i) {
    others.emplace_back(replaced);
    fill_bytes(others.back().span(), 0, stream);
  }
  graph.launch(stream);
  std::vector<std::byte> bytes(size);
  copy_to_host(result.span(), bytes, stream);
  std::vector<std::byte> other(replaced);
  for (const auto& buffer : others) {
    copy_to_host(buffer.span(), other, stream);
    stream.synchronize();
    ASSERT_EQ(other, std::vector<std::byte>(other.size())) << "the graph has written into another buffer";
  }
  EXPECT_EQ(bytes, std::vector<std::byte>(size, std::byte{7}));
}

// A size that rises a little every frame: the memory that is kept stays below the current size.
TEST(Workspace, GrowsByDoubling) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  Workspace workspace;
  const std::int64_t allocations = device_allocation_count();
  for (std::size_t bytes = 0; bytes < (1 << 22); bytes += 1000) workspace.reserve(bytes, stream);
  EXPECT_LE(device_allocation_count() - allocations, 6);
  EXPECT_LE(workspace.bytes(), std::size_t{1} << 23);
}

TEST(Workspace, DoesNotGrowUnderCapture) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  Workspace workspace;
  workspace.reserve(100, stream);
  EXPECT_NO_THROW(Graph::capture(stream, [&] { workspace.reserve(100, stream); }));
  EXPECT_ERROR(Graph::capture(stream, [&] { workspace.reserve(101, stream); }), InvalidArgument,
               "is capturing: reserve 101 bytes before the capture");
  EXPECT_FALSE(stream.is_capturing());
  EXPECT_NO_THROW(workspace.reserve(101, stream));
}

TEST(Workspace, Moves) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Stream stream;
  Workspace first;
  first.reserve(100, stream);
  const std::byte* const scratch = first.scratch();
  Workspace second = std::move(first);
  EXPECT_EQ(second.scratch(), scratch);
  EXPECT_EQ(first.scratch(), nullptr);  // NOLINT(bugprone-use-after-move): what it leaves is the contract
  EXPECT_EQ(first.bytes(), 0u);
}

}  // namespace
}  // namespace triptych
