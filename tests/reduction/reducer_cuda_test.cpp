// A Reducer and device memory that another stream is still writing.
#include <triptych/reduction/reducer.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "testing/cuda_fixture.hpp"
#include "testing/late_writer.hpp"

namespace triptych::reduction {
namespace {

using test::LateWriter;

class ReducerOfDeviceMemory : public test::CudaFixture {
 protected:
  // All values are `value`, but for a larger one at `value`.
  DeviceBuffer<std::int32_t> values_of(std::int32_t value, std::int64_t size) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(size), value);
    values[static_cast<std::size_t>(value)] += 5;
    return upload(values);
  }
};

// Sizes of one block and of many: the kernels of both may overlap with the one before them in the stream.
TEST_F(ReducerOfDeviceMemory, WaitsForValuesThatAreStillBeingWritten) {
  using Span = DeviceSpan<const std::int32_t>;
  for (const std::int64_t size : {std::int64_t{100}, std::int64_t{5000}, std::int64_t{3'000'000}}) {
    const DeviceBuffer<std::int32_t> values[] = {values_of(3, size), values_of(7, size)};
    DeviceBuffer<std::int32_t> tensor = values_of(7, size);
    Reducer reducer(Device::cuda());
    LateWriter late;
    for (int k = 0; k < 100; ++k) {
      SCOPED_TRACE(testing::Message() << size << " values, call " << k);
      const std::int32_t value = k % 2 == 0 ? 3 : 7;
      reducer.wait(late.write(values[k % 2], tensor));
      late.count_pending();
      switch (k / 2 % 4) {
        case 0:
          EXPECT_EQ((reducer.sum<std::int64_t, std::int32_t>(Span(tensor.span()))), value * size + 5);
          break;
        case 1:
          EXPECT_EQ(reducer.max<std::int32_t>(Span(tensor.span())), value + 5);
          break;
        case 2:
          EXPECT_EQ(reducer.argmax<std::int32_t>(Span(tensor.span())).index, value);
          break;
        default:
          EXPECT_EQ((reducer.dot<std::int64_t, std::int32_t>(Span(tensor.span()), Span(tensor.span()))),
                    value * value * (size - 1) + (value + 5) * (value + 5));
      }
    }
    EXPECT_GT(late.pending(), 50);
  }
}

TEST_F(ReducerOfDeviceMemory, TheHostWaitsWhereNoStreamCan) {
  Reducer cpu(Device::cpu(1));
  const DeviceBuffer<std::int32_t> values = values_of(3, 1000);
  DeviceBuffer<std::int32_t> tensor = values_of(7, 1000);
  LateWriter late;
  const Event& written = late.write(values, tensor);
  cpu.wait(written);
  EXPECT_TRUE(written.query());
}

}  // namespace
}  // namespace triptych::reduction
