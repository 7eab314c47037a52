#include "limits.hpp"

#include <triptych/core/parallel.hpp>

#include <atomic>
#include <map>

namespace triptych::bench {

namespace {

typedef std::uint64_t Wide __attribute__((vector_size(16)));

// Looks at every byte of a share of the array in 16-byte words, a cache line at a time, asking for lines
// `ahead` bytes before they come.
std::uint64_t read_share(const std::uint64_t* data, std::int64_t count, std::int64_t ahead) {
  Wide seen[4] = {};
  const auto* line = reinterpret_cast<const Wide*>(data);
  for (std::int64_t i = 0; i < count / 2; i += 4) {
    __builtin_prefetch(reinterpret_cast<const char*>(line + i) + ahead);
    for (int k = 0; k < 4; ++k) seen[k] |= line[i + k];
  }
  const Wide all = (seen[0] | seen[1]) | (seen[2] | seen[3]);
  return all[0] | all[1];
}

}  // namespace

void read_memory(std::span<const std::byte> memory, int threads, std::int64_t ahead) {
  const auto* data = reinterpret_cast<const std::uint64_t*>(memory.data());
  const std::int64_t share = static_cast<std::int64_t>(memory.size()) / 8 / threads / 8 * 8;
  static std::atomic<std::uint64_t> sink = 0;
  parallel_for(0, threads, threads, [&](std::int64_t t) {
    if (read_share(data + t * share, share, ahead) == 1) sink = 1;
  });
}

const CpuLimit& cpu_read_limit(std::span<const std::byte> memory, int threads) {
  static std::map<int, CpuLimit> known;
  const auto found = known.find(threads);
  if (found != known.end()) return found->second;
  CpuLimit best{{{1e300, 0, 0}, static_cast<double>(memory.size())}, 0};
  for (const std::int64_t ahead : {0, 1024, 2048, 4096, 8192}) {
    const Timing timing = time_on_host(7, [&](int) { read_memory(memory, threads, ahead); });
    if (timing.us < best.timing.us) best.timing = timing, best.ahead = ahead;
  }
  return known[threads] = best;
}

}  // namespace triptych::bench
