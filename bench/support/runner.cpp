#include <triptych/core/device.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "runner.hpp"

namespace triptych::bench {

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
                                 state.counters["low_us"] = result.timing.low_us;
                                 state.counters["high_us"] = result.timing.high_us;
                                 if (result.bytes > 0) {
                                   state.counters["bytes"] = result.bytes;
                                   state.counters["GB_per_s"] = 1e-3 * result.bytes / result.timing.us;
                                 }
                                 if (result.limit > 0)
                                   state.counters["share"] = result.bytes / result.timing.us / result.limit;
                                 for (const auto& [counter, value] : result.counters)
                                   state.counters[counter] = value;
                               })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

namespace {

int run(int argc, char** argv) {
  bool quick = false;
  std::vector<char*> arguments;
  for (int k = 0; k < argc; ++k) {
    if (std::strcmp(argv[k], "--help") == 0) {
      std::printf(
          "%s\n\nOptions:\n"
          "  --quick                      measures few sizes, in seconds instead of minutes\n"
          "  --benchmark_filter=REGEX     runs only the measurements whose names match\n"
          "  --benchmark_list_tests       prints the names and measures nothing\n"
          "  --benchmark_out=FILE.json --benchmark_out_format=json\n"
          "                               writes the results and the hardware to a file, from which "
          "bench/report/report.py\n"
          "                               makes tables and charts\n",
          program.about);
      return 0;
    }
    if (std::strcmp(argv[k], "--quick") == 0) {
      quick = true;
    } else {
      arguments.push_back(argv[k]);
    }
  }
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
  benchmark::AddCustomContext("cpu", Device::cpu().describe());
  if (cuda_device_count() > 0) {
    benchmark::AddCustomContext("gpu", Device::cuda().describe());
  } else {
    benchmark::AddCustomContext("without a GPU", cuda_unavailable_reason());
  }
  benchmark::AddCustomContext("compiler", TRIPTYCH_COMPILER);
  benchmark::AddCustomContext("mode", quick ? "quick" : "full");
  try {
    program.define(quick);
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
