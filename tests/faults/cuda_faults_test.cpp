// The CUDA calls of an object's life fail, one at a time: only triptych::Error comes out, nothing leaks, and
// what is used afterwards gives the same bits. All of them, or, of an object with very many, those of each
// place in the code the first two times, the last time, and some of the times between. And what the objects
// call: never the default stream, never what waits for other objects, never the caller's current GPU.
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <typeinfo>
#include <vector>

#include "faults/cuda_faults.hpp"
#include "faults/cuda_objects.hpp"
#include "testing/gpu.hpp"

namespace triptych::test {

namespace {

// Three, for the rest of the program: CUB asks only once how many there are.
void simulate_gpus() { static const SimulatedGpus gpus(3); }

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

// So many calls of an object fail at most, unless there are more places that call.
constexpr std::size_t max_faults = 300;

// Made, stepped, with frames in flight, destroyed.
[[gnu::noinline]] Values live(const CudaObjectKind& kind, const Device& device) {
  const CudaObject object = kind.make(device);
  Values values;
  const int steps = kind.frames - 3;
  for (int i = 0; i < steps; ++i) append(values, object.step(i));
  for (int i = steps; i < kind.frames; i += 2) {
    object.submit(i);
    if (i + 1 < kind.frames) object.submit(i + 1);
    append(values, object.next());
    if (i + 1 < kind.frames) append(values, object.next());
  }
  return values;
}

std::string words_of(const CudaCall& call) {
  return call.name + ", time " + std::to_string(call.occurrence) + " on its way";
}

// How many faults came about. Polls may not: how many there are depends on how busy the GPU is.
class Injected {
 public:
  void add(const CudaCall& call, const CudaFault& fault) {
    if (!fault.failed().empty()) ++count_;
    if (!call.poll) ++wanted_;
    if (!call.poll && !fault.failed().empty()) ++came_;
  }
  void check(const CudaObjectKind& kind, const std::vector<CudaCall>& calls) const {
    std::set<std::uint64_t> ways;
    for (const CudaCall& call : calls) ways.insert(call.way);
    std::printf("%s: %d of %zu calls failed, which come on %zu ways\n", kind.name.c_str(), count_,
                calls.size(), ways.size());
    EXPECT_GE(came_, wanted_ * 9 / 10);
    testing::Test::RecordProperty("faults_injected", count_);
  }

 private:
  int count_ = 0, wanted_ = 0, came_ = 0;
};

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
  std::vector<CudaCall> calls;
  {
    const RecordedCudaCalls recorded;
    EXPECT_EQ(live(kind(), device), expected);
    calls = recorded.calls();
  }
  ASSERT_GT(calls.size(), 20u);
  std::map<std::string, int> silent;
  Injected injected;
  const std::vector<CudaCall> faults = representative(calls, max_faults);
  for (std::size_t k = 0; k < faults.size(); ++k) {
    const std::string what = words_of(faults[k]);
    {
      const CudaFault fault(faults[k]);
      try {
        EXPECT_EQ(live(kind(), device), expected) << what;
        if (!fault.failed().empty()) ++silent[fault.failed()];
      } catch (const Error&) {
      } catch (const std::exception& error) {
        ADD_FAILURE() << what << ": " << typeid(error).name() << ": " << error.what();
      }
      injected.add(faults[k], fault);
    }
    ASSERT_EQ(live_cuda_objects(), before) << "a leak after " << what;
    if (k % 4 == 3 || k + 1 == faults.size()) {
      ASSERT_EQ(live(kind(), device), expected) << "after " << what;
    }
  }
  EXPECT_EQ(live_cuda_objects(), before);
  for (const auto& [name, count] : silent)
    std::printf("%s: %d failures of %s changed nothing\n", kind().name.c_str(), count, name.c_str());
  injected.check(kind(), calls);
}

// A call that failed is made again, on the same object.
[[gnu::noinline]] Values frames_of(const CudaObjectKind& kind, const CudaObject& object, int& refused) {
  Values values;
  for (int i = 0; i < kind.frames; ++i) {
    try {
      append(values, object.step(i));
    } catch (const Error&) {
      ++refused;
      append(values, object.step(i));
    }
  }
  return values;
}

void fail_the_calls_of_the_frames(const CudaObjectKind& kind) {
  const Device device = Device::cuda(0);
  int refused = 0, dead = 0;
  const Values expected = frames_of(kind, kind.make(device), refused);
  const CudaObject clean = kind.make(device);
  std::vector<CudaCall> calls;
  {
    const RecordedCudaCalls recorded;
    EXPECT_EQ(frames_of(kind, clean, refused), expected);
    calls = recorded.calls();
  }
  EXPECT_EQ(refused, 0);
  Injected injected;
  for (const CudaCall& call : representative(calls, max_faults)) {
    const std::string what = words_of(call) + " of the frames";
    const CudaObject object = kind.make(device);
    const CudaFault fault(call);
    try {
      EXPECT_EQ(frames_of(kind, object, refused), expected) << what;
      injected.add(call, fault);
    } catch (const InvalidArgument& error) {  // it says what to do first
      injected.add(call, fault);
      ++dead;
      ASSERT_TRUE(object.restart) << error.what();
      EXPECT_NE(std::string(error.what()).find("call start()"), std::string::npos) << error.what();
      object.restart();
      EXPECT_EQ(frames_of(kind, object, refused), expected) << "restarted after " << what;
    }
  }
  EXPECT_TRUE(dead == 0 || clean.restart);
  EXPECT_GT(refused, 0);
  injected.check(kind, calls);
}

TEST_P(CudaFaults, OfAFrameLeaveTheObjectAsItWas) { fail_the_calls_of_the_frames(kind()); }
TEST_P(CudaFaults, OfAFrameOnABusyGpuLeaveTheObjectAsItWas) {
  const LateKernels late;
  fail_the_calls_of_the_frames(kind());
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
