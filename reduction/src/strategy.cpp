#include <triptych/core/error.hpp>
#include <triptych/reduction/strategy.hpp>

#include <algorithm>
#include <array>

namespace triptych::reduction {

namespace {

template <class E>
struct Name {
  E value;
  std::string_view text;
};

constexpr Name<Strategy> strategy_names[] = {
    {Strategy::automatic, "automatic"},
    {Strategy::global_atomic, "global_atomic"},
    {Strategy::shared_atomic, "shared_atomic"},
    {Strategy::tree_interleaved, "tree_interleaved"},
    {Strategy::tree_sequential, "tree_sequential"},
    {Strategy::grid_stride_shared, "grid_stride_shared"},
    {Strategy::grid_stride_shared_x2, "grid_stride_shared_x2"},
    {Strategy::grid_stride_register, "grid_stride_register"},
    {Strategy::grid_stride_atomic, "grid_stride_atomic"},
    {Strategy::warp_shuffle, "warp_shuffle"},
    {Strategy::single_pass, "single_pass"},
    {Strategy::cluster, "cluster"},
    {Strategy::cub_block, "cub_block"},
    {Strategy::cub_device, "cub_device"},
    {Strategy::thrust, "thrust"},
};

constexpr Name<CpuStrategy> cpu_strategy_names[] = {
    {CpuStrategy::automatic, "automatic"},
    {CpuStrategy::sequential, "sequential"},
    {CpuStrategy::compensated, "compensated"},
    {CpuStrategy::pairwise, "pairwise"},
    {CpuStrategy::simd, "simd"},
    {CpuStrategy::threads, "threads"},
    {CpuStrategy::thrust_omp, "thrust_omp"},
};

constexpr Name<Determinism> determinism_names[] = {
    {Determinism::not_guaranteed, "not_guaranteed"},
    {Determinism::run_to_run, "run_to_run"},
    {Determinism::gpu_to_gpu, "gpu_to_gpu"},
    {Determinism::exact, "exact"},
};

constexpr const char* strategy_noun = "strategy";
constexpr const char* cpu_strategy_noun = "CPU strategy";
constexpr const char* determinism_noun = "level of determinism";

template <class E, std::size_t N>
std::string name_of(const Name<E> (&names)[N], E value, const char* what) {
  for (const Name<E>& name : names) {
    if (name.value == value) return std::string(name.text);
  }
  triptych::detail::throw_invalid_argument("there is no ", what, " number ", static_cast<int>(value));
}

template <class E, std::size_t N>
E parse(const Name<E> (&names)[N], std::string_view text, const char* what) {
  std::string known;
  for (const Name<E>& name : names) {
    if (name.text == text) return name.value;
    known += (known.empty() ? "" : ", ") + std::string(name.text);
  }
  throw InvalidArgument("there is no " + std::string(what) + " called '" + std::string(text.substr(0, 80)) +
                        "'; there are " + known);
}

// The values of a table without its first, automatic.
template <class E, std::size_t N>
constexpr std::array<E, N - 1> without_automatic(const Name<E> (&names)[N]) {
  std::array<E, N - 1> values{};
  for (std::size_t i = 1; i < N; ++i) values[i - 1] = names[i].value;
  return values;
}

constexpr auto strategies = without_automatic(strategy_names);
constexpr auto cpu_strategies = without_automatic(cpu_strategy_names);

}  // namespace

std::span<const Strategy> all_strategies() { return strategies; }
std::span<const CpuStrategy> all_cpu_strategies() { return cpu_strategies; }

std::string to_string(Strategy strategy) { return name_of(strategy_names, strategy, strategy_noun); }
std::string to_string(CpuStrategy strategy) {
  return name_of(cpu_strategy_names, strategy, cpu_strategy_noun);
}
std::string to_string(Determinism level) { return name_of(determinism_names, level, determinism_noun); }

Strategy parse_strategy(std::string_view name) { return parse(strategy_names, name, strategy_noun); }
CpuStrategy parse_cpu_strategy(std::string_view name) {
  return parse(cpu_strategy_names, name, cpu_strategy_noun);
}
Determinism parse_determinism(std::string_view name) {
  return parse(determinism_names, name, determinism_noun);
}

Determinism promised(Strategy strategy, bool exact) {
  switch (strategy) {
    case Strategy::global_atomic:
    case Strategy::shared_atomic:
    case Strategy::grid_stride_atomic:
      return exact ? Determinism::exact : Determinism::not_guaranteed;
    case Strategy::cub_block:
    case Strategy::cub_device:
    case Strategy::thrust:
      return exact ? Determinism::exact : Determinism::run_to_run;
    case Strategy::automatic:
    case Strategy::tree_interleaved:
    case Strategy::tree_sequential:
    case Strategy::grid_stride_shared:
    case Strategy::grid_stride_shared_x2:
    case Strategy::grid_stride_register:
    case Strategy::warp_shuffle:
    case Strategy::single_pass:
    case Strategy::cluster:
      return exact ? Determinism::exact : Determinism::gpu_to_gpu;
  }
  triptych::detail::throw_invalid_argument("there is no ", strategy_noun, " number ",
                                           static_cast<int>(strategy));
}

}  // namespace triptych::reduction
