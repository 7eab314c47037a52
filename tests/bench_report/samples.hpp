// Hand-made results, and a check that text is XML.
#pragma once

#include <triptych/core/json.hpp>

#include <string>
#include <vector>

#include "report/load.hpp"

namespace triptych::report::test {

inline Json entry(const std::string& name, double time_us, double low_us, double high_us,
                  double bytes = 4096) {
  return {{"name", name},     {"real_time", time_us}, {"time_unit", "us"},
          {"low_us", low_us}, {"high_us", high_us},   {"bytes", bytes}};
}

// No spread: a time is the same as another only when equal.
inline Json entry(const std::string& name, double time_us, double bytes = 4096) {
  return {{"name", name}, {"real_time", time_us}, {"time_unit", "us"}, {"bytes", bytes}};
}

inline Json results_json(std::vector<Json> entries) {
  return {{"context",
           {{"date", "2026-01-02T03:04:05+00:00"},
            {"host_name", "some-host"},
            {"executable", "/some/where/bench"},
            {"num_cpus", 8},
            {"gpu", "Some GPU"},
            {"cpu", "Some CPU"},
            {"mode", "full"}}},
          {"benchmarks", std::move(entries)}};
}

inline Results results(std::vector<Json> entries) {
  return parse_results(results_json(std::move(entries)), "sample.json");
}

// A bit of everything: every chart has data.
inline std::vector<Json> sample_entries() {
  std::vector<Json> all = {entry("limit/read/gpu", 100, 1e8), entry("limit/launch/gpu", 1.5),
                           entry("limit/read/cpu_1", 1e4, 1e8), entry("limit/read/cpu_all", 1e3, 1e8)};
  for (const int power : {10, 16, 24, 28}) {
    const double n = static_cast<double>(std::int64_t{1} << power);
    const std::string size = std::to_string(std::int64_t{1} << power);
    const auto add = [&](std::string name, const std::string& end, double time_us, double bytes) {
      all.push_back(entry(name.append(end).append(size), time_us, bytes));
    };
    for (const std::string mode : {"resident", "rotating"}) {
      add("sum/float/automatic/", mode + "/", 2 + n / 2e5, n * 4);
      add("sum/float/peer_cub/", mode + "/", 3 + n / 2e5, n * 4);
      add("multiply/float/plan/", mode + "/16x", 2 + n / 1e5, n * 64);
      add("multiply/float/peer_cublas/", mode + "/16x", 4 + n / 1e5, n * 64);
    }
    add("sum_cpu/float/simd/", "memory/", 1 + n / 3e3, n * 4);
    add("sum_cpu/float/threads/", "memory/", 5 + n / 2e4, n * 4);
  }
  for (const std::string variant : {"gpu8", "cpu1", "joint", "threads", "fast"}) {
    all.push_back(entry("skin/rgba/" + variant + "/total/1920x1080", 200, 8294400));
  }
  return all;
}

// "" when the text is one well-formed element: tags balance, attributes are quoted, & starts a known entity,
// and no control character is in it. Else what is wrong. Knows what svg.cpp uses of XML, and no more.
std::string xml_problem(const std::string& text);

}  // namespace triptych::report::test
