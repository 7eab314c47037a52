#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/reduce.hpp>

#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "peers/cub_peer.hpp"
#include "peers/reduction_peers.hpp"
#include "reduction/setup/checks.hpp"
#include "reduction/setup/gpu.hpp"
#include "support/gpu_pool.hpp"
#include "support/limits.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using reduction::Determinism;
using reduction::Options;
using reduction::Strategy;

bool is_slow(Strategy strategy) { return promised(strategy, false) == Determinism::not_guaranteed; }

enum class Mode { resident, rotating };
const char* name_of(Mode mode) { return mode == Mode::resident ? "resident" : "rotating"; }

// Calls per graph: enough to hide its launch, few enough to keep the bench short.
int calls_for(double bytes) { return std::clamp(static_cast<int>(std::ldexp(1.0, 31) / (bytes + 1)), 2, 64); }

template <class T>
struct Names;
template <>
struct Names<float> {
  static constexpr const char* name = "float";
};
template <>
struct Names<double> {
  static constexpr const char* name = "double";
};
template <>
struct Names<std::int32_t> {
  static constexpr const char* name = "int32";
};
template <>
struct Names<std::int64_t> {
  static constexpr const char* name = "int64";
};

// Integer sums are exact modulo their width. Atomic strategies, which run up to 2^24 elements, may have one
// chain of all elements.
template <class T>
void check_sum(T got, const GpuPool<T>& pool, std::int64_t n, Strategy strategy) {
  if constexpr (std::is_integral_v<T>) {
    check_result(got == pool.integer_sum(n), "sum", got, pool.integer_sum(n));
  } else {
    const bool atomic = promised(strategy, false) == Determinism::not_guaranteed;
    const double chain = atomic ? std::min(static_cast<double>(n), 16777216.0) : max_chain;
    check_close("sum", static_cast<double>(got), pool.sum(n), std::min(0.5, chain * rounding_error<T>()));
  }
}

template <class T>
using Enqueue = std::function<void(const T* values, T* result, StreamRef stream)>;

// Checks one call on the beginning of the pool, then times calls in a graph.
template <class T>
Measurement measure_sum(std::int64_t n, Mode mode, Strategy strategy, const Enqueue<T>& enqueue) {
  auto& pool = GpuPool<T>::instance();
  const double bytes = static_cast<double>(n) * sizeof(T);
  Stream stream;
  DeviceBuffer<T> result(1);
  enqueue(pool.values(), result.data(), stream);
  check_sum(pool.download(result.data(), stream), pool, n, strategy);
  const auto input = [&](int k) { return mode == Mode::rotating ? pool.values_at(k, n) : pool.values(); };
  const int replays = bytes > 5e8 ? 9 : 21;
  Timing timing;
  if (strategy == Strategy::thrust) {
    timing = time_on_host(replays, [&](int k) {
      enqueue(input(k), result.data(), stream);
      stream.ref().synchronize();
    });
  } else {
    const auto call = [&](int k) { enqueue(input(k), result.data(), stream); };
    int calls = calls_for(bytes);
    if (is_slow(strategy))  // atomics of one address take milliseconds: graphs of about 20 ms
      calls = std::clamp(static_cast<int>(2e4 / time_in_graph(stream, 2, 1, call).us), 2, calls);
    timing = time_in_graph(stream, calls, replays, call);
  }
  return {timing, bytes, gpu_limit_of(bytes, mode == Mode::resident).bytes_per_us()};
}

template <class T>
void add_sum(const std::string& contender, std::int64_t n, Mode mode, Strategy strategy,
             const std::function<Enqueue<T>()>& make) {
  add("sum/" + std::string(Names<T>::name) + "/" + contender + "/" + name_of(mode) + "/" + std::to_string(n),
      [=] { return measure_sum<T>(n, mode, strategy, make()); });
}

template <class T>
void add_strategy(Strategy strategy, std::int64_t n, Mode mode,
                  Determinism determinism = Determinism::not_guaranteed) {
  std::string contender(to_string(strategy));
  if (determinism >= Determinism::gpu_to_gpu) contender.append("_").append(to_string(determinism));
  add_sum<T>(contender, n, mode, strategy, [=]() -> Enqueue<T> {
    const auto workspace = std::make_shared<Workspace>();
    return [=](const T* values, T* result, StreamRef stream) {
      reduction::sum_cuda<T, T>(DeviceSpan<const T>(values, n), result, {strategy, determinism, 0},
                                *workspace, stream);
    };
  });
}

