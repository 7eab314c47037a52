#include <triptych/core/parallel.hpp>
#include <triptych/core/simd/dispatch.hpp>
#include <triptych/core/simd/pack.hpp>

#include <atomic>
#include <map>
#include <utility>

#include "limits.hpp"

namespace triptych::bench {

namespace {

typedef std::uint64_t Wide __attribute__((vector_size(16)));

// Reads a part of the array in 16-byte words, one cache line of each stream at a time.
template <int streams>
std::uint64_t read_share(const std::uint64_t* data, std::int64_t count, std::int64_t prefetch_bytes) {
  Wide seen[4] = {};
  const auto* line = reinterpret_cast<const Wide*>(data);
  const std::int64_t part = count / 2 / streams;
  for (std::int64_t i = 0; i < part; i += 4) {
    for (int s = 0; s < streams; ++s) {
      const Wide* const at = line + s * part + i;
      __builtin_prefetch(reinterpret_cast<const char*>(at) + prefetch_bytes);
      for (int k = 0; k < 4; ++k) seen[k] |= at[k];
    }
  }
  const Wide all = (seen[0] | seen[1]) | (seen[2] | seen[3]);
  return all[0] | all[1];
}

struct FmaChains {
  float value = 0;  // so that the compiler keeps the chains
  double operations = 0;
};

#define TRIPTYCH_SIMD_SOURCE "support/multiply_add_chains.inl"
#include <triptych/core/simd/for_each_set.hpp>

}  // namespace

void read_memory(std::span<const std::byte> memory, int threads, ReadPattern pattern) {
  const auto* data = reinterpret_cast<const std::uint64_t*>(memory.data());
  constexpr std::int64_t grain = 4 * 8;  // words: a line of each stream
  const std::int64_t share = static_cast<std::int64_t>(memory.size()) / 8 / threads / grain * grain;
  const auto read = pattern.streams == 1   ? read_share<1>
                    : pattern.streams == 2 ? read_share<2>
                                           : read_share<4>;
  static std::atomic<std::uint64_t> sink = 0;
  parallel_for(0, threads, threads, [&](std::int64_t t) {
    if (read(data + t * share, share, pattern.prefetch_bytes) == 1) sink = 1;
  });
}

const CpuLimit& cpu_read_limit(std::span<const std::byte> memory, int threads) {
  static std::map<std::pair<int, std::size_t>, CpuLimit> known;
  const auto found = known.find({threads, memory.size()});
  if (found != known.end()) return found->second;
  CpuLimit best{{{1e300, 0, 0}, static_cast<double>(memory.size())}, {}};
  for (const int streams : {1, 2, 4}) {
    for (const std::int64_t prefetch_bytes : {0, 1024, 2048, 4096, 8192}) {
      const ReadPattern pattern{streams, prefetch_bytes};
      const Timing timing = time_on_host(3, [&](int) { read_memory(memory, threads, pattern); });
      if (timing.us < best.timing.us) best.timing = timing, best.pattern = pattern;
    }
  }
  const Timing again = time_on_host(9, [&](int) { read_memory(memory, threads, best.pattern); });
  if (again.us < best.timing.us) best.timing = again;
  return known[{threads, memory.size()}] = best;
}

const Limit& cpu_fma_limit(int threads) {
  static std::map<int, Limit> known;
  const auto found = known.find(threads);
  if (found != known.end()) return found->second;
  constexpr std::int64_t rounds = 1 << 18;
  const CpuPath path = pick_cpu_path(CpuPath::simd, simd::available_paths());
  const auto multiply_add = TRIPTYCH_SIMD_CHOOSE(path, multiply_add_chains);
  std::atomic<double> operations = 0;
  static std::atomic<float> sink = 0;
  const Timing timing = time_on_host(50, [&](int) {
    parallel_for(0, threads, threads, [&](std::int64_t) {
      const FmaChains chains = multiply_add(rounds);
      sink = chains.value;
      operations = chains.operations;
    });
  });
  // the fastest runs: a limit must not fall because something else used a core
  return known[threads] = {{timing.low_us, timing.low_us, timing.high_us}, 0, operations * threads};
}

}  // namespace triptych::bench
