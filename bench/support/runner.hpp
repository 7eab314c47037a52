// The main function of every bench program: command line, hardware in the result file, report of a
// measurement.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "limits.hpp"

namespace triptych::bench {

struct Measurement {
  Timing timing = {};
  double bytes = 0;                             // that the operation must read
  double limit = 0;                             // measured limit in bytes per microsecond; 0: none
  double operations = 0;                        // of floats; a multiply-add counts as two
  double operation_limit = 0;                   // measured limit in operations per microsecond; 0: none
  std::map<std::string, double> counters = {};  // further figures by name
};

// The share of the limit that the measurement comes closest to; 0: none is known.
double share_of_limit(const Measurement& measured);

// A measured limit as a measurement of its own.
Measurement to_measurement(const Limit& limit);

// Registers a measurement under a name. An exception of measure, such as for a wrong result, fails this
// measurement alone: it has an error in place of a time.
void add(const std::string& name, std::function<Measurement()> measure);

// A bench program. Each defines `program`; main is in runner.cpp.
struct Program {
  const char* about;                // for --help
  void (*define)(bool quick);       // registers the measurements; called once a round (--rounds)
  void (*print_table)() = nullptr;  // called at the end, if any
};
extern const Program program;

}  // namespace triptych::bench