template <class T, CubVersion version>
void add_cub(const std::string& contender, std::int64_t n, Mode mode, bool gpu_to_gpu) {
  add_sum<T>(contender, n, mode, Strategy::cub_device, [=]() -> Enqueue<T> {
    const std::shared_ptr<CubSum<T>> cub = CubPeer<version>::template sum<T>(n, gpu_to_gpu);
    return [=](const T* values, T* result, StreamRef stream) { (*cub)(values, result, stream); };
  });
}

// CUB, as it is and with the same bits on every GPU; beside the latter our sum with that promise.
template <class T>
void add_cubs(std::int64_t n, Mode mode) {
  using Toolkit = CubPeer<CubVersion::toolkit>;
  using Newer = CubPeer<CubVersion::newer>;
  const bool newer = !Newer::version().empty();
  add_cub<T, CubVersion::toolkit>("peer_cub", n, mode, false);
  if (newer) add_cub<T, CubVersion::newer>("peer_cub_new", n, mode, false);
  if constexpr (std::is_floating_point_v<T>) {
    if (Toolkit::has_gpu_to_gpu()) add_cub<T, CubVersion::toolkit>("peer_cub_gpu_to_gpu", n, mode, true);
    if (newer && Newer::has_gpu_to_gpu())
      add_cub<T, CubVersion::newer>("peer_cub_new_gpu_to_gpu", n, mode, true);
    add_strategy<T>(Strategy::automatic, n, mode, Determinism::gpu_to_gpu);
    add_strategy<T>(Strategy::automatic, n, mode, Determinism::exact);
  }
}

// The exact sum of numbers with any sign, exponent and fraction, which is compared with that of the CPU.
template <class T>
void add_exact_of_any_numbers(std::int64_t n) {
  add("sum/" + std::string(Names<T>::name) + "/automatic_exact_any_exponent/rotating/" + std::to_string(n),
      [=] {
        using Format = reduction::detail::ExactFormat<T>;
        using Bits = typename Format::Bits;
        std::vector<T> host(static_cast<std::size_t>(n));
        constexpr std::int64_t chunk = 1 << 16;
        parallel_for(0, n / chunk, 0, [&](std::int64_t c) {
          PhiloxStream random(2, static_cast<std::uint64_t>(c));
          for (std::int64_t i = c * chunk; i < (c + 1) * chunk; ++i) {
            const std::uint64_t upper = random.next();
            auto bits = static_cast<Bits>(upper << 32 | random.next());
            constexpr Bits lowest_exponent_bit = Bits{1} << Format::fraction_bits;
            if (!reduction::detail::is_finite(std::bit_cast<T>(bits))) bits ^= lowest_exponent_bit;
            host[static_cast<std::size_t>(i)] = std::bit_cast<T>(bits);
          }
        });
        Stream stream;
        Workspace workspace;
        DeviceBuffer<T> values(n), result(1);
        copy_to_device(std::span<const T>(host), values.span(), stream);
        const auto call = [&](int) {
          reduction::sum_cuda<T, T>(values.span(), result.data(),
                                    {Strategy::automatic, Determinism::exact, 0}, workspace, stream);
        };
        call(0);
        const T expected = reduction::sum_exact_cpu<T>(host, 0).value();
        const T got = GpuPool<T>::instance().download(result.data(), stream);
        check_result(std::bit_cast<Bits>(got) == std::bit_cast<Bits>(expected), "exact sum", got, expected);
        const double bytes = static_cast<double>(n) * sizeof(T);
        return Measurement{time_in_graph(stream, calls_for(bytes), 15, call), bytes,
                           gpu_read_limit().bytes_per_us()};
      });
}

template <class T>
void add_peers(std::int64_t n, Mode mode, bool thrust) {
  add_cubs<T>(n, mode);
  if (!thrust) return;
  add("sum/" + std::string(Names<T>::name) + "/peer_thrust/" + name_of(mode) + "/" + std::to_string(n), [=] {
    auto& pool = GpuPool<T>::instance();
    Stream stream;
    check_sum(thrust_sum(pool.values(), n, stream), pool, n, Strategy::thrust);
    const Timing timing = time_on_host(15, [&](int k) {
      thrust_sum(mode == Mode::rotating ? pool.values_at(k, n) : pool.values(), n, stream);
    });
    const double bytes = static_cast<double>(n) * sizeof(T);
    return Measurement{timing, bytes, gpu_limit_of(bytes, mode == Mode::resident).bytes_per_us()};
  });
}

