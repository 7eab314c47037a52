// Every CUDA call of an object's life fails once: only triptych::Error comes out, nothing leaks, and what is
// used afterwards gives the same bits. And what the objects call: never the default stream, never what waits
// for other objects, never the caller's current GPU.
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <map>
#include <typeinfo>

#include "faults/cuda_faults.hpp"
#include "faults/cuda_objects.hpp"
#include "testing/gpu.hpp"

namespace triptych::test {

namespace {

// Three, for the rest of the program: CUB asks only once how many there are.
void simulate_gpus() { static const SimulatedGpus gpus(3); }

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

// Made, stepped, with frames in flight, destroyed.
Values live(const CudaObjectKind& kind, const Device& device) {
  const CudaObject object = kind.make(device);
  Values values;
  constexpr int steps = cuda_object_frames - 3;
  for (int i = 0; i < steps; ++i) append(values, object.step(i));
  for (int i = steps; i < cuda_object_frames; i += 2) {
    object.submit(i);
    if (i + 1 < cuda_object_frames) object.submit(i + 1);
    append(values, object.next());
    if (i + 1 < cuda_object_frames) append(values, object.next());
  }
  return values;
}

class CudaFaults : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    simulate_gpus();
    TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  }
  const CudaObjectKind& kind() const { return cuda_object_kinds()[GetParam()]; }
};

TEST_P(CudaFaults, OfALifeLeaveNothingBehind) {
  const Device device = Device::cuda(0);
  const Values expected = live(kind(), device);
  const std::int64_t before = live_cuda_objects();
  const CudaCalls first = cuda_calls();
  EXPECT_EQ(live(kind(), device), expected);
  const std::int64_t calls = cuda_calls().all - first.all;
  const std::int64_t polls = cuda_calls().polls - first.polls;
  ASSERT_GT(calls, 20);
  std::map<std::string, int> silent;
  int injected = 0;
  for (std::int64_t n = 1; n <= calls; ++n) {
    std::string failed;
    {
      const CudaFault fault(n);
      try {
        EXPECT_EQ(live(kind(), device), expected) << "call " << n << ", " << fault.failed();
        if (!fault.failed().empty()) ++silent[fault.failed()];
      } catch (const Error&) {
      } catch (const std::exception& error) {
        ADD_FAILURE() << "call " << n << ", " << fault.failed() << ": " << typeid(error).name() << ": "
                      << error.what();
      }
      failed = fault.failed();
    }
    injected += failed.empty() ? 0 : 1;
    ASSERT_EQ(live_cuda_objects(), before) << "a leak after call " << n << ", " << failed;
    if (n % 4 == 0 || n == calls) {
      ASSERT_EQ(live(kind(), device), expected) << "after call " << n << ", " << failed;
    }
  }
  EXPECT_EQ(live_cuda_objects(), before);
  EXPECT_GE(injected, (calls - polls) * 9 / 10);
  for (const auto& [name, count] : silent)
    std::printf("%s: %d failures of %s changed nothing\n", kind().name.c_str(), count, name.c_str());
  RecordProperty("faults_injected", injected);
}

// A call that failed is made again, on the same object.
void fail_each_call_of_the_frames(const CudaObjectKind& kind) {
  const Device device = Device::cuda(0);
  const auto frames = [&](const CudaObject& object, std::int64_t n, int& refused) {
    const CudaFault fault(n);
    Values values;
    for (int i = 0; i < cuda_object_frames; ++i) {
      try {
        append(values, object.step(i));
      } catch (const Error&) {
        ++refused;
        append(values, object.step(i));
      }
    }
    return values;
  };
  int refused = 0, dead = 0, injected = 0;
  const Values expected = frames(kind.make(device), 0, refused);
  const CudaObject clean = kind.make(device);
  const std::int64_t first = cuda_calls().all;
  EXPECT_EQ(frames(clean, 0, refused), expected);
  const std::int64_t calls = cuda_calls().all - first;
  EXPECT_EQ(refused, 0);
  for (std::int64_t n = 1; n <= calls; ++n) {
    const CudaObject object = kind.make(device);
    try {
      EXPECT_EQ(frames(object, n, refused), expected) << "call " << n << " of the frames";
      ++injected;
    } catch (const InvalidArgument& error) {  // it says what to do first
      ++dead;
      ++injected;
      ASSERT_TRUE(object.restart) << error.what();
      EXPECT_NE(std::string(error.what()).find("call start()"), std::string::npos) << error.what();
      object.restart();
      EXPECT_EQ(frames(object, 0, refused), expected) << "restarted after call " << n << " of the frames";
    }
  }
  EXPECT_TRUE(dead == 0 || clean.restart);
  EXPECT_GT(refused, 0);
  testing::Test::RecordProperty("faults_injected", injected);
}

