#include <triptych/core/device.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <vector>

#include "runner.hpp"

namespace triptych::bench {

double share_of_limit(const Measurement& m) {
  const double of_bytes = m.limit > 0 ? m.bytes / m.timing.us / m.limit : 0;
  const double of_operations = m.operation_limit > 0 ? m.operations / m.timing.us / m.operation_limit : 0;
  return std::max(of_bytes, of_operations);
}

Measurement to_measurement(const Limit& limit) { return {limit.timing, limit.bytes, 0, limit.operations}; }

namespace {

void set_counters(benchmark::UserCounters& counters, const Measurement& result) {
  counters["low_us"] = result.timing.low_us;
  counters["high_us"] = result.timing.high_us;
  if (result.bytes > 0) {
    counters["bytes"] = result.bytes;
    counters["GB_per_s"] = 1e-3 * result.bytes / result.timing.us;
  }
  if (result.operations > 0) {
    counters["operations"] = result.operations;
    counters["Gop_per_s"] = 1e-3 * result.operations / result.timing.us;
  }
  const double share = share_of_limit(result);
  if (share > 0) counters["share"] = share;
  for (const auto& [counter, value] : result.counters) counters[counter] = value;
}

}  // namespace

void add(const std::string& name, std::function<Measurement()> measure) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [measure = std::move(measure)](benchmark::State& state) {
                                 Measurement result;
                                 try {
                                   result = measure();
                                 } catch (const std::exception& error) {
                                   state.SkipWithError(error.what());
                                   return;
                                 }
                                 for ([[maybe_unused]] auto once : state)
                                   state.SetIterationTime(1e-6 * result.timing.us);
                                 set_counters(state.counters, result);
                               })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

namespace {

struct Arguments {
  bool help = false, quick = false;
  int rounds = 1;
  std::vector<char*> others;  // of Google Benchmark
};

// Nothing for a number of rounds out of range.
std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int k = 0; k < argc; ++k) {
    if (std::strcmp(argv[k], "--help") == 0) {
      arguments.help = true;
    } else if (std::strcmp(argv[k], "--quick") == 0) {
      arguments.quick = true;
    } else if (std::strcmp(argv[k], "--rounds") == 0) {
      const char* const text = ++k < argc ? argv[k] : "";
      const char* const end = text + std::strlen(text);
      if (std::from_chars(text, end, arguments.rounds).ptr != end || arguments.rounds < 1 ||
          arguments.rounds > 1000)
        return std::nullopt;
    } else {
      arguments.others.push_back(argv[k]);
    }
  }
  return arguments;
}

void print_help() {
  std::printf(
      "%s\n\nOptions:\n"
      "  --quick                      measures few sizes, in seconds instead of minutes\n"
      "  --rounds N                   measures everything N times, one round after the other: the results "
      "have N\n"
      "                               entries of each name\n"
      "  --benchmark_filter=REGEX     runs only the measurements whose names match\n"
      "  --benchmark_list_tests       prints the names and measures nothing\n"
      "  --benchmark_out=FILE.json --benchmark_out_format=json\n"
      "                               writes the results and the hardware to a file, from which "
      "bench/report/report.py\n"
      "                               makes tables and charts\n",
      program.about);
}

// "13.0" of 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The machine and the build. Google Benchmark adds its own build type.
void add_context(const Arguments& arguments) {
  benchmark::AddCustomContext("cpu", Device::cpu().describe());
  if (cuda_device_count() > 0) {
    const Device gpu = Device::cuda();
    benchmark::AddCustomContext("gpu", gpu.describe());
    benchmark::AddCustomContext("driver", version_text(gpu.properties().driver_version) + " / " +
                                              version_text(gpu.properties().runtime_version));
  } else {
    benchmark::AddCustomContext("without a GPU", cuda_unavailable_reason());
  }
  benchmark::AddCustomContext("compiler", TRIPTYCH_COMPILER);
  if (!cccl_version().empty()) benchmark::AddCustomContext("cccl", cccl_version());
  benchmark::AddCustomContext("mode", arguments.quick ? "quick" : "full");
  if (arguments.rounds > 1) benchmark::AddCustomContext("rounds", std::to_string(arguments.rounds));
}

int run(int argc, char** argv) {
  std::optional<Arguments> arguments = parse(argc, argv);
  if (!arguments) {
    std::fprintf(stderr, "--rounds takes a number from 1 to 1000\n");
    return 1;
  }
  if (arguments->help) {
    print_help();
    return 0;
  }
  int count = static_cast<int>(arguments->others.size());
  arguments->others.push_back(nullptr);
  benchmark::Initialize(&count, arguments->others.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments->others.data())) return 1;
  add_context(*arguments);
  try {
    for (int round = 0; round < arguments->rounds; ++round) program.define(arguments->quick);
    benchmark::RunSpecifiedBenchmarks();
    if (program.print_table != nullptr) program.print_table();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace triptych::bench

int main(int argc, char** argv) { return triptych::bench::run(argc, argv); }
