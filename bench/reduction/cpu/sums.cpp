// reduction_bench: all strategies on this CPU and GPU, compared with the limits of the machine and with
// libraries.
//
// Names are <operation>/<type>/<strategy>/<mode>/<size>. The modes: resident, the same input in every call,
// which may be in a cache; rotating, inputs that rotate through more memory than the caches hold; memory, the
// CPU, with the same input in every call. peer_cub is that of the toolkit, peer_cub_new that of
// TRIPTYCH_CCCL_DIR; the suffix _gpu_to_gpu promises the same bits on every GPU, _exact the correctly rounded
// sum, here also of numbers with any exponent.
#include <triptych/core/device.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/reduce.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "reduction/setup/checks.hpp"
#include "reduction/setup/gpu.hpp"
#include "support/limits.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using reduction::CpuOptions;
using reduction::CpuStrategy;

// Random numbers in [0, 1), shared by all sizes, with their sum in long double for every power of two.
template <class T>
struct CpuInput {
  std::size_t size;
  std::unique_ptr<T[]> values;  // first written by the threads in parallel
  std::vector<double> sum_of_power;

  static const CpuInput& instance(int largest_power) {
    static const CpuInput input(largest_power);
    return input;
  }

  // What the limits are measured on: far larger than the caches, and as much for every type.
  std::span<const std::byte> limit_bytes() const {
    const auto all = std::as_bytes(std::span<const T>(values.get(), size));
    return all.first(std::min(all.size(), std::size_t{1} << 29));
  }

  explicit CpuInput(int largest_power)
      : size(std::size_t{1} << largest_power), values(new T[std::size_t{1} << largest_power]) {
    parallel_for(0, static_cast<std::int64_t>(size) >> 16, 0, [&](std::int64_t chunk) {
      PhiloxStream random(1, static_cast<std::uint64_t>(chunk));
      for (std::int64_t i = chunk << 16; i < (chunk + 1) << 16; ++i)
        values[static_cast<std::size_t>(i)] = static_cast<T>(random.next() >> 8) / (1 << 24);
    });
    long double sum = 0;
    std::size_t next = 1;
    for (std::size_t i = 0; i < size; ++i) {
      sum += values[i];
      if (i + 1 == next) sum_of_power.push_back(static_cast<double>(sum)), next *= 2;
    }
  }
};

// Far larger than the caches.
int largest_cpu_power(bool quick) { return quick ? 26 : 28; }

// The bandwidth of a virtual machine varies with the load of its host. So above 128 MiB each sum alternates
// with a read of the same memory, which is its limit. Below, where the caches help, the limit is that of a
// large array.
template <class F>
Measurement measure_beside_reading(std::span<const std::byte> large, std::span<const std::byte> memory,
                                   int threads, F&& sum) {
  const CpuLimit& limit = cpu_read_limit(large, threads);
  const auto bytes = static_cast<double>(memory.size());
  if (memory.size() <= (std::size_t{1} << 27)) {
    const int calls = static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 18) / memory.size()));
    const Timing timing = time_on_host(25, [&](int) {
      for (int k = 0; k < calls; ++k) benchmark::DoNotOptimize(sum());
    });
    return {{timing.us / calls, timing.low_us / calls, timing.high_us / calls}, bytes, limit.bytes_per_us()};
  }
  std::vector<double> sum_us, read_us;
  const Stopwatch all;
  for (int r = 0; r < 9 && (r < 3 || all.elapsed_s() < 1); ++r) {
    const Stopwatch reading;
    read_memory(memory, threads, limit.pattern);
    read_us.push_back(reading.elapsed_us());
    const Stopwatch summing;
    benchmark::DoNotOptimize(sum());
    sum_us.push_back(summing.elapsed_us());
  }
  return {summarize(sum_us), bytes, bytes / summarize(read_us).us};
}

// The exact sum, which is at most one rounding from the reference.
template <class T>
void add_exact_cpu_sum(const char* type, int power, int largest, int threads) {
  const auto n = std::size_t{1} << power;
  add(std::string("sum_cpu/") + type + "/exact/memory/" + std::to_string(n), [=]() -> Measurement {
    const auto& input = CpuInput<T>::instance(largest);
    const std::span<const T> values(input.values.get(), n);
    const auto sum = [&] { return reduction::sum_exact_cpu<T>(values, threads).value(); };
    const double expected = input.sum_of_power[static_cast<std::size_t>(power)];
    check_close("exact sum", static_cast<double>(sum()), expected, 2 * rounding_error<T>());
    return measure_beside_reading(input.limit_bytes(), std::as_bytes(values), threads, sum);
  });
}

template <class T>
void define_cpu_sums(const char* type, bool quick) {
  const int largest = largest_cpu_power(quick);
  const int threads = default_threads();
  // the largest size and the fastest strategies first: close in time to the limits that they are compared
  // with
  auto strategies =
      std::vector(reduction::all_cpu_strategies().begin(), reduction::all_cpu_strategies().end());
  std::reverse(strategies.begin(), strategies.end());
  for (int power = largest; power >= 10; power -= quick ? 7 : 3) {
    add_exact_cpu_sum<T>(type, power, largest, threads);
    for (const CpuStrategy strategy : strategies) {
      if (strategy == CpuStrategy::thrust_omp && !built_with_cuda()) continue;  // Thrust comes with CUDA
      const auto n = std::size_t{1} << power;
      const std::string name = std::string("sum_cpu/") + type + "/" + std::string(to_string(strategy)) +
                               "/memory/" + std::to_string(n);
      add(name, [=]() -> Measurement {
        const auto& input = CpuInput<T>::instance(largest);
        const std::span<const T> values(input.values.get(), n);
        const CpuOptions options{strategy, threads};
        const double expected = input.sum_of_power[static_cast<std::size_t>(power)];
        // a chain of n additions of positive terms has a relative error of at most n eps; the sequential
        // strategy is such a chain
        const double chain = strategy == CpuStrategy::sequential || strategy == CpuStrategy::thrust_omp
                                 ? static_cast<double>(n)
                                 : 1 << 17;
        const double got = static_cast<double>(reduction::sum_cpu<T, T>(values, options));
        check_close("sum", got, expected, chain * rounding_error<T>());
        const bool all = strategy == CpuStrategy::threads || strategy == CpuStrategy::thrust_omp;
        return measure_beside_reading(input.limit_bytes(), std::as_bytes(values), all ? threads : 1,
                                      [&] { return reduction::sum_cpu<T, T>(values, options); });
      });
    }
  }
}

void define(bool quick) {
  if (cuda_device_count() > 0) define_gpu_reductions(quick);
  const int threads = default_threads();
  for (const auto& [name, count] : {std::pair{"limit/read/cpu_1", 1}, {"limit/read/cpu_all", threads}}) {
    const int limit_threads = count;
    add(name, [limit_threads, quick] {
      const auto memory = CpuInput<float>::instance(largest_cpu_power(quick)).limit_bytes();
      return to_measurement(cpu_read_limit(memory, limit_threads));
    });
  }
  define_cpu_sums<float>("float", quick);
  if (!quick) define_cpu_sums<double>("double", quick);
}

}  // namespace

const Program program{
    "Times every reduction strategy over sizes and types, the other reductions and matrix-vector products, "
    "beside\n"
    "CUB, Thrust and cuBLAS and the measured limits of the machine. Every result is checked before it is "
    "timed.",
    define};

}  // namespace triptych::bench
