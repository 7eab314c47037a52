#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "host_info.hpp"

namespace triptych {

namespace {

// The names of Arm's cores by part number; Linux gives the number alone.
struct ArmCore {
  std::string_view part, name;
};
constexpr ArmCore arm_cores[] = {
    {"0xd03", "Cortex-A53"},  {"0xd05", "Cortex-A55"},  {"0xd07", "Cortex-A57"},  {"0xd08", "Cortex-A72"},
    {"0xd0b", "Cortex-A76"},  {"0xd0c", "Neoverse-N1"}, {"0xd40", "Neoverse-V1"}, {"0xd42", "Cortex-A78AE"},
    {"0xd49", "Neoverse-N2"}, {"0xd4f", "Neoverse-V2"}};

int processors_allowed() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));  // too many for a cpu_set_t
}

// The quota of the control group in processors, rounded up; 0 when there is no quota.
int processor_quota() {
  double quota_us = 0;
  double period_us = 0;
  std::ifstream version2("/sys/fs/cgroup/cpu.max");  // "quota period", or "max period" without a limit
  if (!(version2 >> quota_us >> period_us)) {
    std::ifstream quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    if (!(quota >> quota_us && period >> period_us)) return 0;
  }
  if (!(quota_us > 0 && period_us > 0)) return 0;
  return static_cast<int>(std::min(std::ceil(quota_us / period_us), 1e6));
}

}  // namespace

std::string processor_name(std::istream& cpuinfo) {
  bool by_arm = false;
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto begin = line.find_first_not_of(" \t", line.find(':') + 1);
    if (line.find(':') == std::string::npos || begin == std::string::npos) continue;
    std::string value = line.substr(begin);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) by_arm = value == "0x41";
    if (!by_arm || !line.starts_with("CPU part")) continue;
    for (const ArmCore& core : arm_cores) {
      if (core.part == value) return std::string(core.name);
    }
    return "Arm processor, part " + value;
  }
  return "unknown processor";
}

DeviceProperties host_properties() {
  DeviceProperties properties;
  std::ifstream cpuinfo("/proc/cpuinfo");
  properties.name = processor_name(cpuinfo);
  properties.multiprocessors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    properties.memory_bytes = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
  }
  return properties;
}

int usable_processors() {
  const int allowed = processors_allowed();
  const int quota = processor_quota();
  return quota > 0 ? std::min(allowed, quota) : allowed;
}

}  // namespace triptych