template <class T>
void define_sums(bool quick) {
  const int largest = GpuPool<T>::largest_power();
  for (int power = 10; power <= std::min(quick ? 26 : 30, largest); power += quick ? 4 : 1) {
    const std::int64_t n = std::int64_t{1} << power;
    for (const Mode mode : {Mode::resident, Mode::rotating}) {
      if (quick && mode == Mode::rotating) continue;
      add_strategy<T>(Strategy::automatic, n, mode);
      add_peers<T>(n, mode, power % 2 == 0);
      const bool all_strategies =
          std::is_same_v<T, float> ? power % 2 == 0 : power % 4 == 0 && mode == Mode::rotating;
      if (!all_strategies) continue;
      for (const Strategy strategy : reduction::all_strategies()) {
        if (!(is_slow(strategy) && power > 24)) add_strategy<T>(strategy, n, mode);
      }
    }
  }
}

std::vector<float> to_host(DeviceSpan<const float> values, StreamRef stream) {
  std::vector<float> host(static_cast<std::size_t>(values.size()));
  copy_to_host(values, std::span<float>(host), stream);
  stream.synchronize();
  return host;
}

// The other operations on floats, by our kernels and by CUB with the same operator. check(result, a, b)
// throws when the result of the first inputs is wrong.
template <class R, class F, class Check>
void add_operation(const char* operation, Strategy strategy, std::int64_t n, int arrays, F enqueue,
                   Check check) {
  add(std::string(operation) + "/float/" + std::string(to_string(strategy)) + "/rotating/" +
          std::to_string(n),
      [=] {
        auto& pool = GpuPool<float>::instance();
        Stream stream;
        Workspace workspace;
        DeviceBuffer<R> result(1);
        const Options options{strategy, Determinism::run_to_run, 0};
        const double bytes = static_cast<double>(n) * arrays * sizeof(float);
        const auto input = [&](int k) { return DeviceSpan<const float>(pool.values_at(k, n), n); };
        const auto call = [&](int k) {
          enqueue(input(arrays * k), input(arrays * k + 1), result.data(), options, workspace, stream);
        };
        call(0);
        const R got = pool.download(result.data(), stream);
        check(got, to_host(input(0), stream), arrays == 2 ? to_host(input(1), stream) : std::vector<float>());
        const Timing timing = time_in_graph(stream, calls_for(bytes), 15, call);
        return Measurement{timing, bytes, gpu_read_limit().bytes_per_us()};
      });
}

void define_operations() {
  using Span = DeviceSpan<const float>;
  using Host = std::span<const float>;
  for (int power = 16; power <= std::min(28, GpuPool<float>::largest_power()); power += 4) {
    const std::int64_t n = std::int64_t{1} << power;
    for (const Strategy strategy : {Strategy::automatic, Strategy::cub_device}) {
      add_operation<float>(
          "min", strategy, n, 1,
          [](Span a, Span, float* r, const Options& o, Workspace& w, StreamRef s) {
            reduction::min_cuda<float>(a, r, o, w, s);
          },
          [](float got, Host a, Host) { check_min(got, a); });
      add_operation<reduction::Indexed<float>>(
          "argmin", strategy, n, 1,
          [](Span a, Span, reduction::Indexed<float>* r, const Options& o, Workspace& w, StreamRef s) {
            reduction::argmin_cuda<float>(a, r, o, w, s);
          },
          [](const reduction::Indexed<float>& got, Host a, Host) { check_argmin(got, a); });
      add_operation<float>(
          "dot", strategy, n, 2,
          [](Span a, Span b, float* r, const Options& o, Workspace& w, StreamRef s) {
            reduction::dot_cuda<float, float>(a, b, r, o, w, s);
          },
          [](float got, Host a, Host b) { check_dot(got, a, b); });
      add_operation<reduction::Moments>(
          "moments", strategy, n, 1,
          [](Span a, Span, reduction::Moments* r, const Options& o, Workspace& w, StreamRef s) {
            reduction::moments_cuda<float>(a, r, o, w, s);
          },
          [](const reduction::Moments& got, Host a, Host) { check_moments(got, a); });
    }
  }
}

