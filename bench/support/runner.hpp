// The frame of every bench program: options, the hardware in the results, and how a timing is reported.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "timing.hpp"

namespace triptych::bench {

// A measurement: bytes that must be read, and the share of `limit` (bytes a microsecond) that this makes; 0:
// no share; and what else was found out, by name.
struct Measurement {
  Timing timing = {};
  double bytes = 0;
  double limit = 0;
  std::map<std::string, double> counters = {};
};

// Registers one named measurement. It runs when its turn comes; a throw fails that one alone.
void add(const std::string& name, std::function<Measurement()> measure);

// Google Benchmark's main with --quick taken out of the arguments. define(quick) registers the measurements.
int run(int argc, char** argv, const char* about, const std::function<void(bool quick)>& define);

}  // namespace triptych::bench
