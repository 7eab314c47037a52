// The JSON files of bench programs as one set of entries.
#pragma once

#include <triptych/core/json.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "name.hpp"

namespace triptych::report {

struct Entry {
  Name name;
  double time_us = 0;            // median, positive
  std::optional<double> low_us;  // 10th and 90th percentile: both or neither
  std::optional<double> high_us;
  std::optional<double> bytes;  // moved by one call, positive
  std::optional<double> share;  // of the read bandwidth measured in the same run, 1 = all of it
  // Further counters of a bench: difference_px, mean_error, share_below and others.
  std::map<std::string, double> counters;
};

struct Failure {
  std::string name;
  std::string reason;
};

// Facts about the machine and the run, in the order of output: {"gpu", "..."}, {"cpu", "..."}.
using Facts = std::vector<std::pair<std::string, std::string>>;

struct Results {
  Facts facts;
  std::vector<Entry> entries;  // in the order of the files; every name once
  std::vector<Failure> failures;
};

// "" when the fact is unknown.
std::string fact(const Results& results, std::string_view key);

// The part of a fact that names the hardware: of "GPU 0: NVIDIA H200, compute capability 9.0, ..." it is
// "NVIDIA H200".
std::string hardware_name(const std::string& fact);

// One file's JSON: of Google Benchmark, or of a script of bench/peers, which gives its times as "us".
// ParseError, with the file's name, when it is neither. Entries of the same name are repetitions: the one
// with the median time is kept.
Results parse_results(const Json& json, const std::string& file);

// Error when a file cannot be read, ParseError when it holds no results, InvalidArgument when the files come
// from different machines (their limits and times would be mixed up). A machine that one file names and
// another describes is the same.
Results load(std::span<const std::filesystem::path> files);

}  // namespace triptych::report
