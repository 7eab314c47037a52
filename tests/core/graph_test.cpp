#include <triptych/core/buffer.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych {
namespace {

static_assert(!std::is_copy_constructible_v<Graph> && std::is_nothrow_move_constructible_v<Graph>);

TEST(Graph, WithoutCudaSaysWhy) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "this machine has a GPU";
  const StreamRef stream(static_cast<CUstream_st*>(nullptr));
  EXPECT_ERROR(Graph::capture(stream, [] { FAIL() << "nothing is captured"; }), Unavailable,
               cuda_unavailable_reason());
}

class GraphTest : public testing::Test {
 protected:
  void SetUp() override {
    TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
    stream_.emplace();
    buffer_ = DeviceBuffer<unsigned char>(100);
    fill(1);
  }

  void fill(int byte) { fill_bytes(buffer_.span(), byte, *stream_); }
  std::vector<unsigned char> contents() {
    std::vector<unsigned char> bytes(100);
    copy_to_host(buffer_.span(), bytes, *stream_);
    stream_->synchronize();
    return bytes;
  }
  static std::vector<unsigned char> all(unsigned char byte) { return std::vector<unsigned char>(100, byte); }

  std::optional<Stream> stream_;
  DeviceBuffer<unsigned char> buffer_;
};

TEST_F(GraphTest, ExampleOfTheReadme) {
  Stream stream;
  DeviceBuffer<unsigned char> first(100);
  DeviceBuffer<unsigned char> second(100);
  const Graph graph = Graph::capture(stream, [&] {
    fill_bytes(first.span(), 7, stream);
    copy_on_device(first.span(), second.span(), stream);
  });
  graph.launch(stream);
  std::vector<unsigned char> bytes(100);
  copy_to_host(second.span(), bytes, stream);
  stream.synchronize();
  EXPECT_EQ(bytes, all(7));
}

TEST_F(GraphTest, RunsWhenLaunchedAndNotBefore) {
  DeviceBuffer<unsigned char> other(100);
  Graph graph = Graph::capture(*stream_, [&] {
    EXPECT_TRUE(stream_->is_capturing());
    fill_bytes(other.span(), 7, *stream_);
    copy_on_device(other.span(), buffer_.span(), *stream_);
  });
  EXPECT_EQ(graph.node_count(), 2u);
  EXPECT_FALSE(stream_->is_capturing());
  EXPECT_EQ(contents(), all(1));
  for (int repeat = 0; repeat < 3; ++repeat) {
    fill(1);
    graph.launch(*stream_);
    EXPECT_EQ(contents(), all(7));
  }
  const Graph moved = std::move(graph);
  fill(1);
  moved.launch(*stream_);
  EXPECT_EQ(contents(), all(7));
}

TEST_F(GraphTest, AnEmptyCaptureIsAnEmptyGraph) {
  const Graph graph = Graph::capture(*stream_, [] {});
  EXPECT_EQ(graph.node_count(), 0u);
  graph.launch(*stream_);
  EXPECT_EQ(contents(), all(1));
}

TEST_F(GraphTest, AnExceptionEndsTheCapture) {
  const auto enqueue = [&] {
    fill(9);
    throw std::out_of_range("in the middle");
  };
  EXPECT_ERROR(Graph::capture(*stream_, enqueue), std::out_of_range, "in the middle");
  EXPECT_FALSE(stream_->is_capturing());
  EXPECT_EQ(contents(), all(1));
  EXPECT_EQ(Graph::capture(*stream_, [&] { fill(2); }).node_count(), 1u);
}

TEST_F(GraphTest, WhatCannotBeCapturedIsAnError) {
  EXPECT_THROW(Graph::capture(*stream_, [&] { stream_->synchronize(); }), CudaError);
  EXPECT_FALSE(stream_->is_capturing());
  EXPECT_EQ(contents(), all(1));
  const auto swallow = [&] {  // an error that enqueue ignores still invalidates the graph
    try {
      stream_->synchronize();
    } catch (const CudaError&) {
    }
  };
  EXPECT_THROW(Graph::capture(*stream_, swallow), CudaError);
  EXPECT_FALSE(stream_->is_capturing());
  EXPECT_EQ(contents(), all(1));
}

}  // namespace
}  // namespace triptych
