// A fixture for tests on the GPU: a stream, a workspace, uploads, and results between guard bytes. Skips as
// testing/gpu.hpp says.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "testing/gpu.hpp"
#include "testing/guarded.hpp"

namespace triptych::test {

class CudaFixture : public testing::Test {
 protected:
  void SetUp() override {
    TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
    stream_.emplace();
  }

  StreamRef stream() { return stream_->ref(); }

  template <class T>
  DeviceBuffer<T> upload(std::span<const T> values) {
    DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()));
    copy_to_device(values, buffer.span(), stream());
    stream().synchronize();
    return buffer;
  }
  template <class T>
  DeviceBuffer<T> upload(const std::vector<T>& values) {
    return upload(std::span<const T>(values));
  }

  // The one value that enqueue(result) leaves on the device; nothing around it may be touched.
  template <class R, class Enqueue>
  R result_of(Enqueue&& enqueue) {
    GuardedDevice<R> result(1, stream());
    enqueue(result.span().data());
    const R value = result.to_host()[0];
    EXPECT_TRUE(result.intact());
    return value;
  }

  std::optional<Stream> stream_;
  Workspace workspace_;
};

}  // namespace triptych::test