enum class Multiply { plan, tuned, cublas };

Measurement measure_multiply(Multiply form, Mode mode, std::int64_t rows, std::int64_t cols) {
  auto& pool = GpuPool<float>::instance();
  Stream stream;
  Workspace workspace;
  DeviceBuffer<float> y(rows);
  const float* x = pool.values_at(1, cols) + pool.size() / 2;  // apart from the matrices
  const auto matrix = [&](int k) {
    return DeviceMatrixView<const float>(
        mode == Mode::rotating ? pool.values_at(k, rows * cols) : pool.values(), rows, cols);
  };
  const DeviceSpan<const float> vector(x, cols);
  std::unique_ptr<CublasMultiply> cublas;
  reduction::RowPlan plan;
  if (form == Multiply::cublas) {
    cublas = std::make_unique<CublasMultiply>(stream);
  } else if (form == Multiply::tuned) {
    static reduction::TuningCache cache;
    plan = tune_multiply_cuda(cache, matrix(0), vector, y.span(), workspace, stream);
  } else {
    plan = plan_rows(rows, cols, reduction::current_row_device());
  }
  const auto enqueue = [&](int k) {
    if (form == Multiply::cublas) {
      (*cublas)(matrix(k).data(), rows, cols, x, y.data());
    } else {
      multiply_cuda(matrix(k), vector, y.span(), plan, workspace, stream);
    }
  };
  enqueue(0);
  pool.check_product(matrix(0), vector, y.span(), stream);
  const double bytes = static_cast<double>(rows * cols + cols + rows) * sizeof(float);
  return {time_in_graph(stream, calls_for(bytes), 21, enqueue), bytes,
          gpu_limit_of(bytes, mode == Mode::resident).bytes_per_us()};
}

struct Shape {
  std::int64_t rows, cols;
};

void add_products(const std::string& group, const Shape& shape, Mode mode) {
  for (const auto& [form, label] :
       {std::pair{Multiply::plan, "plan"}, {Multiply::tuned, "tuned"}, {Multiply::cublas, "peer_cublas"}}) {
    add(group + "/float/" + label + "/" + name_of(mode) + "/" + std::to_string(shape.rows) + "x" +
            std::to_string(shape.cols),
        [form = form, mode, shape] { return measure_multiply(form, mode, shape.rows, shape.cols); });
  }
}

// The wide products of appearance models, and a few other shapes.
void define_products(bool quick) {
  for (const Mode mode : {Mode::resident, Mode::rotating}) {
    if (quick && mode == Mode::rotating) continue;
    for (const std::int64_t rows : {24, 44, 64, 84}) {
      for (std::int64_t cols = 4096; cols <= 65536; cols += quick ? 20480 : 4096)
        add_products("multiply", {rows, cols}, mode);
    }
    if (quick) continue;
    for (const Shape shape :
         {Shape{4096, 4096}, Shape{16384, 2048}, Shape{262144, 64}, Shape{2000000, 8}, Shape{4, 1000000}})
      add_products("multiply_other", shape, mode);
  }
}

// Once, however many rounds there are.
void add_context_of_peers() {
  static bool added = false;
  if (std::exchange(added, true)) return;
  const std::string newer = CubPeer<CubVersion::newer>::version();
  benchmark::AddCustomContext("cccl_new", newer.empty() ? "absent: TRIPTYCH_CCCL_DIR is empty" : newer);
}

}  // namespace

void define_gpu_reductions(bool quick) {
  add_context_of_peers();
  add("limit/read/gpu", [] { return to_measurement(gpu_read_limit()); });
  add("limit/read/gpu_cache", [] { return to_measurement(gpu_cache_read_limit()); });
  add("limit/launch/gpu", [] { return Measurement{gpu_launch_limit(), 0, 0}; });
  define_sums<float>(quick);
  if (!quick) define_operations();
  define_products(quick);
  if (quick) return;
  add_exact_of_any_numbers<float>(std::int64_t{1} << 28);
  define_sums<double>(false);
  add_exact_of_any_numbers<double>(std::int64_t{1} << 28);
  define_sums<std::int32_t>(false);
  define_sums<std::int64_t>(false);
}

}  // namespace triptych::bench
