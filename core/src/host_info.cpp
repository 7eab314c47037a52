#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

#include "host_info.hpp"

namespace triptych {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto begin = line.find_first_not_of(" \t", line.find(':') + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return "unknown processor";
}

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

DeviceProperties host_properties() {
  DeviceProperties properties;
  properties.name = processor_name();
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