TEST_P(CudaFaults, OfAFrameLeaveTheObjectAsItWas) { fail_each_call_of_the_frames(kind()); }
TEST_P(CudaFaults, OfAFrameOnABusyGpuLeaveTheObjectAsItWas) {
  const LateKernels late;
  fail_each_call_of_the_frames(kind());
}

class CudaCallsOf : public CudaFaults {};

TEST_P(CudaCallsOf, AnObjectUseItsOwnStreams) {
  const std::int64_t before = cuda_calls().on_default_stream;
  live(kind(), Device::cuda(0));
  EXPECT_EQ(cuda_calls().on_default_stream, before);
}

TEST_P(CudaCallsOf, ASteadyObjectNeitherAllocateNorWaitForOthers) {
  const CudaObject object = kind().make(Device::cuda(0));
  for (int i = 0; i < cuda_object_frames; ++i) object.step(i);
  const CudaCalls before = cuda_calls();
  for (int i = 1; i < cuda_object_frames; ++i) object.step(i);
  for (int i = 1; i + 1 < cuda_object_frames; ++i) {
    object.submit(i);
    object.submit(i + 1);
    object.next();
    object.next();
  }
  const CudaCalls after = cuda_calls();
  EXPECT_GT(after.all, before.all);
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.device_wide, before.device_wide);
}

TEST_P(CudaCallsOf, AnObjectKeepTheCallersGpu) {
  const Values expected = live(kind(), Device::cuda(0));
  for (const int own : {0, 2}) {
    const Device device = Device::cuda(own);
    const DeviceGuard caller(1);
    const CudaCalls before = cuda_calls();
    {
      const CudaObject object = kind().make(device);
      EXPECT_EQ(current_gpu(), 1) << "after the constructor";
      Values values;
      for (int i = 0; i < cuda_object_frames; ++i) append(values, object.step(i));
      EXPECT_EQ(current_gpu(), 1) << "after step()";
      object.submit(1);
      EXPECT_EQ(current_gpu(), 1) << "after submit()";
      object.next();
      EXPECT_EQ(current_gpu(), 1) << "after next()";
      EXPECT_THROW(object.refused(), InvalidArgument);
      EXPECT_EQ(current_gpu(), 1) << "after a refused call";
    }
    EXPECT_EQ(current_gpu(), 1) << "after the destructor";
    EXPECT_EQ(live(kind(), device), expected);
    const CudaCalls after = cuda_calls();
    EXPECT_EQ(after.on_gpu[1], before.on_gpu[1]) << "made or launched on the caller's GPU";
    EXPECT_GT(after.on_gpu[own], before.on_gpu[own]);
  }
}

TEST(CudaCallsOfTheJointVariant, GoToTheGpuThatWasCurrentWhenItWasMade) {
  simulate_gpus();
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const std::vector<Rgba8> pixels(64 * 48, Rgba8{200, 120, 100, 255});
  const auto make = [] {
    const DeviceGuard own(2);
    return skin_tracker::JointVariant(skin_tracker::generic_skin_filter, 64, 48, 1);
  };
  skin_tracker::JointVariant variant = make();
  const DeviceGuard caller(1);
  const CudaCalls before = cuda_calls();
  for (int i = 0; i < 4; ++i) variant.moments({pixels.data(), 64, 48});
  EXPECT_EQ(current_gpu(), 1);
  EXPECT_EQ(cuda_calls().on_gpu[1], before.on_gpu[1]) << "made or launched on the caller's GPU";
  EXPECT_GT(cuda_calls().on_gpu[2], before.on_gpu[2]);
}

std::string name_of(const testing::TestParamInfo<std::size_t>& info) {
  std::string name;
  for (const char c : cuda_object_kinds()[info.param].name)
    if (c != ' ') name += c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, CudaFaults, testing::Range(std::size_t{0}, cuda_object_kinds().size()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, CudaCallsOf, testing::Range(std::size_t{0}, cuda_object_kinds().size()),
                         name_of);

}  // namespace

}  // namespace triptych::test
