#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "host_info.hpp"
#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych {
namespace {

TEST(Device, CpuKnowsItself) {
  const Device cpu = Device::cpu();
  EXPECT_EQ(cpu.kind(), DeviceKind::cpu);
  EXPECT_FALSE(cpu.is_cuda());
  EXPECT_EQ(cpu.ordinal(), -1);
  EXPECT_EQ(cpu.threads(), default_threads());
  EXPECT_FALSE(cpu.properties().name.empty());
  EXPECT_GE(cpu.properties().multiprocessors, 1);
  EXPECT_GT(cpu.properties().memory_bytes, std::size_t{1} << 20);
  EXPECT_NO_THROW(cpu.activate());
}

TEST(Device, NamesTheProcessor) {
  const auto name = [](const char* text) {
    std::istringstream cpuinfo(text);
    return processor_name(cpuinfo);
  };
  EXPECT_EQ(name("processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor\n"), "Intel(R) Xeon(R) Processor");
  EXPECT_EQ(name("processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n"),
            "Neoverse-V1");
  EXPECT_EQ(name("CPU implementer\t: 0x41\nCPU part\t: 0xfff\n"), "Arm processor, part 0xfff");
  EXPECT_EQ(name("CPU implementer\t: 0x61\nCPU part\t: 0xd40\n"),
            "unknown processor");  // another maker's part
  EXPECT_EQ(name("model name\t:\nCPU part\n"), "unknown processor");
  EXPECT_EQ(name(""), "unknown processor");
}

TEST(Device, CpuTakesAThreadCount) {
  EXPECT_EQ(Device::cpu(3).threads(), 3);
  EXPECT_ERROR(Device::cpu(-1), InvalidArgument, "cannot run -1 threads");
}

TEST(Device, DescribesItselfInALine) {
  const std::string line = Device::cpu(3).describe();
  EXPECT_EQ(line.rfind("CPU: ", 0), 0u) << line;
  EXPECT_NE(line.find(", 3 of "), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
}

TEST(Device, KnowsHowItWasBuilt) {
  EXPECT_EQ(built_with_cuda(), TRIPTYCH_HAS_CUDA == 1);
  EXPECT_EQ(cuda_unavailable_reason().empty(), cuda_device_count() > 0);
}

TEST(Device, BestIsTheGpuWhenThereIsOne) { EXPECT_EQ(Device::best().is_cuda(), cuda_device_count() > 0); }

TEST(Device, RejectsGpusThatAreNotThere) {
  EXPECT_ERROR(Device::cuda(-1), InvalidArgument, "there is no GPU -1");
  EXPECT_THROW(Device::cuda(cuda_device_count()), Unavailable);
}

TEST(Device, RejectsAnEmptyGroup) {
  EXPECT_ERROR(Device::cuda(std::vector<int>{}), InvalidArgument, "at least one");
}

TEST(Device, ParsesTheFormsOfCommandLines) {
  EXPECT_EQ(Device::parse("cpu").kind(), DeviceKind::cpu);
  EXPECT_EQ(Device::parse("best").kind(), Device::best().kind());
  for (const char* text :
       {"", "gpu", "cpu2", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:0,", "cuda:,1"}) {
    EXPECT_ERROR(Device::parse(text), InvalidArgument, "cuda:0,1, joint or best");
  }
  for (const char* text : {"cuda", "cuda:0", "cuda:0,0", "joint"}) {
    if (cuda_device_count() == 0) EXPECT_ERROR(Device::parse(text), Unavailable, cuda_unavailable_reason());
  }
}

TEST(Device, AGroupAndAJointDeviceKnowTheirParts) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Device group = Device::parse("cuda:0,0");
  EXPECT_EQ(group.kind(), DeviceKind::cuda_group);
  EXPECT_EQ(group.ordinals().size(), 2u);
  EXPECT_EQ(Device::cuda(std::vector<int>{0}).kind(), DeviceKind::cuda);
  const Device joint = Device::joint(0, 3);
  EXPECT_EQ(joint.kind(), DeviceKind::joint);
  EXPECT_EQ(joint.threads(), 3);
  EXPECT_EQ(joint.ordinal(), 0);
  EXPECT_NE(joint.describe().find("with 3 CPU threads"), std::string::npos) << joint.describe();
}

TEST(Device, AnObjectNamesTheKindsItTakes) {
  const DeviceKind kinds[] = {DeviceKind::cuda, DeviceKind::joint};
  EXPECT_ERROR(require_kind(Device::cpu(), kinds, "an object"), InvalidArgument,
               "an object runs on a device of the kind cuda, joint, not cpu");
  const DeviceKind cpu[] = {DeviceKind::cpu};
  EXPECT_NO_THROW(require_kind(Device::cpu(), cpu, "an object"));
}

TEST(Device, WithoutAGpuSaysWhy) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_ERROR(Device::cuda(), Unavailable, cuda_unavailable_reason());
  const std::string expected = built_with_cuda() ? "no usable CUDA GPU: " : "has no CUDA";
  EXPECT_NE(cuda_unavailable_reason().find(expected), std::string::npos) << cuda_unavailable_reason();
  EXPECT_NE(cuda_unavailable_reason().find("Device::cpu()"), std::string::npos) << cuda_unavailable_reason();
}

TEST(Device, CudaKnowsItself) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Device gpu = Device::cuda();
  EXPECT_TRUE(gpu.is_cuda());
  EXPECT_EQ(gpu.ordinal(), 0);
  EXPECT_GE(gpu.threads(), 1);
  const DeviceProperties& properties = gpu.properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_GE(properties.compute_capability_major, 7);
  EXPECT_GE(properties.multiprocessors, 1);
  EXPECT_GE(properties.max_threads_per_multiprocessor, 1024);
  EXPECT_GE(properties.shared_memory_per_block_optin, std::size_t{48} << 10);
  EXPECT_GT(properties.l2_bytes, 0u);
  EXPECT_GT(properties.memory_bytes, std::size_t{1} << 30);
  EXPECT_GE(properties.driver_version, properties.runtime_version / 1000 * 1000);
  EXPECT_NE(gpu.describe().find(properties.name), std::string::npos);
  EXPECT_NO_THROW(gpu.activate());
}

}  // namespace
}  // namespace triptych
